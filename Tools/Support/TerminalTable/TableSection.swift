/// What a table view keeps of a section: what stands in its header, and how many rows it has.
package struct TableSection: Hashable, Sendable {
    /// The text of the header.
    package var title: String
    /// How many rows the section has.
    package var numberOfRows: Int

    /// Makes a section.
    package init(title: String, numberOfRows: Int) {
        self.title = title
        self.numberOfRows = numberOfRows
    }
}
