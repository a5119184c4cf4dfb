/// A row of a list as somebody keeps it who compares whole lists.
struct ListedRow: Hashable, Sendable {
    let id: Int64
    let section: String
}

/// How two whole lists are compared.
enum ListDifference: String, CaseIterable, Codable {
    /// By `difference(from:)` of the standard library.
    case standard
    /// By a dictionary of places, and the longest run of rows that kept their order.
    case hashed

    var title: String {
        switch self {
        case .standard: "difference(from:)"
        case .hashed: "a hashed difference"
        }
    }

    /// How many rows have another place, of lists that have the same rows.
    func count(from old: [ListedRow], to new: [ListedRow]) -> Int {
        switch self {
        case .standard:
            // A row that moved is removed and inserted.
            return new.difference(from: old).insertions.count
        case .hashed: return Self.hashedCount(from: old, to: new)
        }
    }

    private static func hashedCount(from old: [ListedRow], to new: [ListedRow]) -> Int {
        // What both have in common at their ends needs no dictionary.
        var start = 0
        while start < min(old.count, new.count), old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        var places: [Int64: Int] = [:]
        places.reserveCapacity(oldEnd - start)
        for place in start..<oldEnd { places[old[place].id] = place }
        var common: [Int] = []
        common.reserveCapacity(newEnd - start)
        for row in new[start..<newEnd] {
            if let place = places[row.id], old[place].section == row.section { common.append(place) }
        }
        return newEnd - start - longestAscendingRun(common)
    }

    private static func longestAscendingRun(_ places: [Int]) -> Int {
        // At each length the least end of a run of that length.
        var ends: [Int] = []
        for place in places {
            guard let last = ends.last, place < last else {
                ends.append(place)
                continue
            }
            var (low, high) = (0, ends.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if ends[middle] < place { low = middle + 1 } else { high = middle }
            }
            ends[low] = place
        }
        return ends.count
    }
}
