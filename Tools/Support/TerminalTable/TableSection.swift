/// The state of a section in a table view: the text of its header and its number of rows.
package struct TableSection: Hashable, Sendable {
    /// The text of the header.
    package var title: String
    /// The number of rows.
    package var numberOfRows: Int

    /// Creates a section.
    package init(title: String, numberOfRows: Int) {
        self.title = title
        self.numberOfRows = numberOfRows
    }
}
