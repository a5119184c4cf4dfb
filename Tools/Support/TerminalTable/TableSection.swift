/// The state of a section in a table view: the text of its header and its number of rows.
package struct TableSection: Hashable, Sendable {
    /// The section above a subsection of nested sections. The subsections of one section are adjacent.
    package struct Group: Hashable, Sendable {
        /// The identity of the section, as the controller reports it.
        package var identity: [UInt8]
        /// The text of the section's header.
        package var title: String

        /// Creates a group.
        package init(identity: [UInt8], title: String) {
            self.identity = identity
            self.title = title
        }
    }

    /// The text of the header.
    package var title: String
    /// The number of rows.
    package var numberOfRows: Int
    /// The section that contains this one as a subsection; nil for sections of one level.
    package var group: Group?

    /// Creates a section, or a subsection of a group.
    package init(title: String, numberOfRows: Int, group: Group? = nil) {
        self.title = title
        self.numberOfRows = numberOfRows
        self.group = group
    }
}
