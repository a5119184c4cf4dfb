import GRDB
import GRDBSQLite

/// A copy of a store's current state in a temporary file, which SQLite deletes when it is closed.
final class StoreCopy: Sendable {
    private let queue: DatabaseQueue
    private let owner: OwnedWriter

    /// Copies the state that a transaction on a connection reads.
    ///
    /// - Parameter options: The limits for statements, and whether the store's schema is trusted.
    /// - Throws: `DatabaseError`, for example if the disk is full.
    /// - Complexity: O(*n*) in the pages of the store.
    init(of source: any StatementSource, options: StoreOptions) throws {
        var copyOptions = StoreOptions()
        copyOptions.limits = options.limits
        copyOptions.isUntrusted = options.isUntrusted
        // An empty path makes SQLite use a temporary file without a name.
        let queue = try DatabaseQueue(
            path: "", configuration: copyOptions.configuration(isOwnStore: true))
        owner = OwnedWriter(queue)
        self.queue = queue
        let version = try source.schemaVersionValue()
        try queue.writeWithoutTransaction { database in
            guard
                let backup = sqlite3_backup_init(
                    database.sqliteConnection, "main", source.connection, "main")
            else { throw DatabaseError(of: database.sqliteConnection, sql: "") }
            let status = sqlite3_backup_step(backup, -1)
            guard sqlite3_backup_finish(backup) == SQLITE_OK, status == SQLITE_DONE else {
                throw DatabaseError(resultCode: ResultCode(rawValue: status))
            }
            // A copy has another schema version, under which no stamp would be valid.
            if case .integer(let number) = version, !options.isUntrusted {
                try database.runScript("PRAGMA main.schema_version = \(number)")
            }
        }
    }

    /// Runs a closure on the connection to the copy.
    func use<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.unsafeReentrantWrite(body)
    }
}
