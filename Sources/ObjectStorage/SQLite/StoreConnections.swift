import GRDB
import Mutants
import Synchronization
import InternalUtilities

/// The connections of a container: read-only ones of the library, and GRDB's connection for everything else.
final class StoreConnections: Sendable {
    /// The read-only connections; nil if GRDB's connection is also used for reading, as for a store in
    /// memory, and for a connection of the application.
    private let readers: StoreReaders?
    private let opened: Mutex<(any DatabaseWriter)?>
    /// Closes GRDB's connection on deallocation; nil for the application's connection.
    private let owner: Mutex<OwnedWriter?>
    private let open: @Sendable () throws -> OwnedWriter
    /// Whether GRDB's connection belongs to the application, which may observe commits on it.
    let isApplications: Bool
    /// The commit that was deferred and must be executed on GRDB's connection before any other use of it.
    private let deferred = Mutex<DeferredCommit?>(nil)
    /// The pages that GRDB's connections keep, by the connection's address.
    private let keptPages = Mutex<[Int: KeptPages]>([:])

    /// Uses a read-only connection, and GRDB's connection for everything else.
    ///
    /// - Parameters:
    ///   - writer: GRDB's connection, if it is already open.
    ///   - open: Opens GRDB's connection on first use.
    init(
        reader: ReadConnection, writer: OwnedWriter? = nil,
        open: @escaping @Sendable () throws -> OwnedWriter
    ) {
        readers = StoreReaders(reader)
        opened = Mutex(writer?.writer)
        owner = Mutex(writer)
        self.open = open
        isApplications = false
    }

    /// Uses one connection for everything.
    ///
    /// - Parameters:
    ///   - owner: Closes the connection on deallocation; nil for a connection of the application.
    ///   - isApplications: Whether the connection belongs to the application.
    init(writer: any DatabaseWriter, owner: OwnedWriter? = nil, isApplications: Bool = false) {
        readers = nil
        opened = Mutex(writer)
        self.owner = Mutex(owner)
        open = { OwnedWriter(writer) }
        self.isApplications = isApplications
    }

    /// Returns GRDB's connection, which is opened on first use.
    ///
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file was replaced.
    private func writer() throws -> any DatabaseWriter {
        try opened.withLock { opened in
            if let opened { return opened }
            // A file that has replaced the open one is another store, and the log beside it may belong to
            // this one.
            try checkFile()
            let owned = try open()
            try checkFile()
            owner.withLock { $0 = owned }
            opened = owned.writer
            return owned.writer
        }
    }

    /// The method of reading the store without locks; nil if it is read with locks.
    var lockless: LocklessAccess? { readers?.lockless }
    /// Whether a private copy is read in place of the store.
    var isPrivateCopy: Bool { readers?.isPrivateCopy ?? false }

    /// Checks that the path still leads to the open file: a commit to another file would be lost.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func checkFile() throws(ObjectStorageError) { try readers?.checkFile() }

    /// The connection for monitoring the store: the read-only one or, without one, the writing one.
    var monitoringConnection: MonitoringConnection? {
        if let readers { return readers.watched().map(MonitoringConnection.init) }
        return opened.withLock { $0.map(MonitoringConnection.init) }
    }

    /// Returns `PRAGMA data_version` of the writing connection, which is different after each commit of
    /// another connection. Nil while it is not open, in which case nothing was committed on it, and if the
    /// application also commits on it.
    func foreignVersion() throws -> StoredValue? {
        guard readers != nil, let writer = opened.withLock(\.self) else { return nil }
        // Following a list may begin in the middle of a write.
        return try writer.unsafeReentrantWrite { try $0.dataVersionValue() }
    }

