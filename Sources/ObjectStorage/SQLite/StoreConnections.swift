import GRDB
import Mutants
import Synchronization
import InternalUtilities

/// The connections of a container: one of our own that only reads, and GRDB's for everything else.
final class StoreConnections: Sendable {
    /// Nil where GRDB's connection has to do its work as well: in memory, and on a connection of the
    /// application.
    private let readers: StoreReaders?
    private let opened: Mutex<(any DatabaseWriter)?>
    /// Closes GRDB's connection at the end, unless it is the application's.
    private let owner: Mutex<OwnedWriter?>
    private let open: @Sendable () throws -> OwnedWriter
    /// Whether GRDB's connection is one of the application's, which may observe what is committed on it.
    let isApplications: Bool
    /// The commit that is left to do on GRDB's connection, before anything else is done there.
    private let deferred = Mutex<DeferredCommit?>(nil)

    /// - Parameters:
    ///   - writer: GRDB's connection, if it is open.
    ///   - open: Opens GRDB's connection when it is first needed.
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
    ///   - owner: Closes the connection at the end; nil for a connection of the application's.
    ///   - isApplications: Whether it is one of the application's.
    init(writer: any DatabaseWriter, owner: OwnedWriter? = nil, isApplications: Bool = false) {
        readers = nil
        opened = Mutex(writer)
        self.owner = Mutex(owner)
        open = { OwnedWriter(writer) }
        self.isApplications = isApplications
    }

    /// GRDB's connection, opened when first asked for.
    ///
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file that is read was replaced.
    private func writer() throws -> any DatabaseWriter {
        try opened.withLock { opened in
            if let opened { return opened }
            // Whatever was put in the place of the file that is read is another store, and the log beside it
            // may be this one's.
            try checkFile()
            let owned = try open()
            try checkFile()
            owner.withLock { $0 = owned }
            opened = owned.writer
            return owned.writer
        }
    }

    /// How the store is read without locks; nil where it is read with them.
    var lockless: LocklessAccess? { readers?.lockless }

    /// Makes sure that the path still leads to the file that is open: what is committed to another would be
    /// lost.
    ///
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/storeReplaced``.
    func checkFile() throws(ObjectStorageError) { try readers?.checkFile() }

    /// The connection that the store is watched through: the one that only reads or, where there is none, the
    /// one that writes.
    var monitoringConnection: MonitoringConnection? {
        if let readers { return readers.watched().map(MonitoringConnection.init) }
        return opened.withLock { $0.map(MonitoringConnection.init) }
    }

    /// `PRAGMA data_version` of the connection that writes: another number after each commit of another
    /// connection. Nil while that is not open, so that nothing was committed on it, and where the application
    /// commits on it as well.
    func foreignVersion() throws -> StoredValue? {
        guard readers != nil, let writer = opened.withLock(\.self) else { return nil }
        // Somebody may begin to follow a list in the middle of a write.
        return try writer.unsafeReentrantWrite { try $0.dataVersionValue() }
    }

