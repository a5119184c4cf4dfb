import InternalUtilities

/// Lists in ascending order: what a start looks up in them needs no tables, whose types would have to be made
/// first.
extension RandomAccessCollection where Element: Comparable {
    /// How many elements are below a bound.
    ///
    /// - Complexity: O(log *n*).
    func count(below bound: Element) -> Int {
        (0..<count).partitioningIndex { self[index(startIndex, offsetBy: $0)] >= bound }
    }
}

extension Array where Element: Comparable {
    /// The index of an element in an ascending list; nil if it is not there.
    ///
    /// - Complexity: O(log *n*).
    func index(ofAscending element: Element) -> Int? {
        let index = count(below: element)
        return index < count && self[index] == element ? index : nil
    }

    /// Whether two neighbours are the same.
    var hasRepeats: Bool { indices.dropFirst().contains { self[$0] == self[$0 - 1] } }
}
