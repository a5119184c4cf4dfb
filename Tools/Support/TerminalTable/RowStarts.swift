/// A numbering of the rows of all sections, for conversion between numbers and paths.
package struct RowStarts: Hashable, Sendable {
    /// The number of the first row of each section, followed by the number of all rows.
    private let starts: [Int]

    /// Creates the numbering from the sections' numbers of rows.
    ///
    /// - Complexity: O(*s*) in the number of sections.
    package init(counts: some Sequence<Int>) {
        var starts = [0]
        for count in counts { starts.append(starts[starts.count - 1] + count) }
        self.starts = starts
    }

    /// The number of rows.
    package var count: Int { starts[starts.count - 1] }

    /// Returns the path of a row.
    ///
    /// - Complexity: O(log *s*) in the number of sections.
    package func path(of number: Int) -> RowPath {
        precondition((0..<count).contains(number), "Row \(number) is not in 0..<\(count).")
        var (low, high) = (0, starts.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= number { low = middle } else { high = middle }
        }
        // Of several sections that begin at the same number, all but the last are empty; the search ends at
        // the last.
        return RowPath(section: low, row: number - starts[low])
    }

    /// Returns the number of the row at a path, or the number that a row there would have.
    package func number(of path: RowPath) -> Int {
        guard path.section < starts.count - 1 else { return count }
        return min(starts[path.section] + path.row, starts[path.section + 1])
    }
}
