/// Rows of cells laid out in columns by the width that a terminal gives them.
///
/// Widths only grow, so that a table can be printed part by part while its rows are read.
package struct TextTable {
    /// At which side of its column a cell stands.
    package enum Alignment: Sendable {
        /// For text.
        case left
        /// For numbers.
        case right
    }

    private let alignments: [Alignment]
    private let maximumCellWidth: Int
    private var widths: [Int]

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - alignments: One for each column.
    ///   - maximumCellWidth: The columns of the terminal beyond which a cell is shortened.
    package init(alignments: [Alignment], maximumCellWidth: Int = .max) {
        self.alignments = alignments
        self.maximumCellWidth = maximumCellWidth
        widths = Array(repeating: 0, count: alignments.count)
    }

    /// Lays out some rows, two columns apart, and remembers how wide they were.
    ///
    /// - Parameters:
    ///   - rows: The cells, one for each column, of text that may hold anything.
    ///   - maximumWidth: The columns that a line may have. What is too long is cut off.
    /// - Returns: A line for each row, without blanks at its end.
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
