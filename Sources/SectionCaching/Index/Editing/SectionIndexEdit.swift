/// A change of an index: removed and inserted rows and sections, and renamed sections.
///
/// A row that moves is removed and inserted. Positions of removed rows and sections are positions in the
/// index before the edit, positions of inserted ones are positions in the index after it; all are in
/// ascending order. Applying an edit to an index that it does not fit is a programmer error.
package struct SectionIndexEdit: Sendable {
    /// An inserted row.
    package struct Row: Hashable, Sendable {
        /// The row's ID.
        package let id: Int64
        /// Its position among all rows of the index after the edit.
        package let position: Int
        /// The position of its section in the index after the edit.
        package let section: Int

        /// Creates a row.
        package init(id: Int64, position: Int, section: Int) {
            self.id = id
            self.position = position
            self.section = section
        }
    }

    /// An inserted or renamed section.
    package struct Section: Hashable, Sendable {
        /// Its position in the index after the edit.
        package let position: Int
        /// The identity of the section.
        package let identity: [UInt8]
        /// The name of the section.
        package let name: String
        /// Its title in an index bar.
        package let indexTitle: String

        /// Creates a section.
        package init(position: Int, identity: [UInt8], name: String, indexTitle: String) {
            self.position = position
            self.identity = identity
            self.name = name
            self.indexTitle = indexTitle
        }
    }

    /// The positions of the removed rows.
    package var removedRows: [Int] = []
    /// The inserted rows.
    package var insertedRows: [Row] = []
    /// The positions of the removed sections. All their rows are removed as well, and are among
    /// ``removedRows``.
    package var removedSections: [Int] = []
    /// The inserted sections.
    package var insertedSections: [Section] = []
    /// The remaining sections that have another name.
    package var renamedSections: [Section] = []

    /// Creates an edit that changes nothing.
    package init() {}

    /// Whether the edit changes nothing.
    package var isEmpty: Bool {
        removedRows.isEmpty && insertedRows.isEmpty && removedSections.isEmpty && insertedSections.isEmpty
            && renamedSections.isEmpty
    }
}
