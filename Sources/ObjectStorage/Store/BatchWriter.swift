import GRDB

/// A writer of many rows in one transaction without objects, for imports.
///
/// Values are checked against their attributes' types, and triggers fire and tables are stamped as for a
/// context's save, so caches are invalidated. Contexts receive the changed entities, and merge them like the
/// saves of other contexts.
public final class BatchWriter {
    let database: Database
    private let container: PersistentContainer
    private let reachedRows: ReachedRowsOfBatch?

    init(database: Database, container: PersistentContainer) {
        self.database = database
        self.container = container
        reachedRows = ReachedRowsOfBatch(of: container.model)
    }

    /// Checks the rules of relationships after all rows are written.
    ///
    /// - Throws: ``ObjectStorageError`` with all faults.
    func checkRules() throws { try reachedRows?.check(in: database) }

    /// Returns the table of an entity, with its statements compiled.
    ///
    /// - Parameter expectedRows: The approximate number of rows that will be written in this transaction, if
    ///   known. The log records up to a few thousand rows, so that results computed from the table can be
    ///   updated; knowing early that more rows follow makes writing faster.
    /// - Throws: ``ObjectStorageError`` with the nearest name if no such entity exists, and if it is
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

/// The rows that the tables of one batch affect.
final class ReachedRowsOfBatch {
    private var rows: ReachedRows

    /// Nil if no relationship has bounds, so that nothing has to be recorded. A row without a required
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
    /// Runs `body` in one transaction, which is committed when it returns and rolled back when it throws.
    ///
    /// - Throws: The error of `body`, or an ``ObjectStorageError`` of the commit, for example for an object
    ///   that would lead to fewer or more objects than its relationship allows.
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
