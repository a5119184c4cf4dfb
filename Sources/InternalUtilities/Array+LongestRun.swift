extension Array where Element: Comparable {
    /// The places of a longest run of ascending elements, which need not be neighbours.
    ///
    /// - Parameter places: Those of the elements that count, in ascending order.
    /// - Complexity: O(*n* log *n*) for *n* places.
    @inlinable
    package func longestAscendingRun(among places: some Sequence<Int>) -> [Int] {
        // For each length the place where a run of that length ends lowest, and for each place the one before it
        // in its run.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: count)
        for place in places {
            let length = ends.indices.partitioningIndex { self[ends[$0]] >= self[place] }
            if length > 0 { previous[place] = ends[length - 1] }
            if length == ends.count { ends.append(place) } else { ends[length] = place }
        }
        var run: [Int] = []
        run.reserveCapacity(ends.count)
        var place = ends.last ?? -1
        while place >= 0 {
            run.append(place)
            place = previous[place]
        }
        return run.reversed()
    }
}
