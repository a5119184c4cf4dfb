extension Range<Int> {
    /// Returns the first number for which a condition holds, or the end of the range if it holds for none.
    ///
    /// - Parameter condition: A condition that holds for all numbers after one for which it holds.
    /// - Complexity: O(log *n*) calls of `condition`.
    @inlinable
    package func partitioningIndex(where condition: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
