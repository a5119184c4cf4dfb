import SectionedFetch
import CheckSupport

/// What a history is about: how many rows there are, and which values they have.
final class HistoryPlan {
    /// About how many parts there are.
    let numberOfParts: Int
    /// The values of the attribute that most lists group by.
    private let lots: [String]
    private let ranks: Int64
    private var lastNumber: Int64 = 0
    /// Whether another program may give a row the unique code of another. Not where the list's context may
    /// bring the code back to the row that had it, by an undo or because it was not told: then saving it is
    /// an error, and rightly so.
    var mayDisplace = true

    init(_ generator: inout SeededGenerator) {
        let greatest = generator.one(of: [8, 30, 60, 100, 200])
        numberOfParts = Int.random(in: 0...greatest, using: &generator)
        lots = Array(
            Samples.texts.shuffled(using: &generator).prefix(Int.random(in: 1...11, using: &generator)))
        ranks = generator.one(of: [3, 50, 1_000])
    }

    /// A number that was not there before.
    var nextNumber: Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Some value for an attribute of a part.
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

    /// A name that no shelf has.
    func newShelfName(_ generator: inout SeededGenerator) -> String {
        "s\(generator.number(below: 5)) \(nextNumber)"
    }
}
