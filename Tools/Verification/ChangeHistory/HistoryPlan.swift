import SectionedFetch
import CheckSupport

/// The size of a history's store, and the values of its rows.
final class HistoryPlan {
    /// The approximate number of parts.
    let numberOfParts: Int
    /// The values of the attribute by which most lists are grouped.
    private let lots: [String]
    private let ranks: Int64
    private var lastNumber: Int64 = 0
    /// Whether another program may give a row the unique code of another row.
    ///
    /// It must not if the list's context could restore the code to the first row, by an undo or because it
    /// has not merged the deletion: saving that row is then an error, as it should be.
    var mayDisplace = true

    init(_ generator: inout SeededGenerator) {
        let greatest = generator.one(of: [8, 30, 60, 100, 200])
        numberOfParts = Int.random(in: 0...greatest, using: &generator)
        lots = Array(
            Samples.texts.shuffled(using: &generator).prefix(Int.random(in: 1...11, using: &generator)))
        ranks = generator.one(of: [3, 50, 1_000])
    }

    /// A number that was not used before.
    var nextNumber: Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Returns a random value for an attribute of a part.
    func value(of field: WarehouseSchema.Field, _ generator: inout SeededGenerator) -> StoredValue {
        switch field {
        case .name: generator.once(in: 10) ? .null : .text(generator.one(of: Samples.texts))
        case .lot: generator.once(in: 12) ? .null : .text(generator.one(of: lots))
        case .code: generator.once(in: 3) ? .null : .text("c\(nextNumber)")
        case .rank: .integer(generator.number(below: ranks))
        case .price: generator.once(in: 6) ? .null : .text(generator.one(of: Samples.prices))
        case .made: generator.once(in: 8) ? .null : .real(generator.one(of: Samples.moments).seconds)
        case .note: .integer(generator.number(below: 1_000))
        }
    }

    /// Returns a name that no shelf has.
    func newShelfName(_ generator: inout SeededGenerator) -> String {
        "s\(generator.number(below: 5)) \(nextNumber)"
    }
}
