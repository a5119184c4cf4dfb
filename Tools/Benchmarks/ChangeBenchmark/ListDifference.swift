/// A row of a list, in the form that a program keeps to compare whole lists.
struct ListedRow: Hashable, Sendable {
    let id: Int64
    let section: String
}

/// The method of comparing two whole lists.
enum ListDifference: String, CaseIterable, Codable {
    /// `difference(from:)` of the standard library.
    case standard
    /// A dictionary of positions, and the longest run of rows that kept their order.
    case hashed

    var title: String {
        switch self {
        case .standard: "difference(from:)"
        case .hashed: "a hashed difference"
        }
    }

    /// Returns the number of rows with another position or section, for lists with the same rows.
    func count(from old: [ListedRow], to new: [ListedRow]) -> Int {
        switch self {
        case .standard:
            // A row that moved is removed and inserted.
            return new.difference(from: old).insertions.count
        case .hashed: return Self.hashedCount(from: old, to: new)
        }
    }

    private static func hashedCount(from old: [ListedRow], to new: [ListedRow]) -> Int {
        // Common rows at both ends need no dictionary.
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        var positions: [Int64: Int] = [:]
        positions.reserveCapacity(oldEnd - start)
        for position in start..<oldEnd { positions[old[position].id] = position }
        var common: [Int] = []
        common.reserveCapacity(newEnd - start)
        for row in new[start..<newEnd] {
            if let position = positions[row.id], old[position].section == row.section {
                common.append(position)
            }
        }
        return newEnd - start - longestAscendingRun(common)
    }

    private static func longestAscendingRun(_ positions: [Int]) -> Int {
        // For each length, the smallest last position of the runs of that length.
        var ends: [Int] = []
        for position in positions {
            guard let last = ends.last, position < last else {
                ends.append(position)
                continue
            }
            var (low, high) = (0, ends.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < position { low = middle + 1 } else { high = middle }
            }
            ends[low] = position
        }
        return ends.count
    }
}
