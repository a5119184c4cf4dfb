extension Range<Int> {
    /// The first number for which a condition holds; the end of the range if it holds for none. It must hold
    /// for all numbers after one for which it does.
    ///
    /// - Complexity: O(log *n*) calls.
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
