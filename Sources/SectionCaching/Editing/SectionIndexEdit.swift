/// How an index changes: the rows and sections that go, those that come, and the sections that are called
/// something else.
///
/// A row that moves goes and comes. Positions of what goes are positions in the index before, positions of
/// what comes are positions in the index after; all are in ascending order. Whoever makes an edit sees to it
/// that it fits the index: an edit that does not is a programmer's error.
package struct SectionIndexEdit: Sendable {
    /// A row that comes.
    package struct Row: Hashable, Sendable {
        /// The row's ID.
        package let id: Int64
        /// Its position among all rows of the index after the edit.
        package let position: Int
        /// The position of its section in the index after the edit.
        package let section: Int

        /// Makes a row.
        package init(id: Int64, position: Int, section: Int) {
            self.id = id
            self.position = position
            self.section = section
        }
    }

    /// A section that comes, or that is called something else.
    package struct Section: Hashable, Sendable {
        /// Its position in the index after the edit.
        package let position: Int
        /// What tells it apart.
        package let identity: [UInt8]
        /// What it is called.
        package let name: String
        /// Its title in an index bar.
        package let indexTitle: String

        /// Makes a section.
        package init(position: Int, identity: [UInt8], name: String, indexTitle: String) {
            self.position = position
            self.identity = identity
            self.name = name
            self.indexTitle = indexTitle
        }
    }

    /// The positions of the rows that go.
    package var removedRows: [Int] = []
    /// The rows that come.
    package var insertedRows: [Row] = []
    /// The positions of the sections that go; all their rows go, too, and are among ``removedRows``.
    package var removedSections: [Int] = []
    /// The sections that come.
    package var insertedSections: [Section] = []
    /// The sections that stay and are called something else.
    package var renamedSections: [Section] = []

    /// An edit that changes nothing.
    package init() {}

    /// Whether it changes nothing.
    package var isEmpty: Bool {
        removedRows.isEmpty && insertedRows.isEmpty && removedSections.isEmpty && insertedSections.isEmpty
            && renamedSections.isEmpty
    }
}
