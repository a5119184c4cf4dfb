import ObjectStorage
import SectionCaching

/// The sort keys of some rows of an index, known from earlier changes: some thousands of rows, spread over
/// the whole index.
///
/// The search for a row's position begins with these, so that only the last rows on the way have to be read.
/// A sort key is valid as long as its row does not change; rows that may have changed are removed beforehand.
final class SortKeyCache {
    /// The index to which the positions refer.
    private var index: SectionIndex?
    private var settled = PositionedRows()
    /// The rows that were added last. They are few, so that adding to them copies little.
    private var recent = PositionedRows()

    /// The maximum number of rows. Their sort keys take a few megabytes.
    private static let maximumCount = 65_536
    /// The number of rows kept of an index that changes row by row: of a million rows one in 122.
    private static let usualCount = 8_192
    /// The number of recent rows at which they are merged into the settled ones.
    private static let mostRecent = 256
    /// The minimum distance between known rows after many changes at once, which supply that many sort keys.
    /// A search between two of them reads no more than four rows.
    private static let nearDistance = 15
    /// The maximum number of sort keys that are copied for each added one, once the cache has more than
    /// ``usualCount``.
    private static let copiedPerRow = 64

    private var count: Int { settled.count + recent.count }

    /// Removes all rows if they are of another index, otherwise those at some positions.
    ///
    /// - Parameter removed: The positions of the rows to remove, in ascending order.
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

    /// Returns the positions of the last known row before a sort key, and of the first one that is not before
    /// it.
    ///
    /// - Complexity: O(log *k*) comparisons for *k* known rows.
    func neighbours(of sortKey: SortKey) -> (before: Int?, after: Int?) {
        nearest(settled.neighbours(of: sortKey), recent.neighbours(of: sortKey))
    }

    private func nearest(
        _ first: (before: Int?, after: Int?), _ second: (before: Int?, after: Int?)
    ) -> (before: Int?, after: Int?) {
        (
            first.before.map { max($0, second.before ?? $0) } ?? second.before,
            first.after.map { min($0, second.after ?? $0) } ?? second.after
        )
    }

    /// Adopts the index that an edit made.
    ///
    /// - Parameters:
    ///   - removed: The positions of the rows that were removed, including those that were inserted again.
    ///   - gaps: For each inserted row, the number of remaining rows before it. Both lists are in ascending
    ///     order.
    ///   - found: The sort keys of remaining rows, by the number of remaining rows before them.
    func advance(
        to index: SectionIndex, removing removed: [Int], gaps: [Int],
        adding found: [(number: Int, sortKey: SortKey)]
    ) {
        self.index = index
        settled.shift(removing: removed, inserting: gaps)
        recent.shift(removing: removed, inserting: gaps)
        guard !found.isEmpty else { return }
        var arrivals = 0
        let added = found.sorted { $0.number < $1.number }.map { number, sortKey in
            while arrivals < gaps.count, gaps[arrivals] <= number { arrivals += 1 }
            return (position: number + arrivals, sortKey: sortKey)
        }
        let isMuch = added.count * Self.copiedPerRow > max(count, Self.usualCount)
        let numberOfRows = index.numberOfRows
        let usual = numberOfRows / Self.usualCount
        add(
            added,
            spacing: isMuch ? max(numberOfRows / Self.maximumCount, min(usual, Self.nearDistance)) : usual)
    }

    /// Adds rows that have no known row nearby.
    private func add(_ added: [(position: Int, sortKey: SortKey)], spacing: Int) {
        var accepted = PositionedRows()
        var last = Int.min / 2
        for row in added {
            let known = nearest(settled.neighbours(of: row.position), recent.neighbours(of: row.position))
            let before = max(last, known.before ?? .min / 2)
            guard row.position - before > spacing, (known.after ?? .max) - row.position > spacing else {
                continue
            }
            accepted.append(row.sortKey, at: row.position)
            last = row.position
        }
        // Merging the recent rows into the settled ones copies all of them.
        guard count <= max(Self.usualCount, accepted.count * Self.copiedPerRow) else { return }
        recent.insert(accepted)
        guard recent.count >= Self.mostRecent else { return }
        settled.insert(recent)
        recent = PositionedRows()
    }
}
