import Foundation
import SectionedFetch
import CheckSupport

/// A predicate in two forms: a format string for the library, and a Swift function over plain values for the
/// oracle.
indirect enum Condition {
    case rank(String, Int32)
    case lot(isEqual: Bool, String?)
    case nameBegins(String)
    /// The only number that parts, shelves and halls have.
    case noteAbove(Int64)
    case priceAbove(String)
    case madeBefore(Double)
    case shelfNoteAbove(Int64)
    case hallNamed(String)
    case hasNoShelf
    case tagged(String)
    /// Tags of the part itself, or of parts on its shelf.
    case hasTags(Int), neighbourTagged(String, aboveRank: Int32)
    /// Parts on the shelf, and shelves in the hall.
    case neighbourBelow(Int32), hasNeighbours(Int), hasOddNeighbours, allNeighboursAbove(Int32),
        hallHasShelves(Int)
    /// The sum of the ranks on all shelves of the hall.
    case hallRanksAbove(Int64)
    case and(Condition, Condition)
    case or(Condition, Condition)

    /// Returns a random condition that a good part of all rows meets.
    static func random(_ generator: inout SeededGenerator, depth: Int = 2) -> Condition {
        if depth > 0, generator.once(in: 3) {
            let first = random(&generator, depth: depth - 1)
            let second = random(&generator, depth: depth - 1)
            return generator.once(in: 2) ? .and(first, second) : .or(first, second)
        }
        switch Int.random(in: 0..<16, using: &generator) {
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
        case 11: return .tagged(generator.one(of: Samples.words))
        default: return .ofCollections(&generator)
        }
    }

    /// Returns a random condition that reads to-many relationships.
    static func ofCollections(_ generator: inout SeededGenerator) -> Condition {
        let rank = Int32.random(in: 3..<45, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .hasTags(Int(generator.number(below: 3)))
        case 1: return .neighbourTagged(generator.one(of: Samples.words), aboveRank: rank)
        case 2: return .neighbourBelow(rank)
        case 3: return .hasNeighbours(Int(generator.number(below: 8)))
        case 4: return .allNeighboursAbove(rank / 4)
        case 5: return .hallHasShelves(Int(generator.number(below: 4)))
        case 6...8: return .hasOddNeighbours
        default: return .hallRanksAbove(generator.number(below: 400))
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
        case .noteAbove(let note): return "note > \(note)"
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
        case .hasTags(let count): return "tags.@count > \(count)"
        case .neighbourTagged(let word, let rank):
            arguments.append(word)
            return "SUBQUERY(shelf.parts, $p, $p.rank > \(rank) AND ANY $p.tags.word == %@).@count > 0"
        case .neighbourBelow(let rank): return "ANY shelf.parts.rank < \(rank)"
        case .hasNeighbours(let count): return "shelf.parts.@count > \(count)"
        case .hasOddNeighbours:
            // Each arrival and departure of a part decides about all others on the shelf.
            let odd = stride(from: 1, to: 400, by: 2).map { "\($0)" }.joined(separator: ", ")
            return "shelf.parts.@count IN {\(odd)}"
        case .allNeighboursAbove(let rank): return "ALL shelf.parts.rank > \(rank)"
        case .hallHasShelves(let count): return "shelf.hall.shelves.@count > \(count)"
        case .hallRanksAbove(let sum): return "shelf.hall.shelves.parts.@sum.rank > \(sum)"
        case .and(let first, let second):
            return "(\(first.format(&arguments)) AND \(second.format(&arguments)))"
        case .or(let first, let second):
            return "(\(first.format(&arguments)) OR \(second.format(&arguments)))"
        }
    }

    /// Returns whether the condition holds for a part.
    func holds(for part: Record, in inventory: Inventory, _ around: Neighbourhood) -> Bool {
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
        case .noteAbove(let bound):
            guard case .integer(let note) = part[.note] else { return false }
            return note > bound
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
        case .hasTags(let count): return (inventory.words[part.id]?.count ?? 0) > count
        case .neighbourTagged(let word, let bound):
            return around.neighbours(of: part).contains {
                $0.rank > bound && inventory.words[$0.id]?.contains(word) ?? false
            }
        case .neighbourBelow(let bound): return around.neighbours(of: part).contains { $0.rank < bound }
        case .hasNeighbours(let count): return around.neighbours(of: part).count > count
        case .hasOddNeighbours:
            let count = around.neighbours(of: part).count
            return count < 400 && !count.isMultiple(of: 2)
        case .allNeighboursAbove(let bound):
            return around.neighbours(of: part).allSatisfy { $0.rank > bound }
        case .hallHasShelves(let count):
            return around.shelves(inHallOf: part, inventory).count > count
        case .hallRanksAbove(let bound):
            let parts = around.shelves(inHallOf: part, inventory).flatMap { around.parts(on: $0) }
            return parts.reduce(0) { $0 + $1.rank } > bound
        case .and(let first, let second):
            return first.holds(for: part, in: inventory, around)
                && second.holds(for: part, in: inventory, around)
        case .or(let first, let second):
            return first.holds(for: part, in: inventory, around)
                || second.holds(for: part, in: inventory, around)
        }
    }

    /// The number of relationships that the condition follows from a part: 1 to its shelf, 2 to the shelf's
    /// hall.
    var reach: Int {
        switch self {
        case .shelfNoteAbove, .neighbourTagged, .neighbourBelow, .hasNeighbours, .hasOddNeighbours,
            .allNeighboursAbove:
            1
        case .hallNamed, .hallHasShelves, .hallRanksAbove: 2
        case .and(let first, let second), .or(let first, let second): max(first.reach, second.reach)
        default: 0
        }
    }

    /// Whether the condition reads to-many relationships. A change of a tag is not a change of the parts that
    /// have it.
    var readsCollections: Bool {
        switch self {
        case .tagged, .hasTags, .neighbourTagged, .neighbourBelow, .hasNeighbours, .hasOddNeighbours,
            .allNeighboursAbove,
            .hallHasShelves, .hallRanksAbove:
            true
        case .and(let first, let second), .or(let first, let second):
            first.readsCollections || second.readsCollections
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
