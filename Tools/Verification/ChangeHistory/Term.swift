import Foundation
import SectionedFetch
import CheckSupport

/// A key to sort or group rows by: a value of the part, of its shelf or of the hall, or a computed value.
enum Key: Equatable {
    case field(WarehouseSchema.Field)
    case shelf, shelfName, shelfNote, hallName
    case letter, index, year, month, quarter, decade
    /// The name without regard to case and marks.
    case foldedName
    /// The rank in ranges of four.
    case range
    /// The rank in spans of four, by a key function that this file defines.
    case span
    /// The number of tags; the number, the sum of the ranks and the highest rank of the parts on the shelf.
    case tagCount, shelfCount, shelfSum, shelfMaximum

    /// The key as an expression of the library.
    var expression: KeyExpression {
        let greenwich = TimeZone(secondsFromGMT: 0) ?? .gmt
        return switch self {
        case .field(let field): .path(field.attribute)
        case .shelf: "shelf"
        case .shelfName: "shelf.name"
        case .shelfNote: "shelf.note"
        case .hallName: "shelf.hall.name"
        case .letter: .firstLetter(of: "name", in: Locale(identifier: "en"))
        case .index: .indexLetter(of: "name", in: Locale(identifier: "en"))
        case .foldedName: .foldedText(of: "name")
        case .quarter: .quarter(of: "made", in: greenwich)
        case .decade: .decade(of: "made", in: greenwich)
        case .range: .range(of: "rank", step: 4)
        case .year: .year(of: "made", in: greenwich)
        case .month: .month(of: "made", in: greenwich)
        case .span: .computed(RankSpan(length: 4), of: "rank")
        case .tagCount: .count(of: "tags")
        case .shelfCount: "shelf.parts.@count"
        case .shelfSum: .sum(of: "rank", in: "shelf.parts")
        case .shelfMaximum: .maximum(of: "rank", in: "shelf.parts")
        }
    }

    /// Returns the value of the key for a part.
    func value(for part: Record, in inventory: Inventory, _ around: Neighbourhood) -> StoredValue {
        switch self {
        case .field(let field): return part[field]
        case .shelf: return part.target.map { .integer($0.unsavedKey) } ?? .null
        case .shelfName: return inventory.shelf(of: part)?.values[0] ?? .null
        case .shelfNote: return inventory.shelf(of: part)?.values[1] ?? .null
        case .hallName: return inventory.hall(of: part)?.values[0] ?? .null
        case .letter, .index:
            guard case .text(let name) = part[.name] else { return .null }
            return .text(Samples.letter(of: name))
        case .foldedName:
            guard case .text(let name) = part[.name] else { return .null }
            return .text(name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
        case .year, .month, .quarter, .decade:
            guard case .real(let seconds) = part[.made], let moment = Samples.calendar[seconds] else {
                return .null
            }
            return switch self {
            case .month: .integer(moment.year * 100 + moment.month)
            case .quarter: .integer(moment.year * 10 + (moment.month - 1) / 3 + 1)
            case .decade: .integer(moment.year / 10 * 10)
            default: .integer(moment.year)
            }
        case .range:
            guard case .integer(let rank) = part[.rank] else { return .null }
            return .integer(rank - (rank & 3))
        case .span:
            guard case .integer(let rank) = part[.rank] else { return .null }
            return .integer(rank >> 2)
        case .tagCount: return .integer(Int64(inventory.words[part.id]?.count ?? 0))
        case .shelfCount: return .integer(Int64(around.neighbours(of: part).count))
        case .shelfSum: return .integer(around.neighbours(of: part).reduce(0) { $0 + $1.rank })
        case .shelfMaximum:
            return around.neighbours(of: part).map(\.rank).max().map(StoredValue.integer) ?? .null
        }
    }

    /// Whether the key is computed from related objects.
    var readsCollections: Bool {
        switch self {
        case .tagCount, .shelfCount, .shelfSum, .shelfMaximum: true
        default: false
        }
    }

    /// The number of relationships that the key follows from a part.
    var reach: Int {
        switch self {
        case .shelfName, .shelfNote, .shelfCount, .shelfSum, .shelfMaximum: 1
        case .hallName: 2
        default: 0
        }
    }
}

/// Maps numbers to spans of a given length.
private struct RankSpan: KeyFunction {
    static let name = "span"
    static let version = 1
    let length: Int32