    /// Runs a closure in one transaction that reads rows by their keys, or the control tables: nothing that
    /// needs our functions and collations.
    func read<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let readers else { return try readComputing(body) }
        return try readers.read(body)
    }

    /// Runs a closure on the connection that writes.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writer().writeWithoutTransaction { database in
            performDeferredCommit(in: database)
            return try body(database)
        }
    }

    /// Runs a closure in one transaction, which writes what is merely worth keeping. For that nobody waits as
    /// long as for a save: a program that was stopped in the middle of writing is given a fiftieth of a
    /// second.
    ///
    /// Another thread commits, because that waits for the disk, and the caller need not. On this connection
    /// nobody sees the transaction open. Where it has to be committed at once, it is: for a closure without a
    /// result, and where others read on connections that must see what was written.
    ///
    /// - Returns: What the closure returned and the commit, which may fail; nil if it returned nil.
    func writeDeferringCommit<Result>(
        _ body: (Database) throws -> Result?
    ) throws -> (result: Result, commit: DeferredCommit)? {
        let isFirstUse = opened.withLock { $0 == nil }
        let writer = try writer()
        // On a connection of the application's the application would see it.
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
                // tell.
                if database.isInsideTransaction { try? database.rollback() }
                throw error
            }
            guard let result else { return nil }
            guard mayBeLater else {
                commit.end(isDone: true)
                return (result, commit)
            }
            deferred.withLock { $0 = commit }
            // The thread gets the connection when this one is done with it. Where there is none, nobody must
            // be kept from writing until there is.
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
            // Whoever waits for it does without. A transaction that cannot be ended is for the next who
            // begins one to tell.
            if database.isInsideTransaction { try? database.rollback() }
            commit.end(isDone: false)
        }
    }

    /// Runs a closure in one transaction that writes, and commits it.
    ///
    /// - Parameter database: The connection that writes.
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
            // tell.
            if database.isInsideTransaction { try? database.rollback() }
            throw error
        }
    }

    private func commit(_ database: Database) throws {
        try keepingFromReading(database) { try database.commit() }
    }

    /// Runs a closure that needs the file for itself if there is a rollback journal: our own connection that
    /// reads does not read meanwhile. Others are waited for as long as the connection is allowed to.
    func keepingFromReading<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
        guard let readers, try !database.hasWriteAheadLog() else { return try body() }
        return try readers.whileNotReading(body)
    }

    /// Runs a closure for which the connection keeps no more than 256 KiB of pages.
    ///
    /// A start that brings a list up to date reads about a thousand pages, hardly one of them twice. To take
    /// another's place costs a page less than new memory, which the system has to find and to clear.
    private func withFewPages<Result>(of database: Database, _ body: () throws -> Result) throws -> Result {
        // Negative numbers are KiB.
        guard case .integer(let usual) = try database.rows("PRAGMA cache_size").first?.first,
            usual < -Self.fewPages
        else { return try body() }
        try database.runScript("PRAGMA cache_size = -\(Self.fewPages)")
        // With few pages everything else is slower, but right.
        defer { try? database.runScript("PRAGMA cache_size = \(usual)") }
        return try body()
    }

    /// In KiB.
    private static let fewPages: Int64 = 256

    /// Runs a closure in one transaction that reads, on a connection with our functions and collations.
    ///
    /// What GRDB's `read` adds, a savepoint and a ban on writing around the transaction, takes four more
    /// statements, and nothing here writes. In the middle of a write of the same thread it reads what that
    /// has written.
    func readComputing<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        guard let lockless else { return try readLocked(body) }
        try lockless.checkUnchanged()
        let outcome = Swift.Result { try readLocked(body) }
        try lockless.checkUnchanged()
        return try outcome.get()
    }

    private func readLocked<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try writer().unsafeReentrantRead { database in
            performDeferredCommit(in: database)
            // A pool of the application's opens connections of its own accord.
            if isApplications { KeyFunctions.installIfMissing(on: database) }
            // SQLite ends the transaction when it cannot read, which the end of ours notices: a second net
            // under the first.
            guard !database.isInsideTransaction, !Mutant.readErrorAsEnd.isPlanted else {
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

extension StoreConnections {
    /// Holds the present state of the store.
    ///
    /// - Parameter mayBlock: Whether programs that write to a store with a rollback journal may have to wait
    ///   until the state is let go. Otherwise such a store is copied.
    /// - Throws: `DatabaseError`; ``ObjectStorageError`` if the file was replaced.
    /// - Complexity: O(1) with a write-ahead log; else O(*n*) in the pages of the store.
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
    /// Whether the main database has a write-ahead log, so that reading keeps no other program from writing.
    func hasWriteAheadLog() throws -> Bool {
        try rows("PRAGMA main.journal_mode").first?.first == .text("wal")
    }
}
