import InternalUtilities

/// Searches in ascending lists. A start uses these instead of hash tables, whose generic types would first
/// have to be instantiated.
extension RandomAccessCollection where Element: Comparable {
    /// Returns the number of elements below a bound.
    ///
    /// - Complexity: O(log *n*).
    func count(below bound: Element) -> Int {
        (0..<count).partitioningIndex { self[index(startIndex, offsetBy: $0)] >= bound }
    }
}

extension Array where Element: Comparable {
    /// Returns the index of an element in an ascending list, or nil if the list does not contain it.
    ///
    /// - Complexity: O(log *n*).
    func index(ofAscending element: Element) -> Int? {
        let index = count(below: element)
        return index < count && self[index] == element ? index : nil
    }

    /// Whether two adjacent elements are equal.
    var hasRepeats: Bool { indices.dropFirst().contains { self[$0] == self[$0 - 1] } }
}
