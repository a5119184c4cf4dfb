extension Array where Element: Comparable {
    /// Returns the indices of a longest ascending subsequence, whose elements need not be adjacent.
    ///
    /// - Parameter indices: The indices of the elements to consider, in ascending order.
    /// - Complexity: O(*n* log *n*) for *n* indices.
    @inlinable
    package func longestAscendingRun(among indices: some Sequence<Int>) -> [Int] {
        // `ends`: for each length, the index of the smallest element that ends a run of that length.
        // `previous`: for each index, the index before it in its run.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: count)
        for index in indices {
            let length = ends.indices.partitioningIndex { self[ends[$0]] >= self[index] }
            if length > 0 { previous[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var run: [Int] = []
        run.reserveCapacity(ends.count)
        var index = ends.last ?? -1
        while index >= 0 {
            run.append(index)
            index = previous[index]
        }
        return run.reversed()
    }
}
