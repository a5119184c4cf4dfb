import ObjectStorage
import SectionCaching

/// Where some rows of an index stand in the order, known from earlier changes: some thousands, spread over
/// all of it.
///
/// Looking for the place of a row begins with these, so that only the last rows on the way have to be read. A
/// place is true as long as its row does not change, and whatever may have changed is taken out before.
final class SortKeyCache {
    /// The index that the positions are of.
    private var index: SectionIndex?
    private var settled = PositionedRows()
    /// The rows that were added last: so few that adding to them copies little.
    private var recent = PositionedRows()

    /// The most that are kept, whose places take a few megabytes.
    private static let maximumCount = 65_536
    /// So many are kept of any index that changes row by row: of a million rows one for each 122.
    private static let usualCount = 8_192
    /// From so many on the recent ones are put to the others.
    private static let mostRecent = 256
    /// Rows between two that are known, among which a search reads no more than four. Many changes at once
    /// bring so many places.
    private static let nearDistance = 15
    /// How many places are copied at most for each that is added, once there are many.
    private static let copiedPerRow = 64

    private var count: Int { settled.count + recent.count }

    /// Forgets what is known of another index, and of some rows of this.
    ///
    /// - Parameter removed: The positions of the rows, in ascending order.
    func begin(with index: SectionIndex, without removed: [Int]) {
        guard self.index?.isSame(as: index) == true else {
            self.index = index
            settled = PositionedRows()
            recent = PositionedRows()
            return
        }
        settled.remove(at: removed)
        recent.remove(at: removed)
    }

    /// The positions of the last known row before a place, and of the first that is not.
    ///
    /// - Complexity: O(log *k*) comparisons for *k* rows that are known.
    func neighbours(of place: SortKey) -> (before: Int?, after: Int?) {
        nearest(settled.neighbours(of: place), recent.neighbours(of: place))
    }

    private func nearest(
        _ first: (before: Int?, after: Int?), _ second: (before: Int?, after: Int?)
    ) -> (before: Int?, after: Int?) {
        (
            first.before.map { max($0, second.before ?? $0) } ?? second.before,
            first.after.map { min($0, second.after ?? $0) } ?? second.after
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
        adding found: [(number: Int, place: SortKey)]
    ) {
        self.index = index
        settled.shift(removing: removed, inserting: gaps)
        recent.shift(removing: removed, inserting: gaps)
        guard !found.isEmpty else { return }
        var arrivals = 0
        let added = found.sorted { $0.number < $1.number }.map { number, place in
            while arrivals < gaps.count, gaps[arrivals] <= number { arrivals += 1 }
            return (position: number + arrivals, place: place)
        }
        let isMuch = added.count * Self.copiedPerRow > max(count, Self.usualCount)
        let numberOfRows = index.numberOfRows
        let usual = numberOfRows / Self.usualCount
        add(
            added,
            spacing: isMuch ? max(numberOfRows / Self.maximumCount, min(usual, Self.nearDistance)) : usual)
    }

    /// Adds rows where none is known near.
    private func add(_ added: [(position: Int, place: SortKey)], spacing: Int) {
        var accepted = PositionedRows()
        var last = Int.min / 2
        for row in added {
            let known = nearest(settled.neighbours(of: row.position), recent.neighbours(of: row.position))
            let before = max(last, known.before ?? .min / 2)
            guard row.position - before > spacing, (known.after ?? .max) - row.position > spacing else {
                continue
            }
            accepted.append(row.place, at: row.position)
            last = row.position
        }
        // When the recent ones are put to the others, all are copied.
        guard count <= max(Self.usualCount, accepted.count * Self.copiedPerRow) else { return }
        recent.insert(accepted)
        guard recent.count >= Self.mostRecent else { return }
        settled.insert(recent)
        recent = PositionedRows()
    }
}
