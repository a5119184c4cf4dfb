import GRDB
import GRDBSQLite

/// The connection that a store is looked at through while it is watched. The monitor does not keep it open.
///
/// A container's own store is looked at through the connection that only reads. Beside an application's
/// writer there is no second connection: with a rollback journal a commit needs the file for itself, and a
/// connection that reads at that moment makes it fail. The writer itself is used instead, between the
/// application's own uses of it.
final class MonitoringConnection: Sendable {
    private weak let reader: ReadConnection?
    private weak let writer: (any DatabaseWriter)?
    /// Whether commits on the connection itself are noticed as well.
    private let isWriter: Bool

    /// Looks through a connection that only reads.
    init(_ reader: ReadConnection) {
        self.reader = reader
        writer = nil
        isWriter = false
    }

    /// Looks through an application's writer.
    init(_ writer: any DatabaseWriter) {
        reader = nil
        self.writer = writer
        isWriter = true
    }

    /// Runs a closure in one transaction that reads, and does not wait for another program's lock.
    ///
    /// - Returns: Nil where the connection is gone or closed: nothing can be read through it any more.
    /// - Throws: `DatabaseError`, with `SQLITE_BUSY` where another program has the lock, or where the
    ///   application left a transaction open.
    func look<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result? {
        guard isWriter else { return try reader?.readAtOnce(body) }
        return try writer?.unsafeReentrantWrite { database in
            guard database.sqliteConnection != nil else { return nil }
            // The closure would see what may yet be rolled back.
            guard !database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_BUSY) }
            return try database.waiting(atMost: 0) {
                // GRDB's own transactions that only read are reported to the application's observers.
                try database.run("BEGIN")
                let outcome = Swift.Result { try body(database) }
                if database.isInsideTransaction { try database.run("COMMIT") }
                return try outcome.get()
            }
        }
    }

    /// The mark at the beginning of a transaction that writes.
    ///
    /// - Parameter database: The connection that the transaction is on.
    /// - Returns: Nil where the connection that is looked through is gone.
    func markBesideWrite(in database: any StatementSource) throws -> CommitVersion? {
        isWriter ? try mark(in: database) : try reader?.readAtOnce(mark)
    }

    /// The mark of the connection that is looked through.
    ///
    /// - Parameter database: That connection.
    func mark(in database: any StatementSource) throws -> CommitVersion {
        try CommitVersion(isWriter: isWriter, in: database)
    }
}

/// A value of a connection that is another one after each commit. Only values of one connection compare.
struct CommitVersion: Equatable {
    /// `PRAGMA data_version`, which is another after each commit of another connection.
    private let dataVersion: StoredValue
    /// On a connection that writes: the rows that it changed, also in transactions that were rolled back, and
    /// the version of the schema.
    private let ownChanges: [StoredValue]

    /// - Parameter isWriter: Whether the connection's own commits count.
    init(isWriter: Bool, in database: any StatementSource) throws {
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
    /// Runs a closure that waits for another program's lock no longer than a number of milliseconds.
    ///
    /// A connection whose owner decides about waiting by a function of his own is left as it is.
    func waiting<Result>(atMost milliseconds: Int32, _ body: () throws -> Result) throws -> Result {
        guard case .integer(let usual) = try rows("PRAGMA busy_timeout").first?.first, usual > milliseconds
        else { return try body() }
        sqlite3_busy_timeout(sqliteConnection, milliseconds)
        defer { sqlite3_busy_timeout(sqliteConnection, Int32(truncatingIfNeeded: usual)) }
        return try body()
    }
}
