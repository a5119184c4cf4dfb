import Foundation
import GRDB
import GRDBSQLite
import InternalUtilities

/// A connection of our own that only reads, by primary key and from the control tables.
///
/// A start from the cache needs no more. GRDB's connection, which writes and on which requests are computed,
/// is opened when it is first needed, because opening it takes a new process about a millisecond (decision
/// 0008).
///
/// SAFETY: the connection is used under the lock alone.
final class ReadConnection: @unchecked Sendable {
    private let source: RawConnection
    /// Recursive, because rows of a held state may be read in the middle of a computation on it.
    private let lock = NSRecursiveLock()
    let options: StoreOptions
    /// Whether the connection's transaction stays open for contexts that are pinned to its state.
    private var isHeld = false
    private var canCompute = false
    private let path: String
    /// Which file is open; nil if that could not be found out.
    private let file: FileIdentity?
    /// How the file is read where SQLite can make no file beside it.
    var lockless: LocklessAccess? { options.lockless }

    /// Opens a database that is there.
    ///
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file was replaced meanwhile.
    init(path: String, options: StoreOptions) throws {
        self.path = path
        self.options = options
        file = FileIdentity(ofFileAt: path)
        source = try RawConnection(path: path, options: options)
        try checkFile()
        sqlite3_busy_timeout(source.connection, options.busyMilliseconds)
        if options.isUntrusted { try UntrustedStore.checkPages(in: source) }
    }

    /// Makes sure that the path still leads to the file that is open: what else opens it must not read and
    /// write another. The file itself is not opened, because closing it would drop SQLite's locks.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func checkFile() throws(ObjectStorageError) {
        guard file == nil || file == FileIdentity(ofFileAt: path) else { throw Self.replaced(path) }
    }

    /// Makes sure that the file is a database.
    ///
    /// - Throws: `DatabaseError`.
    func checkIsDatabase() throws { _ = try read { try $0.rows("SELECT 1 FROM main.sqlite_schema LIMIT 1") } }

    /// What is thrown where a path leads to another file than the one that is open.
    static func replaced(_ path: String) -> ObjectStorageError {
        ObjectStorageError(
            .storeReplaced,
            "The file of the store “\(path)” was replaced, moved or deleted while it was open. It can only be read; make a new container."
        )
    }

    /// Opens the database of this connection once more.
    ///
    /// - Throws: As ``init(path:options:)``; also if the path leads to another file now.
    func another() throws -> ReadConnection {
        try checkFile()
        let connection = try ReadConnection(path: path, options: options)
        try checkFile()
        return connection
    }

    /// Runs a closure in one transaction that reads. The closure must not ask for another.
    ///
    /// - Precondition: The connection holds no state.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let result = try readUnlessHeld(body) else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection holds a state")
        }
        return result
    }

    /// Runs a closure in one transaction that reads. The closure must not ask for another.
    ///
    /// - Returns: Nil if the connection holds a state; then the closure was not run.
    func readUnlessHeld<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result? {
        try lock.withLock {
            guard !isHeld else { return nil }
            try lockless?.checkUnchanged()
            try source.run("BEGIN")
            let outcome = Swift.Result { try body(source) }
            // SQLite ends the transaction itself after some failures, and the first failure is the one to
            // tell.
            if source.isInTransaction { try source.run("COMMIT") }
            try lockless?.checkUnchanged()
            return try outcome.get()
        }
    }

    /// Runs a closure while no thread reads on this connection. The closure must not ask it to read.
    func whileNotReading<Result>(_ body: () throws -> Result) throws -> Result {
        try lock.withLock(body)
    }

    /// Runs a closure in one transaction that reads, but fails with `SQLITE_BUSY` rather than wait for another
    /// program's lock.
    func readAtOnce<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        try read { source in
            sqlite3_busy_timeout(source.connection, 0)
            defer { sqlite3_busy_timeout(source.connection, options.busyMilliseconds) }
            return try body(source)
        }
    }
}

extension ReadConnection {
    /// Begins a transaction that reads, and stays open until ``letGo()``.
    ///
    /// - Throws: `DatabaseError`; then no state is held.
    func hold() throws {
        try lock.withLock {
            try lockless?.checkUnchanged()
            try source.run("BEGIN")
            do {
                // SQLite takes the state with the first page that is read.
                _ = try source.rows("SELECT 1 FROM main.sqlite_schema LIMIT 1")
                isHeld = true
            } catch {
                if source.isInTransaction { try? source.run("ROLLBACK") }
                throw error
            }
        }
    }

