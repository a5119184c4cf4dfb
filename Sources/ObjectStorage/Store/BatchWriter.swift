import GRDB

/// A writer of many rows in one transaction without objects, for imports.
///
/// Values are checked against their attributes' types, and triggers fire and tables are stamped as for a
/// context's save, so caches are invalidated. Contexts receive the changed entities, and merge them like the
/// saves of other contexts.
public final class BatchWriter {
    let database: Database
    let container: PersistentContainer
    private let reachedRows: ReachedRowsOfBatch?
    /// Records the rows of an import; nil for none.
    var importRecorder: ImportRecorder?

    init(database: Database, container: PersistentContainer) {
        self.database = database
        self.container = container
        reachedRows = ReachedRowsOfBatch(of: container.model)
    }

    /// Checks the rules of relationships after all rows are written.
    ///
    /// - Throws: ``ObjectStorageError`` with all violations.
    package func checkRules() throws { try reachedRows?.check(in: database) }

    /// Runs `body`, and rolls its writes back if it throws, or if the rules of relationships are broken.
    ///
    /// - Throws: The error of `body`, or ``ObjectStorageError`` with all violations.
    package func takingBackFailures(_ body: () throws -> Void) throws {
        try database.inSavepoint {
            if let reachedRows {
                try reachedRows.checking(in: database, body)
            } else {
                try body()
            }
            return .commit
        }
    }

    /// Returns a number that changes whenever another connection commits to the store.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func versionOfOthers() throws(ObjectStorageError) -> Int64 {
        try ObjectStorageError.translating("Reading the version of the store") {
            guard case .integer(let version)? = try database.rows("PRAGMA main.data_version").first?.first
            else { return 0 }
            return version
        }
    }

    /// Returns the table of an entity, with its statements compiled.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - expectedRows: The approximate number of rows that will be written in this transaction, if known.
    ///     The change log records up to a few thousand rows, so that results computed from the table can be
    ///     updated; knowing early that more rows follow makes writing faster.
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
