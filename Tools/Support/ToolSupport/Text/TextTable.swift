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
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                if column > 0 { line += "  " }
                line += TerminalText.padded(cell, to: widths[column], atEnd: alignments[column] == .left)
            }
            let end = line.lastIndex { $0 != " " }
            return TerminalText.shortened(end.map { String(line[...$0]) } ?? "", to: maximumWidth)
        }
    }
}
