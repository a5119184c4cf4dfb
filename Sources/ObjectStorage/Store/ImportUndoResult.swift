/// The result of undoing an import, or of the attempt.
package struct ImportUndoResult: Sendable {
    /// The treatment of rows that were changed after the import wrote them.
    package enum ChangedRows: Sendable {
        /// Nothing is undone.
        case refuse
        /// The rows are undone as well, and their later values are lost.
        case undo
        /// The rows stay as they are.
        case keep
    }

    /// A row that was changed after the import wrote it.
    package struct ChangedRow: Sendable {
        /// The kind of a change.
        package enum Change: Hashable, Sendable {
            /// The row has other values than the import wrote.
            case values
            /// The row, which existed before the import, was deleted.
            case deleted
            /// Another object refers to the row, which the import inserted.
            case used(by: String)
            /// The row cannot get an earlier value, because the related object does not exist anymore.
            case missing(relationship: String)
            /// The row cannot get its earlier values, because another row has a value that must be unique.
            case duplicate(String)
        }

        /// The entity of the row.
        package let entity: EntityDescription
        /// The primary key.
        package let key: Int64
        /// The change.
        package let change: Change
        /// The present values, with the earlier ones where the import changed them; empty for a deleted row.
        package let fields: [(name: String, present: StoredValue, earlier: StoredValue?)]
    }

    /// The number of rows that were deleted, because the import had inserted them.
    package var deleted = 0
    /// The number of rows that got their earlier values.
    package var restored = 0
    /// The number of related objects that were deleted.
    package var deletedRelated = 0
    /// The number of related objects that stay, because others use them.
    package var usedRelated = 0
    /// The number of rows that the import inserted and that did not exist anymore.
    package var absent = 0
    /// The number of rows that were changed after the import.
    package var changed = 0
    /// The number of rows that stay as they are, because they belong to a changed row that is kept, or such a
    /// row belongs to them. The elements of an array belong to the row that has the array.
    package var keptTogether = 0
    /// The first changed rows.
    package var examples: [ChangedRow] = []
    /// The import.
    package var record: ImportRecord
    /// Whether the import was undone; false for a dry run, and if changed rows were found and refused.
    package var isUndone = false
    /// The rows that stay if changed rows are kept.
    var keptRows = KeptRows()

    /// The greatest number of ``examples``.
    package static var maximumExamples: Int { 10 }

    init(_ record: ImportRecord) { self.record = record }
}
