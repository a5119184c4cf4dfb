import GRDB
import SeededBugs
import Synchronization

/// The connections of a container: one of our own that only reads, and GRDB's for everything else.
final class StoreConnections: Sendable {
    /// Nil where GRDB's connection has to do its work as well: in memory, and on a connection of the application.
    private let reader: ReadConnection?
    private let opened: Mutex<(any DatabaseWriter)?>
    private let open: @Sendable () throws -> any DatabaseWriter

    /// - Parameters:
    ///   - writer: GRDB's connection, if it is open.
    ///   - open: Opens GRDB's connection when it is first needed.
    init(
        reader: ReadConnection, writer: (any DatabaseWriter)? = nil,
        open: @escaping @Sendable () throws -> any DatabaseWriter
    ) {
        self.reader = reader
        opened = Mutex(writer)
        self.open = open
    }

    /// Uses one connection for everything.
    init(writer: any DatabaseWriter) {
        reader = nil
        opened = Mutex(writer)
        open = { writer }
    }

    /// GRDB's connection, opened when first asked for.
    ///
    /// - Throws: `DatabaseError`.
    func writer() throws -> any DatabaseWriter {
        try opened.withLock { opened in
            if let opened { return opened }
            let writer = try open()
            opened = writer
            return writer
        }
    }

    /// Gives the connection that a store is watched through: the one of our own or, where there is none, another that is
    /// opened when it is first needed.
    ///
    /// Ours is not kept open by it, and gives nil when it is gone.
    func readerForWatching(path: String) -> @Sendable () throws -> ReadConnection? {
        guard reader == nil else { return { [weak reader] in reader } }
        let opened = LockedValue<ReadConnection?>(nil)
        return {
            try opened.withLock { opened in
                let reader = try opened ?? ReadConnection(path: path, options: StoreOptions())
                opened = reader
                return reader
            }
        }
    }

    /// Runs a closure in one transaction that reads rows by their keys, or the control tables: nothing that needs our
    /// functions and collations.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let reader else { return try readComputing(body) }
        return try reader.read(body)
    }

    /// Runs a closure in one transaction that reads, on a connection with our functions and collations.
    ///
    /// What GRDB's `read` adds, a savepoint and a ban on writing around the transaction, takes four more statements, and
    /// nothing here writes.
    func readComputing<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writer().unsafeRead { database in
            // SQLite ends the transaction when it cannot read, which the end of ours notices: a second net under the first.
            guard !database.isInsideTransaction, !SeededBug.readErrorAsEnd.isPlanted else {
                return try body(database)
            }
            var result: Result?
            try database.inTransaction(.deferred) {
                result = try body(database)
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }
}
