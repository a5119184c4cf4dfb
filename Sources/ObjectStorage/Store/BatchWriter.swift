import GRDB

/// Writes many rows in one transaction without making objects: for imports.
///
/// Values are checked against their attributes' types, and triggers and the final seal are the same as for a context's
/// save, so caches notice. Contexts that already have the objects see the new values after
/// ``ManagedObjectContext/refreshAllObjects()``.
public final class BatchWriter {
    let database: Database
    private let model: ManagedObjectModel

    init(database: Database, model: ManagedObjectModel) {
        self.database = database
        self.model = model
    }

    /// The table of an entity, with its statements compiled.
    ///
    /// - Throws: ``ObjectStorageError`` with the nearest name if there is no such entity.
    public func table(_ entityName: String) throws(ObjectStorageError) -> BatchTable {
        let entity = try model.requireEntity(named: entityName)
        return try ObjectStorageError.translating("Preparing to write “\(entityName)”") {
            try BatchTable(entity: entity, database: database)
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
            return try connections.writer().writeWithoutTransaction { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    do {
                        result = try body(BatchWriter(database: database, model: model))
                    } catch {
                        thrown = error
                        throw error
                    }
                    try StoreTracking.seal(in: database)
                    return .commit
                }
                guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return result
            }
        } catch {
            if let thrown { throw thrown }
            throw ObjectStorageError(error, while: "Writing to \(nameInMessages)")
        }
    }
}
