/// The rows of all sections counted through, to go from a number to a path and back.
package struct RowStarts: Hashable, Sendable {
    /// The number of the first row of each section, and at the end the number of all rows.
    private let starts: [Int]

    /// Counts the rows of sections.
    ///
    /// - Complexity: O(*s*) in the number of sections.
    package init(counts: some Sequence<Int>) {
        var starts = [0]
        for count in counts { starts.append(starts[starts.count - 1] + count) }
        self.starts = starts
    }

    /// How many rows there are.
    package var count: Int { starts[starts.count - 1] }

    /// The path of a row.
    ///
    /// - Complexity: O(log *s*) in the number of sections.
    package func path(of number: Int) -> RowPath {
        precondition((0..<count).contains(number), "Row \(number) is none of the \(count) rows.")
        var (low, high) = (0, starts.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= number { low = middle } else { high = middle }
        }
        // Of empty sections that begin at the same number, the last has the row; the search ends there.
        return RowPath(section: low, row: number - starts[low])
    }

    /// The number of the row at a path, or of where it would be.
    package func number(of path: RowPath) -> Int {
        guard path.section < starts.count - 1 else { return count }
        return min(starts[path.section] + path.row, starts[path.section + 1])
    }
}
