import SectionedFetch
import ToolSupport

/// A new store that is being filled in batches, with the record of the rows that it has.
///
/// Each transaction contains the record after its rows, so an interrupted command continues there.
final class UnfinishedStore {
    let container: PersistentContainer
    /// The present record.
    private(set) var record: MoveRecord

    /// The largest number of bytes in a batch, unless one row has more.
    static let maximumByteCount = 16 << 20

    /// Creates the description of a store that has a record.
    init(_ container: PersistentContainer, _ record: MoveRecord) {
        self.container = container
        self.record = record
    }

    /// Lets rows refer to rows that are written later.
    func begin() throws { try container.runMaintenance("PRAGMA foreign_keys = OFF") }

    /// Writes rows, and the record after them, in one transaction.
    func write(
        _ change: (inout MoveRecord) -> Void, rows: (BatchWriter) throws -> Void = { _ in }
    ) throws {
        var next = record
        change(&next)
        try container.write { writer in
            // The record comes first: rows of another process would break the uniqueness of keys.
            try writer.setMoveRecord(next, insteadOf: record)
            try rows(writer)
        }
        record = next
    }

    /// Creates the indexes, and clears references to objects that do not exist.
    ///
    /// - Returns: The cleared references.
    func complete() throws -> ClearedReferences {
        var cleared = ClearedReferences()
        try write { _ in
        } rows: { writer in
            try writer.completeIndexes()
            for entity in container.model.entities {
                for relationship in entity.ownRelationships where !relationship.isToMany {
                    let references = try writer.clearDanglingReferences(
                        of: relationship, in: entity,
                        maximumExampleCount: ClearedReferences.maximumExampleCount - cleared.examples.count)
                    cleared.add(references, of: relationship, in: entity)
                }
            }
        }
        try container.runMaintenance("PRAGMA foreign_keys = ON")
        return cleared
    }

    /// Removes the record from the store, which is complete.
    func finish() throws {
        try container.write { writer in try writer.setMoveRecord(nil, insteadOf: record) }
    }
}