    func key(for rank: Int32?) -> Int32? { rank.map { ($0 - ($0 % length + length) % length) / length } }
}

extension Key: CustomStringConvertible {
    /// The key in words.
    var description: String {
        if case .field(let field) = self { field.attribute } else { expression.description }
    }
}

/// One sort descriptor.
struct Term {
    var key: Key
    var isAscending: Bool
    var order = TextOrder.binary
    var nulls = NullOrder.smallest

    /// The term as a sort descriptor of the library.
    var descriptor: FetchRequest<ManagedObject>.SortDescriptor {
        isAscending
            ? .ascending(key.expression, order: order, nulls: nulls)
            : .descending(key.expression, order: order, nulls: nulls)
    }

    /// Returns a random term.
    static func random(_ generator: inout SeededGenerator) -> Term {
        let keys: [Key] = [
            .field(.name), .field(.name), .field(.lot), .field(.rank), .field(.rank), .field(.price),
            .field(.made),
            .field(.note), .field(.code), .shelfName, .shelfNote, .hallName, .letter, .month,
            .span, .tagCount, .shelfCount, .shelfSum, .shelfMaximum,
        ]
        // The remainder chooses among keys of one kind, so that it does not change the rest of a history.
        let choice = Int.random(in: 0..<keys.count * 4, using: &generator)
        let others: [Key] =
            switch keys[choice / 4] {
            case .letter: [.letter, .letter, .index, .foldedName]
            case .month: [.month, .month, .quarter, .decade]
            case .span: [.span, .span, .range, .range]
            case let key: [key, key, key, key]
            }
        return random(others[choice % 4], &generator)
    }

    /// Returns a term with a random order by a key.
    static func random(_ key: Key, _ generator: inout SeededGenerator, mayFold: Bool = true) -> Term {
        var term = Term(key: key, isAscending: generator.once(in: 2))
        term.nulls = generator.one(of: [.smallest, .first, .last])
        if key == .field(.name) || key == .field(.lot) {
            let english = Locale(identifier: "en")
            let orders = [TextOrder.binary, .binary, .caseInsensitive, .caseInsensitive]
            term.order =
                (orders + [.localized(english), .indexed(english)])[
                    Int.random(in: 0..<6, using: &generator)]
            if !mayFold, term.order == .caseInsensitive { term.order = .binary }
        }
        return term
    }

    /// Returns the order of two values: negative, zero or positive.
    func compare(_ first: StoredValue, _ second: StoredValue) -> Int {
        switch (first, second) {
        case (.null, .null): return 0
        case (.null, _): return nullsComeFirst ? -1 : 1
        case (_, .null): return nullsComeFirst ? 1 : -1
        default:
            let sign = ascending(first, second)
            return isAscending ? sign : -sign
        }
    }

    private var nullsComeFirst: Bool {
        switch nulls {
        case .first: true
        case .last: false
        case .smallest: isAscending
        }
    }

    private func ascending(_ first: StoredValue, _ second: StoredValue) -> Int {
        switch (first, second) {
        case (.integer(let first), .integer(let second)): return sign(first, second)
        case (.real(let first), .real(let second)): return sign(first, second)
        case (.text(let first), .text(let second)):
            if key == .field(.price) {
                return sign(Samples.decimals[first] ?? .nan, Samples.decimals[second] ?? .nan)
            }
            if order == .binary { return bytes(first, second) }
            if order == .caseInsensitive { return bytes(first.lowercased(), second.lowercased()) }
            return sign(Samples.ranks[first] ?? -1, Samples.ranks[second] ?? -1)
        default: return 0
        }
    }

    private func sign<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
        first < second ? -1 : first == second ? 0 : 1
    }

    private func bytes(_ first: String, _ second: String) -> Int {
        if first == second, first.utf8.elementsEqual(second.utf8) { return 0 }
        return first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
    }
}
