/// Why a table view refuses what it was told: the events do not lead from the list that it shows to the list
/// that there is.
package struct TableUpdateError: Error, Hashable, Sendable {
    /// Which rule was broken.
    package enum Rule: Hashable, Sendable, CaseIterable {
        /// The sections before, and those inserted and deleted, are not the sections after.
        case numberOfSections
        /// The rows of a section before, and those inserted, deleted and moved, are not its rows after.
        case numberOfRows
        /// An event is about a section that is not there.
        case sectionOutOfRange
        /// An event is about a row that is not there.
        case rowOutOfRange
        /// Two events are about one place.
        case conflict
        /// A row moves out of a section that is deleted.
        case moveFromDeletedSection
        /// A row moves into a section that is inserted.
        case moveIntoInsertedSection
        /// The data source changed before it said that it would.
        case unannounced
    }

    /// Which rule was broken.
    package let rule: Rule
    /// Which section or row, and the counts.
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
    /// The data source has other counts than the table, and no updates began.
    package init(unannouncedCounts counts: [Int], insteadOf known: [Int]) {
        let position = zip(counts, known).enumerated().first { $1.0 != $1.1 }?.offset
        let detail =
            position.map { "section \($0) has \(counts[$0]) rows and had \(known[$0])" }
            ?? "there are \(counts.count) sections and were \(known.count)"
        self.init(.unannounced, "the data changed before they were said to: \(detail)")
    }

    static func numberOfSections(
        _ new: Int, from old: Int, inserted: Int, deleted: Int
    ) -> TableUpdateError {
        TableUpdateError(
            .numberOfSections,
            "invalid number of sections. The number of sections after the update (\(new)) must be equal to the number of sections before the update (\(old)), plus or minus the number of sections inserted or deleted (\(inserted) inserted, \(deleted) deleted)"
        )
    }

    /// How the rows of one section were told to change.
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
