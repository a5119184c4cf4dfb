import ObjectStorage
import SectionCaching

/// Where some rows of an index stand in the order, known from earlier changes: a few thousand, spread over all of it.
///
/// Looking for the place of a row begins with these, so that only the last rows on the way have to be read. A place is true as long as its
/// row does not change, and whatever may have changed is taken out before.
final class KnownPlaces {
    /// The index that the positions are of.
    private var index: SectionIndex?
    /// In ascending order.
    private var positions: [Int] = []
    private var places: [RowPlace] = []

    /// The most that are kept: an index of a million rows has one for each 122, whose places take about two megabytes.
    private static let maximumCount = 8_192

    /// Forgets what is known of another index, and of some rows of this.
    ///
    /// - Parameter removed: The positions of the rows, in ascending order.
    func begin(with index: SectionIndex, without removed: [Int]) {
        guard self.index?.isSame(as: index) == true else {
            self.index = index
            positions = []
            places = []
            return
        }
        guard removed.contains(where: isKnown) else { return }
        var next = 0
        for number in positions.indices {
            while next < removed.count, removed[next] < positions[number] { next += 1 }
            if next < removed.count, removed[next] == positions[number] { positions[number] = -1 }
        }
        places = zip(positions, places).compactMap { $0 < 0 ? nil : $1 }
        positions.removeAll { $0 < 0 }
    }

    private func isKnown(_ position: Int) -> Bool {
        let number = Self.count(of: positions, below: position)
        return number < positions.count && positions[number] == position
    }

    /// The last known row before a place and the first that is not, with their positions.
    ///
    /// - Complexity: O(log *k*) comparisons for *k* rows that are known.
    func neighbours(
        of place: RowPlace, in order: RowOrder
    ) -> (before: (position: Int, place: RowPlace)?, after: (position: Int, place: RowPlace)?) {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if order.precedes(places[middle], place) { low = middle + 1 } else { high = middle }
        }
        return (
            low > 0 ? (positions[low - 1], places[low - 1]) : nil,
            low < places.count ? (positions[low], places[low]) : nil
        )
    }

    /// Goes on with the index that an edit made.
    ///
    /// - Parameters:
    ///   - removed: The positions of the rows that went, or were taken out to be put in again.
    ///   - gaps: For each row that was put in how many rows that stayed are before it. Both in ascending order.
    ///   - found: The places of rows that stayed, by how many that stayed are before them.
    func advance(
        to index: SectionIndex, removing removed: [Int], gaps: [Int],
        adding found: [(number: Int, place: RowPlace)]
    ) {
        self.index = index
        shift(removed, gaps)
        guard !found.isEmpty else { return }
        var arrivals = 0
        let added = found.sorted { $0.number < $1.number }.map { number, place in
            while arrivals < gaps.count, gaps[arrivals] <= number { arrivals += 1 }
            return (position: number + arrivals, place: place)
        }
        add(added, spacing: index.numberOfRows / Self.maximumCount)
    }

    /// Moves the positions: all between two rows that went or came by the same number.
    private func shift(_ removed: [Int], _ gaps: [Int]) {
        var goes = 0
        var comes = 0
        var first = 0
        while first < positions.count {
            // The position before the edit up to which no other row goes or comes.
            let nextRemoved = goes < removed.count ? removed[goes] : .max
            let nextArrival = comes < gaps.count ? gaps[comes] + goes : .max
            let bound = min(nextRemoved, nextArrival)
            let end =
                bound == .max ? positions.count : first + Self.count(of: positions[first...], below: bound)
            let distance = comes - goes
            if distance != 0 { for number in first..<end { positions[number] += distance } }
            first = end
            // What comes at the place of a row that goes is before the next that stays.
            if nextArrival <= nextRemoved { comes += 1 } else { goes += 1 }
        }
    }

    /// Adds rows where none is known near.
    private func add(_ added: [(position: Int, place: RowPlace)], spacing: Int) {
        var accepted: [(position: Int, place: RowPlace)] = []
        var last = Int.min / 2
        for row in added {
            let number = Self.count(of: positions, below: row.position)
            let before = max(last, number > 0 ? positions[number - 1] : .min / 2)
            let after = number < positions.count ? positions[number] : .max
            guard row.position - before > spacing, after - row.position > spacing else { continue }
            accepted.append(row)
            last = row.position
        }
        guard !accepted.isEmpty else { return }
        var mergedPositions: [Int] = []
        var mergedPlaces: [RowPlace] = []
        mergedPositions.reserveCapacity(positions.count + accepted.count)
        mergedPlaces.reserveCapacity(positions.count + accepted.count)
        var next = 0
        for row in accepted {
            let end = next + Self.count(of: positions[next...], below: row.position)
            mergedPositions += positions[next..<end]
            mergedPlaces += places[next..<end]
            mergedPositions.append(row.position)
            mergedPlaces.append(row.place)
            next = end
        }
        positions = mergedPositions + positions[next...]
        places = mergedPlaces + places[next...]
    }

    /// How many numbers of an ascending list are below a bound.
    private static func count(of numbers: some RandomAccessCollection<Int>, below bound: Int) -> Int {
        var low = numbers.startIndex
        var high = numbers.endIndex
        while low < high {
            let middle = numbers.index(low, offsetBy: numbers.distance(from: low, to: high) / 2)
            if numbers[middle] < bound { low = numbers.index(after: middle) } else { high = middle }
        }
        return numbers.distance(from: numbers.startIndex, to: low)
    }
}
