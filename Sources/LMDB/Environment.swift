import CLMDB
import Foundation
import Mutants
import Synchronization

/// One LMDB environment: a directory with a data file and a lock file, mapped into memory.
///
/// There is at most one of a directory in a process, because closing a second one would drop the first one's
/// locks (`lmdb.h`, caveats). ``EnvironmentRegistry`` sees to that; nothing else makes environments.
///
/// SAFETY: LMDB allows an environment on any thread. `handle` is set once and closed once, in `deinit`, when
/// no transaction can be left, because each keeps the environment alive.
package final class Environment: @unchecked Sendable {
    /// How an environment is opened.
    package struct Options: Hashable, Sendable {
        /// The size of the map, and so the greatest size of the file, in bytes.
        package var mapSize: Int
        /// The greatest number of named databases that a file gets. It may have more.
        package var maximumDatabases: UInt32
        /// Whether to open for reading alone, making nothing but LMDB's lock file.
        package var isReadOnly: Bool
        /// What most keys of each named database look like: a file that has others is not opened. If there
        /// are none, any will do.
        package var keyPatterns: [KeyPattern]

        /// Makes options.
        package init(
            mapSize: Int, maximumDatabases: UInt32, isReadOnly: Bool, keyPatterns: [KeyPattern] = []
        ) {
            self.mapSize = mapSize
            self.maximumDatabases = maximumDatabases
            self.isReadOnly = isReadOnly
            self.keyPatterns = keyPatterns
        }
    }

    let handle: OpaquePointer
    /// Held open so that no other directory can get its number, by which the registry knows it.
    let directoryDescriptor: Int32
    /// What the directory is.
    package let identity: DirectoryIdentity
    private let processIdentifier: pid_t
    /// Whether the lock file may only be touched while there is room. See ``requireRoom(for:)``.
    let needsRoom: Bool
    /// Keeps others out who would destroy what is read and written here.
    let environmentGuard: ProcessLock
    /// The directory's path.
    package let path: String
    /// How it was opened.
    package let options: Options
    /// Whether nothing can be written. Who only reads opens it so that other parts of the process can write,
    /// where they might.
    let isReadOnly: Bool
    /// The handles of named databases. Each is opened once and never closed (`lmdb.h`, `mdb_dbi_close`).
    ///
    /// An array, because a program uses few names, and a dictionary would have its type made when it starts.
    private let databases = Mutex<[(name: String, database: NamedDatabase)]>([])
    /// Held while a handle is opened, and by write transactions that open one.
    let opening = Mutex<Void>(())
    /// The handles that the running write transaction has opened.
    let uncommittedDatabases = Mutex<[String: NamedDatabase]>([:])
    /// Read transactions that pin nothing, to be used again: beginning one takes the lock of the reader table
    /// and clears memory for each named database that there could be.
    ///
    /// Addresses, because a pointer may not be put into a mutex by who might go on using it.
    private let idleReaders = Mutex<[UInt]>([])
    /// Whether the file was found fit for writing.
    private let isFitForWriting = Mutex(false)

    /// Opens a directory.
    ///
    /// - Parameter isStuck: Whether somebody was lately in the middle of opening it for longer than can be
    ///   waited for.
    init(
        path: String, key: DirectoryIdentity, options: Options, isStuck: Bool
    ) throws(LMDBError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(LMDBError.Code(rawValue: errno), .open) }
        do throws(LMDBError) {
            // Somebody replaced the directory since the caller looked.
            guard let status = FileStatus(descriptor: descriptor), status.identity == key else {
                throw LMDBError(.busy, .open)
            }
            needsRoom = status.mayCopyOnWrite
            // Where nobody has opened an environment with a guard, there may be somebody else's data file,
            // beside which nothing is made.
            let isGuardNew = !ProcessLock.exists(in: descriptor)
            if isGuardNew {
                try StructureValidator.checkFile(in: descriptor, options, withTrees: true)
            }
            environmentGuard = try ProcessLock(
                directory: descriptor, isNew: isGuardNew, isReadOnly: options.isReadOnly, isStuck: isStuck)
            isReadOnly =
                options.isReadOnly
                && (!environmentGuard.isPresent || faccessat(descriptor, "data.mdb", R_OK | W_OK, 0) != 0)
            // Others may put something else in the directory's place meanwhile, if they may write the one
            // above it.
            let place = OpenDirectory.lastingPath(of: descriptor, key) ?? path
            handle = try Self.open(
                place, descriptor, options, environmentGuard, isReadOnly: isReadOnly, needsRoom: needsRoom)
        } catch {
            close(descriptor)
            throw error
        }
        directoryDescriptor = descriptor
        self.path = path
        identity = key
        self.options = options
        processIdentifier = getpid()
    }

    private static func open(
        _ path: String, _ descriptor: Int32, _ options: Options, _ environmentGuard: ProcessLock,
        isReadOnly: Bool, needsRoom: Bool
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try LMDBError.check(mdb_env_create(&created), .create)
        guard let environment = created else { throw LMDBError(.invalid, .create) }
        do throws(LMDBError) {
            try LMDBError.check(mdb_env_set_mapsize(environment, options.mapSize), .create)
            // NOTLS: a read transaction may move between threads. NORDAHEAD: a look-up touches few pages, and
            // reading ahead costs milliseconds when they are cold. NOSYNC: what a power cut tears is rejected
            // and computed again.
            var flags = UInt32(MDB_NOTLS) | UInt32(MDB_NORDAHEAD)
            flags |= isReadOnly ? UInt32(MDB_RDONLY) : UInt32(MDB_NOSYNC)
            try environmentGuard.withTable { () throws(LMDBError) in
                guard environmentGuard.isInPlace(in: descriptor) else { throw LMDBError(.busy, .guarding) }
                try environmentGuard.take()
                guard !needsRoom || hasRoom(in: descriptor, environmentGuard) else {
                    throw LMDBError(LMDBError.Code(rawValue: ENOSPC), .open)
                }
                try LockFile.prepare(
                    in: descriptor, guardedBy: environmentGuard, isReadOnly: options.isReadOnly)
                // liblmdb believes a file's meta pages when it opens it, and its trees when it reads them.
                let names = try StructureValidator.checkFile(in: descriptor, options, withTrees: false)
                // There are handles for all names that there are, also where others gave more of them than
                // this process may; and one to look for a name that there is not.
                let handles = max(options.maximumDatabases, UInt32(min(names, maximumHandles))) + 1
                try LMDBError.check(mdb_env_set_maxdbs(environment, handles), .create)
                try openFiles(environment, path, descriptor, flags)
                // Readers that died would keep pages from being used again.
                try clearDeadReaders(environment)
            }
            try StructureValidator.check(environment, options, for: .reading) {
                environment throws(LMDBError) in
                try beginReading(environment, environmentGuard)
            }
        } catch {
            // After a failed open the handle must be closed all the same (`lmdb.h`, `mdb_env_open`).
            mdb_env_close(environment)
            environmentGuard.takeBack(in: descriptor)
            environmentGuard.release()
            throw error
        }
        return environment
    }

    /// Each takes some bytes of every transaction.
    private static let maximumHandles: UInt64 = 1 << 16

    private static func openFiles(
        _ environment: OpaquePointer, _ path: String, _ descriptor: Int32, _ flags: UInt32
    ) throws(LMDBError) {
        let isNew = FileStatus(name: "data.mdb", in: descriptor)?.size ?? 0 == 0
        let status = mdb_env_open(environment, path, flags, 0o600)
        // A disk that has room for one page gets half of a new file, which could never be opened again.
        if status != MDB_SUCCESS, isNew, flags & UInt32(MDB_RDONLY) == 0, !Mutant.noRecovery.isPlanted {
            unlinkat(descriptor, "data.mdb", 0)
        }
        try LMDBError.check(status, .open)
        // liblmdb lets programs that this one starts inherit its data file.
        var file: Int32 = -1
        try LMDBError.check(mdb_env_get_fd(environment, &file), .open)
        // Where the path was all that there was to go by, it may have led elsewhere by then.
        guard FileStatus(descriptor: file)?.identity == FileStatus(name: "data.mdb", in: descriptor)?.identity
        else { throw LMDBError(.busy, .open, detail: "the directory was replaced meanwhile") }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    }

    /// A read transaction as of now that was kept; nil if there is none.
    ///
    /// - Throws: ``LMDBError`` if there is no room for its mark in the lock file.
    func takeIdleReader() throws(LMDBError) -> OpaquePointer? {
        guard let address = idleReaders.withLock({ $0.popLast() }),
            let reader = OpaquePointer(bitPattern: address)
        else { return nil }
        do throws(LMDBError) {
            try requireRoom()
        } catch {
            idleReaders.withLock { $0.append(address) }
            throw error
        }
        // Whatever is wrong with it, a new one says so.
        guard mdb_txn_renew(reader) == MDB_SUCCESS else {
            mdb_txn_abort(reader)
            return nil
        }
        return reader
    }

    /// Ends the use of a read transaction, and keeps it if not enough are kept.
    func keepIdleReader(_ reader: OpaquePointer) {
        mdb_txn_reset(reader)
        let address = UInt(bitPattern: reader)
        let isKept = idleReaders.withLock { readers in
            guard readers.count < Self.maximumIdleReaders else { return false }
            readers.append(address)
            return true
        }
        if !isKept { mdb_txn_abort(reader) }
    }

    private static let maximumIdleReaders = 4

    /// Takes away the read transactions that are kept, before the environment is closed.
    func takeIdleReaders() -> [OpaquePointer] {
        let addresses = idleReaders.withLock { readers in
            defer { readers = [] }
            return readers
        }
        return addresses.compactMap { OpaquePointer(bitPattern: $0) }
    }

    deinit {
        // A forked child must not touch the parent's environment, not even to close it.
        if getpid() == processIdentifier { EnvironmentRegistry.close(self) }
    }

    /// Whether this is still the process that opened the environment. After `fork()` it must not be used.
    package var isUsable: Bool { getpid() == processIdentifier || Mutant.noProcessCheck.isPlanted }

    /// Bytes of a page.
    package var pageSize: Int {
        var statistics = MDB_stat()
        return mdb_env_stat(handle, &statistics) == MDB_SUCCESS ? Int(statistics.ms_psize) : 4_096
    }

    /// Checks, once, what writing relies on beyond what was checked when the environment was opened.
    ///
    /// Left until something is written because it reads from each value that has pages of its own, and a
    /// program start that only reads should not wait for that.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/corrupted`` if the structure is damaged.
    func checkFitnessForWriting() throws(LMDBError) {
        try isFitForWriting.withLock { isFit throws(LMDBError) in
            if isFit { return }
            try checkStructure(forWriting: true)
            isFit = true
        }
    }

    /// Checks the structure of what a snapshot taken now sees, as opening and the first write do.
    ///
    /// - Parameter forWriting: Whether to check also what only writing relies on.
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/corrupted`` if the structure is damaged.
    /// - Complexity: O(*p*) in the pages of trees; for writing also in the values that have pages of their
    ///   own.
    package func checkStructure(forWriting: Bool) throws(LMDBError) {
        try requireRoom()
        try StructureValidator.check(handle, options, for: forWriting ? .writing : .reading) {
            handle throws(LMDBError) in
            try Self.beginReading(handle, environmentGuard)
        }
    }

    /// The handle of a named database, if it was opened before.
    func openedDatabase(_ name: String) -> NamedDatabase? {
        databases.withLock { databases in databases.first { $0.name == name }?.database }
    }

    /// Remembers the handle of a named database. The transaction that opened it must have been committed.
    func remember(_ database: NamedDatabase, name: String) {
        databases.withLock { databases in
            databases.removeAll { $0.name == name }
            databases.append((name, database))
        }
    }
}

/// A named database of an environment.
package struct NamedDatabase: Hashable, Sendable {
    let handle: MDB_dbi
}