    /// Runs a closure in a transaction that reads rows by their keys, or the control tables, without the SQL
    /// functions and collations of requests.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let readers else { return try readComputing(body) }
        return try readers.read(body)
    }

    /// Runs a closure on the writing connection.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writer().writeWithoutTransaction { database in
            performDeferredCommit(in: database)
            return try body(database)
        }
    }

    /// Runs a closure in one transaction for data that is useful but not required. It waits for a lock for at
    /// most 20 ms, less than a save: a program may be stopped in the middle of a write.
    ///
    /// Another thread commits, because the commit waits for the disk and the caller need not. No other use of
    /// this connection sees the open transaction. The commit is immediate if the closure returns nil, and if
    /// other connections must read the written data.
    ///
    /// - Returns: The closure's result and the commit, which may fail; nil if the closure returned nil.
    func writeDeferringCommit<Result>(
        _ body: (Database) throws -> Result?
    ) throws -> (result: Result, commit: DeferredCommit)? {
        let isFirstUse = opened.withLock { $0 == nil }
        let writer = try writer()
        // On the application's connection the application would see the open transaction.
        let mayBeLater = readers != nil && writer is DatabaseQueue
        return try writer.writeWithoutTransaction { database in
            performDeferredCommit(in: database)
            let commit = DeferredCommit()
            var result: Result?
            try database.waiting(atMost: 20) { try database.beginTransaction(.immediate) }
            do {
                result = try isFirstUse ? withFewPages(of: database) { try body(database) } : body(database)
                if result == nil || !mayBeLater { try self.commit(database) }
            } catch {
                // SQLite ends the transaction itself after some failures, and the first failure is the one to
                // report.
                if database.isInsideTransaction { try? database.rollback() }
                throw error
            }
            guard let result else { return nil }
            guard mayBeLater else {
                commit.end(isDone: true)
                return (result, commit)
            }
            deferred.withLock { $0 = commit }
            // The thread gets the connection when this use ends. If no thread can be created, the commit is
            // executed here, so that no writer has to wait for one.
            let isLeft = WorkThread.start("store commit") { [self] in
                writer.writeWithoutTransaction { performDeferredCommit(in: $0) }
            }
            if !isLeft { performDeferredCommit(in: database) }
            return (result, commit)
        }
    }

    private func performDeferredCommit(in database: Database) {
        let commit = deferred.withLock { deferred in
            defer { deferred = nil }
            return deferred
        }
        guard let commit else { return }
        do {
            try self.commit(database)
            commit.end(isDone: true)
        } catch {
            // A waiting thread continues without the commit. If the transaction cannot be ended, the next one
            // that begins reports the error.
            if database.isInsideTransaction { try? database.rollback() }
            commit.end(isDone: false)
        }
    }

    /// Runs a closure in one write transaction, and commits it.
    ///
    /// - Parameter database: The writing connection.
    func inTransaction<Result>(
        in database: Database, _ body: (Database) throws -> Result
    ) throws -> Result {
        try database.beginTransaction(.immediate)
        do {
            let result = try body(database)
            try commit(database)
            return result
        } catch {
            // SQLite ends the transaction itself after some failures, and the first failure is the one to
            // report.
            if database.isInsideTransaction { try? database.rollback() }
            throw error
        }
    }

    private func commit(_ database: Database) throws {
        try keepingFromReading(database) { try database.commit() }
    }

    /// Runs a closure that needs exclusive access to the file if it has a rollback journal: the library's
    /// read-only connection does not read in the meantime. For other programs it waits as long as the
    /// connection's timeout allows.
    func keepingFromReading<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
        guard let readers, try !database.hasWriteAheadLog() else { return try body() }
        return try readers.whileNotReading(body)
    }

    /// Runs a closure while the connection's page cache is limited to 256 KiB.
    ///
    /// A start that updates a list reads about a thousand pages, hardly any of them twice. Reusing the memory
    /// of a page costs less than new memory, which the system has to allocate and clear.
    private func withFewPages<Result>(of database: Database, _ body: () throws -> Result) throws -> Result {
        // Negative numbers are KiB.
        guard case .integer(let usual) = try database.rows("PRAGMA cache_size").first?.first,
            usual < -Self.fewPages
        else { return try body() }
        try database.runScript("PRAGMA cache_size = -\(Self.fewPages)")
        // A small page cache makes other statements slower, but not incorrect.
        defer { try? database.runScript("PRAGMA cache_size = \(usual)") }
        return try body()
    }

    /// The limit of the page cache in KiB.
    private static let fewPages: Int64 = 256

    /// Runs a closure in a read transaction, on a connection with the SQL functions and collations of
    /// requests.
    ///
    /// GRDB's `read` adds a savepoint and a ban on writing around the transaction, which takes four more
    /// statements, and nothing here writes. Within a write of the same thread it reads the uncommitted
    /// changes.
    func readComputing<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let lockless else { return try readLocked(body) }
        return try lockless.reading { try readLocked(body) }
    }

    private func readLocked<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writer().unsafeReentrantRead { database in
            try lockless?.checkDeclaration(of: database.sqliteConnection)
            performDeferredCommit(in: database)
            // A pool of the application opens further connections itself.
            if isApplications { KeyFunctions.installIfMissing(on: database) }
            // SQLite ends the transaction when it cannot read, which the end of this transaction detects: a
            // second check after the first.
            guard !database.isInsideTransaction, !Mutant.readErrorAsEnd.isPlanted else {
                return try body(database)
            }
            var result: Result?
            try database.inTransaction(.deferred) {
                try discardOldPages(of: database)
                result = try body(database)
                return .commit
            }
            guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return result
        }
    }
}

extension StoreConnections {
    /// Discards the pages of earlier transactions if a replicator changed the file.
    private func discardOldPages(of database: Database) throws {
        guard readers?.isReadOnly == true else { return }
        let address = Int(bitPattern: database.connection)
        var pages = keptPages.withLock { $0[address] } ?? KeptPages()
        try pages.discardIfFileChanged(in: database)
        keptPages.withLock { [pages] in $0[address] = pages }
    }

    /// Returns whether a state can be held without a copy of the store, beside reads and writes of this
    /// process and of others.
    func canHoldBesideOthers() throws -> Bool {
        guard let readers else { return try writer() is DatabasePool }
        return try readers.read { try $0.hasWriteAheadLog() }
    }

    /// Holds the current state of the store.
    ///
    /// - Parameter mayBlock: Whether programs that write to a store with a rollback journal may have to wait
    ///   until the state is released. Otherwise such a store is copied.
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file was replaced.
    /// - Complexity: O(1) with a write-ahead log; otherwise O(*n*) in the pages of the store.
    func hold(mayBlock: Bool) throws -> HeldState {
        if let readers {
            let reader = try readers.take()
            do {
                try reader.hold()
                if try mayBlock || reader.canBeHeldBesideWriters() {
                    return HeldState(.reader(reader, readers))
                }
                let copy = try reader.readHeld { try StoreCopy(of: $0, options: reader.options) }
                readers.giveBack(reader)
                return HeldState(.copy(copy))
            } catch {
                readers.giveBack(reader)
                throw error
            }
        }
        let writer = try writer()
        if let pool = writer as? DatabasePool {
            let snapshot = try pool.makeSnapshot()
            snapshot.read { KeyFunctions.installIfMissing(on: $0) }
            return HeldState(.snapshot(snapshot))
        }
        return HeldState(.copy(try readLocked { try StoreCopy(of: $0, options: StoreOptions()) }))
    }
}

extension StatementSource {
    /// Returns whether the main database has a write-ahead log, so that readers do not block writers.
    func hasWriteAheadLog() throws -> Bool {
        try rows("PRAGMA main.journal_mode").first?.first == .text("wal")
    }
}
