import Foundation
import GRDB
import GRDBSQLite
import InternalUtilities

/// A read-only connection of the library, for reading by primary key and from the control tables.
///
/// A start from the cache needs no other. GRDB's connection, which writes and on which requests are
/// evaluated, is opened on first use, because opening it takes a new process about a millisecond (decision
/// 0008).
///
/// SAFETY: the connection is used only under the lock.
final class ReadConnection: @unchecked Sendable {
    private let source: RawConnection
    /// Recursive, because rows of a held state may be read in the middle of an evaluation on it.
    private let lock = NSRecursiveLock()
    let options: StoreOptions
    /// Whether the connection's transaction stays open for contexts that are pinned to its state.
    private var isHeld = false
    private var canCompute = false
    private var keptPages = KeptPages()
    private let path: String
    /// The identity of the open file; nil if it could not be determined.
    private let file: FileIdentity?
    /// Whether the file is a copy of the store.
    var isPrivateCopy: Bool { options.privateCopy != nil }
    /// The method of reading the file if SQLite cannot create files beside it.
    var lockless: LocklessAccess? { options.lockless }

    /// Opens an existing database.
    ///
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file was replaced in the meantime.
    init(path: String, options: StoreOptions) throws {
        self.path = path
        self.options = options
        file = FileIdentity(ofFileAt: path)
        source = try RawConnection(path: path, options: options)
        try checkFile()
        sqlite3_busy_timeout(source.connection, options.busyMilliseconds)
        if options.isUntrusted { try UntrustedStore.checkPages(in: source) }
    }

    /// Checks that the path still leads to the open file: other connections to the path must not read and
    /// write another file. The file itself is not opened, because closing it would drop SQLite's locks.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func checkFile() throws(ObjectStorageError) {
        guard file == nil || file == FileIdentity(ofFileAt: path) else { throw Self.replaced(path) }
    }

    /// Checks that the file is a database.
    ///
    /// - Throws: `DatabaseError`.
    func checkIsDatabase() throws { _ = try read { try $0.rows("SELECT 1 FROM main.sqlite_schema LIMIT 1") } }

    /// Returns the error for a path that leads to another file than the open one.
    static func replaced(_ path: String) -> ObjectStorageError {
        ObjectStorageError(
            .storeReplaced,
            "The file of the store “\(path)” was replaced, moved or deleted while it was open. It can only be read; create a new container."
        )
    }

    /// Opens the database of this connection again.
    ///
    /// - Throws: As ``init(path:options:)``, and if the path now leads to another file.
    func another() throws -> ReadConnection {
        try checkFile()
        let connection = try ReadConnection(path: path, options: options)
        try checkFile()
        return connection
    }

    /// Runs a closure in a read transaction. The closure must not start another one.
    ///
    /// - Precondition: The connection holds no state.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let result = try readUnlessHeld(body) else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection holds a state")
        }
        return result
    }

    /// Runs a closure in a read transaction. The closure must not start another one.
    ///
    /// - Returns: Nil if the connection holds a state; then the closure was not called.
    func readUnlessHeld<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result? {
        try lock.withLock {
            guard !isHeld else { return nil }
            return try checkingFiles {
                try source.run("BEGIN")
                let outcome = Swift.Result {
                    try discardOldPages()
                    return try body(source)
                }
                // SQLite ends the transaction itself after some failures, and the first failure is the one to
                // report.
                if source.isInTransaction { try source.run("COMMIT") }
                return try outcome.get()
            }
        }
    }

    private func checkingFiles<Result>(_ body: () throws -> Result) throws -> Result {
        guard let lockless else { return try body() }
        try lockless.checkDeclaration(of: source.connection)
        return try lockless.reading(body)
    }

    /// Discards the pages of earlier transactions if a replicator changed the file.
    private func discardOldPages() throws {
        if options.isReadOnly { try keptPages.discardIfFileChanged(in: source) }
    }

    /// The number of times that a replicator changed the file in a way that SQLite may not have detected.
    ///
    /// - Precondition: Called within a transaction of this connection.
    var changeCount: Int { lock.withLock { keptPages.changeCount } }

    /// Interrupts the running statement, which then fails with `SQLITE_INTERRUPT`. It may be called on any
    /// thread.
    func interrupt() { sqlite3_interrupt(source.connection) }

    /// Runs a closure while no thread reads on this connection. The closure must not read on it.
    func whileNotReading<Result>(_ body: () throws -> Result) throws -> Result {
        try lock.withLock(body)
    }

    /// Runs a closure in a read transaction that fails with `SQLITE_BUSY` instead of waiting for another
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
    /// Begins a read transaction that stays open until ``letGo()``.
    ///
    /// - Throws: `DatabaseError`; then no state is held.
    func hold() throws {
        try lock.withLock {
            try checkingFiles {
                try source.run("BEGIN")
                do {
                    try discardOldPages()
                    // SQLite takes its snapshot when the first page is read.
                    _ = try source.rows("SELECT 1 FROM main.sqlite_schema LIMIT 1")
                    isHeld = true
                } catch {
                    if source.isInTransaction { try? source.run("ROLLBACK") }
                    throw error
                }
            }
        }
    }

    /// Registers the SQL functions and collations of requests.
    private func prepareToCompute() throws {
        KeyFunctions.install(on: source.connection)
        TextCollations.install(on: source.connection)
        try UntrustedStore.withoutBan(on: source, isGuarded: options.isGuarded) {
            // SQLite declares its table of array values on first use, which the ban would reject.
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
            // Nothing is lost by rolling back a transaction that only read.
            if isHeld, source.isInTransaction { try? source.run("ROLLBACK") }
            isHeld = source.isInTransaction
            return !isHeld
        }
    }

    /// Returns whether other programs can write while this connection reads.
    func canBeHeldBesideWriters() throws -> Bool {
        if let lockless, !lockless.usesLocks { return true }
        return try lock.withLock { try source.hasWriteAheadLog() }
    }

    /// Runs a closure that reads the held state. Calls may be nested.
    ///
    /// - Parameter isComputing: Whether the closure needs the SQL functions and collations of requests.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/generationLost`` if SQLite ended the
    ///   transaction after an earlier error.
    func readHeld<Result>(
        isComputing: Bool = false, _ body: (any StatementSource) throws -> Result
    ) throws -> Result {
        try lock.withLock {
            try lockless?.checkUnchanged()
            guard source.isInTransaction else { throw ObjectStorageError.generationLost }
            if isComputing, !canCompute { try prepareToCompute() }
            let result = try checkingFiles { try body(source) }
            guard source.isInTransaction else { throw ObjectStorageError.generationLost }
            return result
        }
    }
}

/// An SQLite connection with its compiled statements.
private final class RawConnection: StatementSource {
    let connection: OpaquePointer?
    /// The statements in the order of their first use; a linear search is fast enough for so few.
    private var statements: [(sql: String, handle: OpaquePointer)] = []
    /// The limit above which the older half is finalized, except for running statements.
    private static let maximumStatements = 200
    private var budget: StatementBudget?

    init(path: String, options: StoreOptions) throws {
        var connection: OpaquePointer?
        // Opened for writing if possible, because in WAL mode a reader may have to recover the log's index;
        // the connection is then prevented from writing.
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
            try options.allowViews(on: self)
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
