/// A layout of rows of cells in columns, by their widths on a terminal.
///
/// Widths only grow, so that a table can be printed in parts while its rows are read.
package struct TextTable {
    /// The alignment of the cells in a column.
    package enum Alignment: Sendable {
        /// Left-aligned, for text.
        case left
        /// Right-aligned, for numbers.
        case right
    }

    private let alignments: [Alignment]
    private let maximumCellWidth: Int
    private var widths: [Int]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - alignments: The alignment of each column.
    ///   - maximumCellWidth: The width beyond which a cell is shortened, in columns of the terminal.
    package init(alignments: [Alignment], maximumCellWidth: Int = .max) {
        self.alignments = alignments
        self.maximumCellWidth = maximumCellWidth
        widths = Array(repeating: 0, count: alignments.count)
    }

    /// Lays out rows with two spaces between columns, and keeps the widths for later rows.
    ///
    /// - Parameters:
    ///   - rows: The cells of each row, one for each column. Their text need not be escaped.
    ///   - maximumWidth: The largest width of a line, in columns of the terminal. Longer lines are shortened.
    /// - Returns: A line for each row, without trailing spaces.
    package mutating func lines(_ rows: [[String]], maximumWidth: Int = .max) -> [String] {
        lines(rows, columns: widths.indices, maximumWidth: maximumWidth)
    }

    /// Lays out some columns of rows, as ``lines(_:maximumWidth:)`` lays out all.
    ///
    /// - Parameter columns: The columns that the lines show.
    package mutating func lines(
        _ rows: [[String]], columns: Range<Int>, maximumWidth: Int
    ) -> [String] {
        let rows = measured(rows)
        let widths = Self.widths(Array(widths[columns]), within: maximumWidth)
        return rows.map { row in
            var line = ""
            for (column, cell) in row[columns].enumerated() {
                if column > 0 { line += "  " }
                let isLeft = alignments[columns.lowerBound + column] == .left
                let cell = TerminalText.shortened(cell, to: widths[column])
                line += TerminalText.padded(cell, to: widths[column], atEnd: isLeft)
            }
            let end = line.lastIndex { $0 != " " }
            return TerminalText.shortened(end.map { String(line[...$0]) } ?? "", to: maximumWidth)
        }
    }

    /// Returns the columns from one on that fit a line, at least one.
    ///
    /// - Parameter minimumWidth: The width to which a column may be narrowed, in columns of the terminal.
    package func columns(from first: Int, maximumWidth: Int, minimumWidth: Int) -> Range<Int> {
        var (end, used) = (first, 0)
        while end < widths.count {
            used += min(widths[end], minimumWidth) + (end > first ? 2 : 0)
            guard used <= maximumWidth || end == first else { break }
            end += 1
        }
        return first..<end
    }

    /// Keeps the widths of rows that will be printed, so that earlier lines are aligned with them.
    package mutating func measure(_ rows: [[String]]) { _ = measured(rows) }

    /// Returns the cells as they are printed, and keeps their widths.
    private mutating func measured(_ rows: [[String]]) -> [[String]] {
        let rows = rows.map { row in
            row.map { TerminalText.shortened(TerminalText.escaped($0), to: maximumCellWidth) }
        }
        for row in rows {
            precondition(
                row.count == widths.count, "A row has \(row.count) cells, the table \(widths.count).")
            for (column, cell) in row.enumerated() {
                widths[column] = max(widths[column], TerminalText.width(of: cell))
            }
        }
        return rows
    }

    /// Returns the widths of the columns in a line of limited width. Only the widest columns are narrowed,
    /// all to one width, and at least to one column of the terminal.
    private static func widths(_ widths: [Int], within maximumWidth: Int) -> [Int] {
        let gaps = 2 * max(0, widths.count - 1)
        guard widths.reduce(gaps, +) > maximumWidth else { return widths }
        let available = maximumWidth - gaps
        var rest = max(available, widths.count)
        var limit = rest
        for (position, width) in widths.sorted().enumerated() {
            limit = max(1, rest / (widths.count - position))
            if width > limit { break }
            rest -= width
        }
        // The columns that the division leaves over go to the first of the narrowed columns.
        var extra = rest - limit * widths.count { $0 > limit }
        return widths.map { width in
            guard width > limit else { return width }
            extra -= 1
            return extra >= 0 ? limit + 1 : limit
        }
    }
}