    /// Gives the connection what requests are computed with.
    private func prepareToCompute() throws {
        KeyFunctions.install(on: source.connection)
        TextCollations.install(on: source.connection)
        try UntrustedStore.withoutBan(on: source, isGuarded: options.isGuarded) {
            // SQLite declares its table of the values of an array at the first use, which the ban would refuse.
            try source.runScript(
                "PRAGMA cache_size = -\(StoreOptions.pageCacheKibibytes); SELECT 1 FROM json_each('[]')"
            )
        }
        canCompute = true
    }

    /// Ends the transaction that holds a state.
    ///
    /// - Returns: Whether the connection is free for another use.
    func letGo() -> Bool {
        lock.withLock {
            // A transaction that only read has nothing to lose.
            if isHeld, source.isInTransaction { try? source.run("ROLLBACK") }
            isHeld = source.isInTransaction
            return !isHeld
        }
    }

    /// Whether other programs can write while this connection reads.
    func canBeHeldBesideWriters() throws -> Bool {
        guard lockless == nil else { return true }
        return try lock.withLock { try source.hasWriteAheadLog() }
    }

    /// Runs a closure that reads the held state. It may ask to read it again.
    ///
    /// - Parameter isComputing: Whether the closure needs the functions and collations of requests.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/generationLost`` if SQLite ended the
    ///   transaction after an earlier error.
    func readHeld<Result>(
        isComputing: Bool = false, _ body: (any StatementSource) throws -> Result
    ) throws -> Result {
        try lock.withLock {
            try lockless?.checkUnchanged()
            guard source.isInTransaction else { throw ObjectStorageError.generationLost }
            if isComputing, !canCompute { try prepareToCompute() }
            let outcome = Swift.Result { try body(source) }
            try lockless?.checkUnchanged()
            let result = try outcome.get()
            guard source.isInTransaction else { throw ObjectStorageError.generationLost }
            return result
        }
    }
}

/// SQLite's connection with the statements that were compiled on it.
private final class RawConnection: StatementSource {
    let connection: OpaquePointer?
    /// The statements in the order of their first use: few, so they are not looked up by a hash.
    private var statements: [(sql: String, handle: OpaquePointer)] = []
    /// Beyond this number the oldest half is compiled anew, except for those that are running.
    private static let maximumStatements = 200
    private var budget: StatementBudget?

    init(path: String, options: StoreOptions) throws {
        var connection: OpaquePointer?
        // Opened for writing where that is allowed, because in WAL mode a reader may have to mend the log's
        // index; the connection is then forbidden to write.
        let access = options.isFileReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        let form = options.lockless == nil ? SQLITE_OPEN_NOMUTEX : SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let status = sqlite3_open_v2(options.lockless?.uri ?? path, &connection, access | form, nil)
        self.connection = connection
        guard status == SQLITE_OK else { throw DatabaseError(of: connection, sql: "") }
        sqlite3_extended_result_codes(connection, 1)
        try options.lockless?.prepare(self)
        budget = options.limits.map { StatementBudget($0, on: connection) }
        if options.isGuarded {
            try UntrustedStore.restrict(self, isReadOnly: true)
            UntrustedStore.allowReadingAlone(on: self)
        } else {
            try runScript("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement.handle) }
        sqlite3_close_v2(connection)
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

    func compiledStatement(_ sql: String) throws -> OpaquePointer {
        if let known = statements.first(where: { $0.sql == sql }) { return known.handle }
        var handle: OpaquePointer?
        let status = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard status == SQLITE_OK, let handle else { throw DatabaseError(of: connection, sql: sql) }
        if statements.count >= Self.maximumStatements { forgetOldStatements() }
        statements.append((sql, handle))
        return handle
    }

    private func forgetOldStatements() {
        let old = statements.prefix(Self.maximumStatements / 2)
        statements.removeFirst(old.count)
        for statement in old {
            if sqlite3_stmt_busy(statement.handle) != 0 {
                statements.append(statement)
            } else {
                sqlite3_finalize(statement.handle)
            }
        }
    }
}
