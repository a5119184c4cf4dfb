/// The path of a row: the position of its section, and the position of the row in the section.
package struct RowPath: Hashable, Sendable {
    /// The position of the section.
    package var section: Int
    /// The position of the row in its section.
    package var row: Int

    /// Creates a path from two positions.
    package init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }
}

extension RowPath: Comparable {
    /// Compares two paths by section, and within a section by row.
    package static func < (first: RowPath, second: RowPath) -> Bool {
        (first.section, first.row) < (second.section, second.row)
    }
}

extension RowPath: CustomStringConvertible {
    /// The two positions: `1-7` for row 7 of section 1.
    package var description: String { "\(section)-\(row)" }
}
