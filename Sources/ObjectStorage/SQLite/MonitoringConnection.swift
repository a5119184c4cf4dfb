import GRDB
import GRDBSQLite

/// The connection through which a store is monitored. The monitor does not keep it open.
///
/// A container's own store is monitored through its read-only connection. For an application's writer no
/// second connection is opened: with a rollback journal a commit needs exclusive access to the file, and
/// fails if another connection reads at that moment. The writer itself is used instead, between the
/// application's own uses.
final class MonitoringConnection: Sendable {
    private weak let reader: ReadConnection?
    private weak let writer: (any DatabaseWriter)?
    /// Whether commits on the connection itself are detected as well.
    private let isWriter: Bool

    /// Uses a read-only connection.
    init(_ reader: ReadConnection) {
        self.reader = reader
        writer = nil
        isWriter = false
    }

    /// Uses an application's writer.
    init(_ writer: any DatabaseWriter) {
        reader = nil
        self.writer = writer
        isWriter = true
    }

    /// Runs a closure in a read transaction that does not wait for another program's lock.
    ///
    /// - Returns: Nil if the connection was released or closed: it cannot be used for reading any more.
    /// - Throws: `DatabaseError`, with `SQLITE_BUSY` if another program has the lock, or if the application
    ///   left a transaction open.
    func look<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result? {
        guard isWriter else { return try reader?.readAtOnce(body) }
        return try writer?.unsafeReentrantWrite { database in
            guard database.sqliteConnection != nil else { return nil }
            // The closure would read changes that may be rolled back.
            guard !database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
            return try database.waiting(atMost: 0) {
                // GRDB reports its own read-only transactions to the application's observers.
                try database.run("BEGIN")
                let outcome = Swift.Result { try body(database) }
                if database.isInsideTransaction { try database.run("COMMIT") }
                return try outcome.get()
            }
        }
    }

    /// Returns the commit version of the monitoring connection at the beginning of a write transaction.
    ///
    /// - Parameter database: The connection of the transaction.
    /// - Returns: Nil if the monitoring connection was released.
    func markBesideWrite(in database: any StatementSource) throws -> CommitVersion? {
        isWriter ? try mark(in: database) : try reader?.readAtOnce(mark)
    }

    /// Returns the commit version of the monitoring connection.
    ///
    /// - Parameter database: The monitoring connection.
    func mark(in database: any StatementSource) throws -> CommitVersion {
        try CommitVersion(isWriter: isWriter, changeCount: reader?.changeCount ?? 0, in: database)
    }
}

/// A value of a connection that is different after each commit. Only values of the same connection are
/// comparable.
struct CommitVersion: Equatable {
    /// `PRAGMA data_version`, which is different after each commit of another connection.
    private let dataVersion: StoredValue
    /// On a writing connection: the number of rows that it changed, including rolled-back transactions, and
    /// the schema version.
    private let ownChanges: [StoredValue]
    /// The number of times that a replicator changed the file, which may leave `data_version` unchanged.
    let changeCount: Int

    /// Reads the value.
    ///
    /// - Parameters:
    ///   - isWriter: Whether to include the connection's own commits.
    ///   - changeCount: The number of times that the connection discarded its pages.
    init(isWriter: Bool, changeCount: Int, in database: any StatementSource) throws {
        self.changeCount = changeCount
        dataVersion = try database.dataVersionValue()
        ownChanges =
            isWriter
            ? [
                .integer(Int64(sqlite3_total_changes(database.connection))),
                try database.schemaVersionValue(),
            ] : []
    }
}

extension Database {
    /// Runs a closure that waits at most a number of milliseconds for another program's lock.
    ///
    /// A connection for which the application installed its own busy handler is left unchanged.
    func waiting<Result>(atMost milliseconds: Int32, _ body: () throws -> Result) throws -> Result {
        guard case .integer(let usual) = try rows("PRAGMA busy_timeout").first?.first, usual > milliseconds
        else { return try body() }
        sqlite3_busy_timeout(sqliteConnection, milliseconds)
        defer { sqlite3_busy_timeout(sqliteConnection, Int32(truncatingIfNeeded: usual)) }
        return try body()
    }
}
