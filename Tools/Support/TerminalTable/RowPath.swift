/// The place of a row: the position of its section, and its own position in that.
package struct RowPath: Hashable, Sendable {
    /// The position of the section.
    package var section: Int
    /// The position of the row in its section.
    package var row: Int

    /// Makes a path of two positions.
    package init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }
}

extension RowPath: Comparable {
    /// By section, and in one section by row.
    package static func < (first: RowPath, second: RowPath) -> Bool {
        (first.section, first.row) < (second.section, second.row)
    }
}

extension RowPath: CustomStringConvertible {
    /// `1-7` for row 7 of section 1.
    package var description: String { "\(section)-\(row)" }
}
