import GRDB

/// Writes many rows in one transaction without making objects: for imports.
///
/// Values are checked against their attributes' types, and triggers and the final stamp are the same as for a
/// context's save, so caches notice. Contexts hear by entity of what changed, and merge it as they do the
/// saves of others.
public final class BatchWriter {
    let database: Database
    private let container: PersistentContainer
    private let reachedRows: ReachedRowsOfBatch?

    init(database: Database, container: PersistentContainer) {
        self.database = database
        self.container = container
        reachedRows = ReachedRowsOfBatch(of: container.model)
    }

    /// Looks at the rules of relationships when all is written.
    ///
    /// - Throws: ``ObjectStorageError`` with all faults.
    func checkRules() throws { try reachedRows?.check(in: database) }

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
            try BatchTable(
                entity: entity, of: container, expectedRows: expectedRows, reachedRows: reachedRows,
                in: database)
        }
    }
}

/// The rows that the tables of one batch reach.
final class ReachedRowsOfBatch {
    private var rows: ReachedRows

    /// Nil where no relationship has bounds, so that nothing need be noted. A row without a required
    /// relationship is refused when it is written.
    init?(of model: ManagedObjectModel) {
        rows = ReachedRows(of: model)
        guard rows.hasBounds else { return nil }
    }

    func noteRow(_ key: Int64, _ entity: EntityDescription, isThere: Bool, in database: Database) throws {
        try rows.noteRow(key, entity, isThere: isThere, in: database)
    }

    func check(in database: Database) throws { try rows.check(in: database, "Nothing was written.") }
}

extension PersistentContainer {
    /// Runs `body` in one transaction, which is committed when it returns and undone when it throws.
    ///
    /// - Throws: What `body` throws, or an ``ObjectStorageError`` of the commit: also for an object that would
    ///   lead to fewer or more others than its relationship allows.
    public func write<Result>(_ body: (BatchWriter) throws -> Result) throws -> Result {
        var thrown: (any Error)?
        do {
            let (result, tables) = try commit("Writing to \(nameInMessages)") { database in
                do {
                    let writer = BatchWriter(database: database, container: self)
                    let result = try body(writer)
                    try writer.checkRules()
                    return result
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
