import GRDB

/// Writes many rows in one transaction without making objects: for imports.
///
/// Values are checked against their attributes' types, and triggers and the final seal are the same as for a
/// context's save, so caches notice. Contexts hear by entity of what changed, and merge it as they do the
/// saves of others.
public final class BatchWriter {
    let database: Database
    private let container: PersistentContainer

    init(database: Database, container: PersistentContainer) {
        self.database = database
        self.container = container
    }

    /// The table of an entity, with its statements compiled.
    ///
    /// - Parameter expectedRows: About how many rows will be written in this transaction, if that is known.
    ///   Of a few thousand rows the store remembers which, so that what was computed from the table can be
    ///   brought up to date; to know early that there will be more makes writing faster.
    /// - Throws: ``ObjectStorageError`` with the nearest name if there is no such entity, and if it is
    ///   abstract.
    public func table(
        _ entityName: String, expectedRows: Int = 0
    ) throws(ObjectStorageError) -> BatchTable {
        let entity = try container.model.requireEntity(named: entityName)
        return try ObjectStorageError.translating("Preparing to write “\(entityName)”") {
            try BatchTable(entity: entity, of: container, expectedRows: expectedRows, in: database)
        }
    }
}

extension PersistentContainer {
    /// Runs `body` in one transaction, which is committed when it returns and undone when it throws.
    ///
    /// - Throws: What `body` throws, or an ``ObjectStorageError`` of the commit.
    public func write<Result>(_ body: (BatchWriter) throws -> Result) throws -> Result {
        var thrown: (any Error)?
        do {
            let (result, tables) = try commit("Writing to \(nameInMessages)") { database in
                do {
                    return try body(BatchWriter(database: database, container: self))
                } catch {
                    thrown = error
                    throw error
                }
            }
            var changes = StoreChanges(changedEntityNames: namesOfEntitiesThatMayHaveChanged(in: tables))
            changes.tables = tables
            mailboxes.deliver(changes)
            return result
        } catch {
            throw thrown ?? error
        }
    }
}
