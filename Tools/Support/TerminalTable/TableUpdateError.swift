/// An error of a table view whose events do not lead from the shown list to the list of the data source.
package struct TableUpdateError: Error, Hashable, Sendable {
    /// A rule for events.
    package enum Rule: Hashable, Sendable, CaseIterable {
        /// The number of sections before, plus inserted, minus deleted sections, equals the number after.
        case numberOfSections
        /// The number of rows of a section before, plus inserted, minus deleted, plus and minus moved rows,
        /// equals the number after.
        case numberOfRows
        /// The section of an event exists.
        case sectionOutOfRange
        /// The row of an event exists.
        case rowOutOfRange
        /// No two events have the same position.
        case conflict
        /// Rows do not move out of a deleted section.
        case moveFromDeletedSection
        /// Rows do not move into an inserted section.
        case moveIntoInsertedSection
        /// The data source does not change before updates begin.
        case unannounced
    }

    /// The violated rule.
    package let rule: Rule
    /// A description with the section or the row and the counts.
    package let message: String

    init(_ rule: Rule, _ message: String) {
        self.rule = rule
        self.message = "Invalid update: \(message)."
    }
}

extension TableUpdateError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}

extension TableUpdateError {
    /// Creates the error for a data source whose counts changed before updates began.
    package init(unannouncedCounts counts: [Int], insteadOf known: [Int]) {
        let position = zip(counts, known).enumerated().first { $1.0 != $1.1 }?.offset
        let detail =
            position.map { "section \($0) has \(counts[$0]) rows and had \(known[$0])" }
            ?? "there are \(counts.count) sections and were \(known.count)"
        self.init(.unannounced, "the data changed before updates began: \(detail)")
    }

    static func numberOfSections(
        _ new: Int, from old: Int, inserted: Int, deleted: Int
    ) -> TableUpdateError {
        TableUpdateError(
            .numberOfSections,
            "invalid number of sections. The number of sections after the update (\(new)) must be equal to the number of sections before the update (\(old)), plus or minus the number of sections inserted or deleted (\(inserted) inserted, \(deleted) deleted)"
        )
    }

    /// The numbers of events in one section.
    struct RowCounts {
        var inserted = 0
        var deleted = 0
        var movedIn = 0
        var movedOut = 0
    }

    static func numberOfRows(
        inSection position: Int, titled title: String, _ new: Int, from old: Int, _ counts: RowCounts
    ) -> TableUpdateError {
        TableUpdateError(
            .numberOfRows,
            "invalid number of rows in section \(position) (“\(title)”). The number of rows in an existing section after the update (\(new)) must be equal to the number of rows in that section before the update (\(old)), plus or minus the number of rows inserted or deleted (\(counts.inserted) inserted, \(counts.deleted) deleted) and plus or minus the number of rows moved into or out of that section (\(counts.movedIn) moved in, \(counts.movedOut) moved out)"
        )
    }
}
