import CLMDB
import Foundation
import Mutants
import Synchronization

/// An LMDB environment: a directory with a data file and a lock file, mapped into memory.
///
/// A process has at most one environment for each directory, because closing a second one would release the
/// first one's locks (`lmdb.h`, caveats). Only ``EnvironmentRegistry`` creates environments, and enforces
/// this.
///
/// SAFETY: LMDB allows the use of an environment on any thread. `handle` is set once and closed once, in
/// `deinit`, when no transaction exists, because each transaction retains the environment.
package final class Environment: @unchecked Sendable {
    /// The options for opening an environment.
    package struct Options: Hashable, Sendable {
        /// The size of the map in bytes, which limits the size of the file.
        package var mapSize: Int
        /// The number of named databases beyond which this process adds none. The file may have more.
        package var maximumDatabases: UInt32
        /// Whether to open read-only. Only LMDB's lock file is created.
        package var isReadOnly: Bool
        /// The patterns that most keys of each named database match. A file with other keys is not opened.
        /// Without patterns, any keys are accepted.
        package var keyPatterns: [KeyPattern]

        /// Creates options.
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
    /// The descriptor of the directory. It stays open so that no other directory can get the same inode
    /// number, by which the registry identifies the directory.
    let directoryDescriptor: Int32
    /// The identity of the directory.
    package let identity: DirectoryIdentity
    private let processIdentifier: pid_t
    /// Whether writing to the lock file requires free disk space. See ``requireRoom(for:)``.
    let needsRoom: Bool
    /// The lock that excludes processes whose use of the environment would destroy data.
    let environmentGuard: ProcessLock
    /// The directory's path.
    package let path: String
    /// The options with which the environment was opened.
    package let options: Options
    /// Whether nothing can be written. With ``Options/isReadOnly``, the environment is still opened for
    /// writing if the file allows it, so that other parts of the process can write.
    let isReadOnly: Bool
    /// The handles of named databases. Each is opened once and never closed (`lmdb.h`, `mdb_dbi_close`).
    ///
    /// An array, because a program uses few names, and the type of a dictionary would be created at launch.
    private let databases = Mutex<[(name: String, database: NamedDatabase)]>([])
    /// The lock that is held while a reader opens a handle, and during each write transaction, which may open
    /// one.
    let opening = Mutex<Void>(())
    /// The handles that the running write transaction has opened.
    let uncommittedDatabases = Mutex<[String: NamedDatabase]>([:])
    /// Reset read transactions for reuse. Beginning a new one takes the lock of the reader table and clears
    /// memory for the largest number of named databases.
    ///
    /// Stored as addresses, because the compiler does not allow storing pointers in a mutex that the caller
    /// might continue to use.
    private let idleReaders = Mutex<[UInt]>([])
    /// Whether the file passed the check before writing.
    private let isFitForWriting = Mutex(false)

    /// Opens a directory.
    ///
    /// - Parameter isStuck: Whether another process recently held the lock for opening the environment for
    ///   longer than the wait limit.
    init(
        path: String, key: DirectoryIdentity, options: Options, isStuck: Bool
    ) throws(LMDBError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(LMDBError.Code(rawValue: errno), .open) }
        do throws(LMDBError) {
            // Fails if the directory was replaced since the caller determined its identity.
            guard let status = FileStatus(descriptor: descriptor), status.identity == key else {
                throw LMDBError(.busy, .open)
            }
            needsRoom = status.mayCopyOnWrite
            // Without a guard file, the data file may belong to another program. Then no file is created in
            // the directory.
            let isGuardNew = !ProcessLock.exists(in: descriptor)
            if isGuardNew {
                try StructureValidator.checkFile(in: descriptor, options, withTrees: true)
            }
            environmentGuard = try ProcessLock(
                directory: descriptor, isNew: isGuardNew, isReadOnly: options.isReadOnly, isStuck: isStuck)
            isReadOnly =
                options.isReadOnly
                && (!environmentGuard.isPresent || faccessat(descriptor, "data.mdb", R_OK | W_OK, 0) != 0)
            // Other processes with write access to the parent directory may replace the directory meanwhile.
            let location = OpenDirectory.lastingPath(of: descriptor, key) ?? path
            handle = try Self.open(
                location, descriptor, options, environmentGuard, isReadOnly: isReadOnly, needsRoom: needsRoom)
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
            // reading ahead costs milliseconds when they are cold. NOSYNC: data that is torn by a power cut
            // is rejected and computed again.
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
                // liblmdb trusts a file's meta pages when it opens the file, and its trees when it reads
                // them.
                let names = try StructureValidator.checkFile(in: descriptor, options, withTrees: false)
                // Handles for all existing names, even if other processes created more than this one may, and
                // one more for the look-up of a name that does not exist.
                let handles = max(options.maximumDatabases, UInt32(min(names, maximumHandles))) + 1
                try LMDBError.check(mdb_env_set_maxdbs(environment, handles), .create)
                try openFiles(environment, path, descriptor, flags)
                // Readers that died would prevent the reuse of pages.
                try clearDeadReaders(environment)
            }
            try StructureValidator.check(environment, options, for: .reading) {
                environment throws(LMDBError) in
                try beginReading(environment, environmentGuard)
            }
        } catch {
            // The handle must be closed even after a failed open (`lmdb.h`, `mdb_env_open`).
            mdb_env_close(environment)
            environmentGuard.takeBack(in: descriptor)
            environmentGuard.release()
            throw error
        }
        return environment
    }

    /// The limit of handles, because each adds some bytes to every transaction.
    private static let maximumHandles: UInt64 = 1 << 16

    private static func openFiles(
        _ environment: OpaquePointer, _ path: String, _ descriptor: Int32, _ flags: UInt32
    ) throws(LMDBError) {
        let isNew = FileStatus(name: "data.mdb", in: descriptor)?.size ?? 0 == 0
        let status = mdb_env_open(environment, path, flags, 0o600)
        // On a disk with room for only one page, half of a new file is written, which could never be opened.
        if status != MDB_SUCCESS, isNew, flags & UInt32(MDB_RDONLY) == 0, !Mutant.noRecovery.isPlanted {
            unlinkat(descriptor, "data.mdb", 0)
        }
        try LMDBError.check(status, .open)
        // liblmdb lets child programs inherit the descriptor of its data file; `FD_CLOEXEC` below prevents
        // it.
        var file: Int32 = -1
        try LMDBError.check(mdb_env_get_fd(environment, &file), .open)
        // Without a path that stays valid, liblmdb may have opened a file in another directory.
        guard FileStatus(descriptor: file)?.identity == FileStatus(name: "data.mdb", in: descriptor)?.identity
        else { throw LMDBError(.busy, .open, detail: "the directory was replaced while it was opened") }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    }

    /// Renews a kept read transaction for the current state, or returns nil if none is kept.
    ///
    /// - Throws: ``LMDBError`` if the disk has no room for writing its reader slot in the lock file.
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
        // If renewing fails, beginning a new transaction reports the error.
        guard mdb_txn_renew(reader) == MDB_SUCCESS else {
            mdb_txn_abort(reader)
            return nil
        }
        return reader
    }

    /// Resets a read transaction, and keeps it for reuse unless the largest number is kept.
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

    /// Removes and returns the kept read transactions, before the environment is closed.
    func takeIdleReaders() -> [OpaquePointer] {
        let addresses = idleReaders.withLock { readers in
            defer { readers = [] }
            return readers
        }
        return addresses.compactMap { OpaquePointer(bitPattern: $0) }
    }

    deinit {
        // A forked child must not use the parent's environment, nor close it.
        if getpid() == processIdentifier { EnvironmentRegistry.close(self) }
    }

    /// Whether this process opened the environment. A forked child must not use it.
    package var isUsable: Bool { getpid() == processIdentifier || Mutant.noProcessCheck.isPlanted }

    /// The size of a page, in bytes.
    package var pageSize: Int {
        var statistics = MDB_stat()
        return mdb_env_stat(handle, &statistics) == MDB_SUCCESS ? Int(statistics.ms_psize) : 4_096
    }

    /// Checks, once, the structure that writing relies on in addition to the check at opening.
    ///
    /// The check is deferred to the first write, because it reads from each value on overflow pages, and a
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

    /// Checks the structure of the current state, as opening and the first write do.
    ///
    /// - Parameter forWriting: Whether to also check the parts that only writing relies on.
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/corrupted`` if the structure is damaged.
    /// - Complexity: O(*p*) in the pages of trees, and for writing also in the values on overflow pages.
    package func checkStructure(forWriting: Bool) throws(LMDBError) {
        try requireRoom()
        try StructureValidator.check(handle, options, for: forWriting ? .writing : .reading) {
            handle throws(LMDBError) in
            try Self.beginReading(handle, environmentGuard)
        }
    }

    /// Returns the handle of a named database, or nil if it was not opened before.
    func openedDatabase(_ name: String) -> NamedDatabase? {
        databases.withLock { databases in databases.first { $0.name == name }?.database }
    }

    /// Stores the handle of a named database. The transaction that opened it must have been committed.
    func remember(_ database: NamedDatabase, name: String) {
        databases.withLock { databases in
            databases.removeAll { $0.name == name }
            databases.append((name, database))
        }
    }
}
