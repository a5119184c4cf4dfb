import ObjectStorage
import SectionCaching

/// Finds the gaps between remaining rows in which other rows belong. The other rows come in ascending order.
struct SortKeySearch {
    /// The index of the rows.
    private let index: SectionIndex
    private let remaining: RemainingRows
    private let reader: SortKeyReader
    /// The sort keys that were read, by the number of remaining rows before them.
    private(set) var readSortKeys: [(number: Int, sortKey: SortKey)] = []
    /// The known sort keys that are not before the row that was searched last, the nearest one at the end.
    /// The next row belongs after that row and finds its bounds here, so that the searches read no row twice.
    private var sortKeysAhead: [(number: Int, sortKey: SortKey)]
    /// The gap of the row that was searched last.
    private var lastGap = 0

    /// - Parameters:
    ///   - reader: Reads the sort keys of rows.
    ///   - known: Sort keys of remaining rows, in ascending order.
    init(
        in index: SectionIndex, _ remaining: RemainingRows, _ reader: SortKeyReader,
        knowing known: [(number: Int, sortKey: SortKey)]
    ) {
        self.index = index
        self.remaining = remaining
        self.reader = reader
        sortKeysAhead = known.reversed()
    }

    /// The bounds of a gap, as numbers of remaining rows before it.
    private struct Bounds {
        /// The lowest possible number.
        var low: Int
        /// The highest possible number.
        var high: Int

        mutating func raise(to low: Int) { self.low = max(self.low, low) }

        mutating func lower(to high: Int) { self.high = min(self.high, high) }
    }

    /// Returns the number of remaining rows before a row.
    ///
    /// - Parameters:
    ///   - oldPosition: The row's position in the index, if it was in it.
    ///   - neighbours: The old positions of remaining rows before and after it, if any are known.
    /// - Returns: The number; nil if a row can no longer be read from the index.
    mutating func gap(
        of sortKey: SortKey, oldPosition: Int?, between neighbours: (before: Int?, after: Int?)
    ) throws -> Int? {
        var bounds = bounds(of: sortKey, between: neighbours)
        // A changed row has usually kept its position.
        if let oldPosition {
            let previous = remaining.count(before: oldPosition)
            let mayBeAsBefore = bounds.low <= previous && previous <= bounds.high
            if mayBeAsBefore, previous > bounds.low, try !compare(sortKey, with: previous - 1, &bounds) {
                return nil
            }
            if mayBeAsBefore, previous == bounds.low, previous < bounds.high,
                try !compare(sortKey, with: previous, &bounds)
            {
                return nil
            }
        }
        while bounds.low < bounds.high {
            guard try compare(sortKey, with: (bounds.low + bounds.high) / 2, &bounds) else { return nil }
        }
        lastGap = bounds.low
        return lastGap
    }

    /// Returns the bounds that are known before any row is read.
    private mutating func bounds(
        of sortKey: SortKey, between neighbours: (before: Int?, after: Int?)
    ) -> Bounds {
        var bounds = Bounds(low: lastGap, high: remaining.count)
        if let before = neighbours.before { bounds.raise(to: remaining.count(before: before) + 1) }
        if let after = neighbours.after { bounds.lower(to: remaining.count(before: after)) }
        while let next = sortKeysAhead.last, next.sortKey.precedes(sortKey) {
            bounds.raise(to: next.number + 1)
            sortKeysAhead.removeLast()
        }
        if let next = sortKeysAhead.last { bounds.lower(to: next.number) }
        return bounds
    }

    /// Narrows the bounds by the sort key of a remaining row between them.
    ///
    /// - Returns: Whether the row could be read.
    private mutating func compare(
        _ sortKey: SortKey, with number: Int, _ bounds: inout Bounds
    ) throws -> Bool {
        guard let key = index.rowID(at: remaining.oldPosition(of: number)),
            let other = try reader.sortKey(ofKey: key)
        else { return false }
        readSortKeys.append((number, other))
        if other.precedes(sortKey) {
            bounds.raise(to: number + 1)
        } else {
            bounds.lower(to: number)
            sortKeysAhead.append((number, other))
        }
        return true
    }
}
