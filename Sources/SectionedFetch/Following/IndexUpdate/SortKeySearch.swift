import ObjectStorage
import SectionCaching

/// Finds between which of the rows that remain others belong, which come in ascending order.
struct SortKeySearch {
    /// The index of the rows.
    private let index: SectionIndex
    private let remaining: RemainingRows
    private let reader: SortKeyReader
    /// The places that were read, by how many remaining rows are before them.
    private(set) var readPlaces: [(number: Int, place: SortKey)] = []
    /// Those of them that are not before the last row that was looked for, the nearest last. The next belongs
    /// behind it and so finds its bounds here: together they read no row twice.
    private var placesAhead: [(number: Int, place: SortKey)]
    /// Where the last one belongs.
    private var lastGap = 0

    /// - Parameters:
    ///   - reader: Reads the places of rows.
    ///   - known: Places of remaining rows, in ascending order.
    init(
        in index: SectionIndex, _ remaining: RemainingRows, _ reader: SortKeyReader,
        knowing known: [(number: Int, place: SortKey)]
    ) {
        self.index = index
        self.remaining = remaining
        self.reader = reader
        placesAhead = known.reversed()
    }

    /// Between which remaining rows something belongs: how many of them are before it.
    private struct Bounds {
        /// At least so many.
        var low: Int
        /// At most so many.
        var high: Int

        mutating func raise(to low: Int) { self.low = max(self.low, low) }

        mutating func lower(to high: Int) { self.high = min(self.high, high) }
    }

    /// How many remaining rows are before one.
    ///
    /// - Parameters:
    ///   - oldPosition: Its position in the index, if it was there.
    ///   - neighbours: The old positions of remaining rows before and behind it, as far as any are known.
    /// - Returns: Nil if a row cannot be read from the index any more.
    mutating func gap(
        of place: SortKey, oldPosition: Int?, between neighbours: (before: Int?, after: Int?)
    ) throws -> Int? {
        var bounds = bounds(of: place, between: neighbours)
        // A row that changed mostly has the place it had.
        if let oldPosition {
            let former = remaining.count(before: oldPosition)
            let mayBeAsBefore = bounds.low <= former && former <= bounds.high
            if mayBeAsBefore, former > bounds.low, try !compare(place, with: former - 1, &bounds) {
                return nil
            }
            if mayBeAsBefore, former == bounds.low, former < bounds.high,
                try !compare(place, with: former, &bounds)
            {
                return nil
            }
        }
        while bounds.low < bounds.high {
            guard try compare(place, with: (bounds.low + bounds.high) / 2, &bounds) else { return nil }
        }
        lastGap = bounds.low
        return lastGap
    }

    /// What is known before any row is read.
    private mutating func bounds(
        of place: SortKey, between neighbours: (before: Int?, after: Int?)
    ) -> Bounds {
        var bounds = Bounds(low: lastGap, high: remaining.count)
        if let before = neighbours.before { bounds.raise(to: remaining.count(before: before) + 1) }
        if let after = neighbours.after { bounds.lower(to: remaining.count(before: after)) }
        while let next = placesAhead.last, next.place.precedes(place) {
            bounds.raise(to: next.number + 1)
            placesAhead.removeLast()
        }
        if let next = placesAhead.last { bounds.lower(to: next.number) }
        return bounds
    }

    /// Narrows the bounds by the place of a remaining row between them.
    ///
    /// - Returns: Whether that could be read.
    private mutating func compare(
        _ place: SortKey, with number: Int, _ bounds: inout Bounds
    ) throws -> Bool {
        guard let key = index.rowID(at: remaining.oldPosition(of: number)),
            let other = try reader.place(ofKey: key)
        else { return false }
        readPlaces.append((number, other))
        if other.precedes(place) {
            bounds.raise(to: number + 1)
        } else {
            bounds.lower(to: number)
            placesAhead.append((number, other))
        }
        return true
    }
}
