import Foundation
import SectionedFetch
import CheckSupport

/// A predicate in two forms: a format string for the library, and a Swift function over plain values for the
/// oracle.
indirect enum Condition {
    case rank(String, Int32)
    case lot(isEqual: Bool, String?)
    case nameBegins(String)
    case priceAbove(String)
    case madeBefore(Double)
    case shelfNoteAbove(Int64)
    case hallNamed(String)
    case hasNoShelf
    case tagged(String)
    case and(Condition, Condition)
    case or(Condition, Condition)

    /// Returns a random condition that a good part of all rows meets.
    static func random(_ generator: inout SeededGenerator, depth: Int = 2) -> Condition {
        if depth > 0, generator.once(in: 3) {
            let first = random(&generator, depth: depth - 1)
            let second = random(&generator, depth: depth - 1)
            return generator.once(in: 2) ? .and(first, second) : .or(first, second)
        }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3:
            return .rank(
                generator.one(of: ["<", ">=", "!=", "=="]), Int32.random(in: 5..<45, using: &generator))
        case 4: return .lot(isEqual: true, generator.once(in: 4) ? nil : generator.one(of: Samples.texts))
        case 5: return .lot(isEqual: false, generator.once(in: 4) ? nil : generator.one(of: Samples.texts))
        case 6: return .nameBegins(generator.one(of: ["a", "i", "item", "Z", "é"]))
        case 7: return .priceAbove(generator.one(of: Array(Samples.prices.prefix(6))))
        case 8: return .madeBefore(generator.one(of: Samples.moments).seconds)
        case 9: return .shelfNoteAbove(generator.number(below: 4))
        case 10: return generator.once(in: 2) ? .hallNamed("h\(generator.number(below: 3))") : .hasNoShelf
        default: return .tagged(generator.one(of: Samples.words))
        }
    }

    /// Returns the condition as a predicate of the library.
    func predicate() throws -> FetchRequest<ManagedObject>.Predicate {
        var arguments: [any PredicateArgument] = []
        let format = format(&arguments)
        return try FetchRequest<ManagedObject>.Predicate(format: format, arguments: arguments)
    }

    private func format(_ arguments: inout [any PredicateArgument]) -> String {
        switch self {
        case .rank(let relation, let bound):
            return "rank \(relation) \(bound)"
        case .lot(let isEqual, let text):
            arguments.append(StoredValue(text))
            return "lot \(isEqual ? "==" : "!=") %@"
        case .nameBegins(let prefix):
            arguments.append(prefix)
            return "name BEGINSWITH %@"
        case .priceAbove(let price):
            arguments.append(Samples.decimals[price] ?? 0)
            return "price > %@"
        case .madeBefore(let seconds):
            arguments.append(Date(timeIntervalSinceReferenceDate: seconds))
            return "made < %@"
        case .shelfNoteAbove(let note): return "shelf.note > \(note)"
        case .hallNamed(let name):
            arguments.append(name)
            return "shelf.hall.name == %@"
        case .hasNoShelf: return "shelf == nil"
        case .tagged(let word):
            arguments.append(word)
            return "ANY tags.word == %@"
        case .and(let first, let second):
            return "(\(first.format(&arguments)) AND \(second.format(&arguments)))"
        case .or(let first, let second):
            return "(\(first.format(&arguments)) OR \(second.format(&arguments)))"
        }
    }

    /// Returns whether the condition holds for a part.
    func holds(for part: Record, in inventory: Inventory) -> Bool {
        switch self {
        case .rank(let relation, let bound):
            guard case .integer(let rank) = part[.rank] else { return false }
            switch relation {
            case "<": return rank < bound
            case ">=": return rank >= bound
            case "==": return rank == bound
            default: return rank != bound
            }
        case .lot(let isEqual, let text): return (part[.lot] == StoredValue(text)) == isEqual
        case .nameBegins(let prefix):
            guard case .text(let name) = part[.name] else { return false }
            return name.utf8.starts(with: prefix.utf8)
        case .priceAbove(let price):
            guard case .text(let text) = part[.price], let value = Samples.decimals[text],
                let bound = Samples.decimals[price]
            else { return false }
            return value > bound
        case .madeBefore(let bound):
            guard case .real(let seconds) = part[.made] else { return false }
            return seconds < bound
        case .shelfNoteAbove(let bound):
            guard case .integer(let note)? = inventory.shelf(of: part)?.values[1] else { return false }
            return note > bound
        case .hallNamed(let name): return inventory.hall(of: part)?.values[0] == .text(name)
        case .hasNoShelf: return part.target == nil
        case .tagged(let word): return inventory.words[part.id]?.contains(word) ?? false
        case .and(let first, let second):
            return first.holds(for: part, in: inventory) && second.holds(for: part, in: inventory)
        case .or(let first, let second):
            return first.holds(for: part, in: inventory) || second.holds(for: part, in: inventory)
        }
    }

    /// The number of relationships that the condition follows from a part: 1 to its shelf, 2 to the shelf's
    /// hall.
    var reach: Int {
        switch self {
        case .shelfNoteAbove: 1
        case .hallNamed: 2
        case .and(let first, let second), .or(let first, let second): max(first.reach, second.reach)
        default: 0
        }
    }

    /// Whether the condition reads tags. A change of a tag is not a change of the parts that have it.
    var readsTags: Bool {
        switch self {
        case .tagged: true
        case .and(let first, let second), .or(let first, let second): first.readsTags || second.readsTags
        default: false
        }
    }
}

extension Record {
    subscript(field: WarehouseSchema.Field) -> StoredValue { values[field.rawValue] }
}

extension StoredValue {
    /// Creates a text value, or null for nil.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}
