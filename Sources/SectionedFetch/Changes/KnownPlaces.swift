import ObjectStorage
import SectionCaching

/// Where some rows of an index stand in the order, known from earlier changes: some thousands, spread over
/// all of it.
///
/// Looking for the place of a row begins with these, so that only the last rows on the way have to be read. A
/// place is true as long as its row does not change, and whatever may have changed is taken out before.
final class KnownPlaces {
    /// The index that the positions are of.
    private var index: SectionIndex?
    /// In ascending order.
    private var positions: [Int] = []
    private var places = PlaceList()

    /// The most that are kept, whose places take a few megabytes.
    private static let maximumCount = 65_536
    /// So many are kept of any index that changes row by row: of a million rows one for each 122.
    private static let usualCount = 8_192
    /// Rows between two that are known, among which a search reads no more than four. Many changes at once
    /// bring so many places.
    private static let nearDistance = 15
    /// How many places are copied at most for each that is added, once there are many.
    private static let copiedPerRow = 64
    /// Taking out so few moves less memory than copying the rest.
    private static let few = 4

    /// Forgets what is known of another index, and of some rows of this.
    ///
    /// - Parameter removed: The positions of the rows, in ascending order.
    func begin(with index: SectionIndex, without removed: [Int]) {
        guard self.index?.isSame(as: index) == true else {
            self.index = index
            positions = []
            places = PlaceList()
            return
        }
        let known = removed.compactMap(number)
        if known.count <= Self.few {
            for number in known.reversed() {
                positions.remove(at: number)
                places.remove(number)
            }
            return
        }
        var kept = PlaceList()
        var keptPositions: [Int] = []
        kept.reserve(places)
        keptPositions.reserveCapacity(positions.count)
        var next = 0
        for end in known + [positions.count] {
            kept.append(places, next..<end)
            keptPositions += positions[next..<end]
            next = end + 1
        }
        (positions, places) = (keptPositions, kept)
    }

    /// The number of a row that is known.
    private func number(_ position: Int) -> Int? {
        let number = positions.count(below: position)
        return number < positions.count && positions[number] == position ? number : nil
    }

    /// The positions of the last known row before a place, and of the first that is not.
    ///
    /// - Complexity: O(log *k*) comparisons for *k* rows that are known.
    func neighbours(of place: RowPlace) -> (before: Int?, after: Int?) {
        let number = places.count(before: place)
        return (
            number > 0 ? positions[number - 1] : nil, number < positions.count ? positions[number] : nil
        )
    }

    /// Goes on with the index that an edit made.
    ///
    /// - Parameters:
    ///   - removed: The positions of the rows that went, or were taken out to be put in again.
    ///   - gaps: For each row that was put in how many rows that stayed are before it. Both in ascending
    ///     order.
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
        let isMuch = added.count * Self.copiedPerRow > max(positions.count, Self.usualCount)
        let numberOfRows = index.numberOfRows
        let usual = numberOfRows / Self.usualCount
        add(
            added,
            spacing: isMuch ? max(numberOfRows / Self.maximumCount, min(usual, Self.nearDistance)) : usual)
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
                bound == .max ? positions.count : first + positions[first...].count(below: bound)
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
            let number = positions.count(below: row.position)
            let before = max(last, number > 0 ? positions[number - 1] : .min / 2)
            let after = number < positions.count ? positions[number] : .max
            guard row.position - before > spacing, after - row.position > spacing else { continue }
            accepted.append(row)
            last = row.position
        }
        // All are copied.
        guard !accepted.isEmpty, positions.count <= max(Self.usualCount, accepted.count * Self.copiedPerRow)
        else {
            return
        }
        var mergedPositions: [Int] = []
        var merged = PlaceList()
        mergedPositions.reserveCapacity(positions.count + accepted.count)
        merged.reserve(places)
        var next = 0
        for row in accepted {
            let end = next + positions[next...].count(below: row.position)
            mergedPositions += positions[next..<end]
            merged.append(places, next..<end)
            mergedPositions.append(row.position)
            merged.append(row.place)
            next = end
        }
        mergedPositions += positions[next...]
        merged.append(places, next..<positions.count)
        (positions, places) = (mergedPositions, merged)
    }
}
