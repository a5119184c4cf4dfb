import CLMDB
import Foundation
import Mutants
import Synchronization

/// The preparation of LMDB's lock file before LMDB opens it.
enum LockFile {
    private static let name = "lock.mdb"
    /// The byte that LMDB locks while it has the file open: exclusively during opening, shared afterwards.
    private static let openByte: Range<Int64> = 0..<1
    /// The descriptors of lock files that this process has open without the registry, kept for later checks.
    /// They stay open, because closing them would release the locks of the other opening.
    private static let foreign = Mutex<[(file: DirectoryIdentity, descriptor: Int32)]>([])

    /// Reserves the file's blocks, and checks that LMDB can open the file without destroying data and without
    /// waiting.
    ///
    /// LMDB creates the file as a sparse file and maps it for writing, even if the environment is
    /// read-only; on a full disk, writing to the map would kill the process. LMDB also initializes the file
    /// again if no process has a lock on it, although a process that lost its locks may be using it.
    ///
    /// The environment must not be open in this process, and the caller must be in the process lock's table.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/guarded`` if the environment is open in this process
    ///   unknown to the registry, or in a process that has lost its locks; with ``LMDBError/Code/busy`` if
    ///   another process is opening it; with an `errno`.
    static func prepare(
        in directory: Int32, guardedBy environmentGuard: ProcessLock, isReadOnly: Bool
    ) throws(LMDBError) {
        guard let descriptor = try open(in: directory, isReadOnly: isReadOnly) else { return }
        do throws(LMDBError) {
            guard let status = FileStatus(descriptor: descriptor) else {
                throw LMDBError(LMDBError.Code(rawValue: errno), .open, detail: name)
            }
            if try isOpenHere(descriptor) {
                foreign.withLock { $0.append((status.identity, descriptor)) }
                throw LMDBError(.guarded, .guarding, detail: "this process has \(name) open")
            }
            try reserve(descriptor, status)
            try waitForOthers(descriptor, environmentGuard)
        } catch {
            if error.code != .guarded || !isKept(descriptor) { close(descriptor) }
            throw error
        }
        close(descriptor)
    }

    /// Opens the file, or returns nil on a read-only medium, where LMDB reads without locks.
    private static func open(in directory: Int32, isReadOnly: Bool) throws(LMDBError) -> Int32? {
        let kept = foreign.withLock { foreign -> Int32? in
            guard !foreign.isEmpty, let identity = FileStatus(name: name, in: directory)?.identity,
                let position = foreign.firstIndex(where: { $0.file == identity })
            else { return nil }
            return foreign.remove(at: position).descriptor
        }
        if let kept { return kept }
        let flags = O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = openat(directory, name, flags, 0o600)
        if descriptor >= 0 { return descriptor }
        if isReadOnly, errno == EROFS { return nil }
        throw LMDBError(LMDBError.Code(rawValue: errno), .open, detail: name)
    }

    private static func isKept(_ descriptor: Int32) -> Bool {
        foreign.withLock { $0.contains { $0.descriptor == descriptor } }
    }

    private static func reserve(_ descriptor: Int32, _ status: FileStatus) throws(LMDBError) {
        guard status.size < minimumSize || status.reservedSize < minimumSize,
            !Mutant.sparseLockFile.isPlanted
        else { return }
        if status.size == 0, !Mutant.touchedWithoutRoom.isPlanted { FileStatus.keepInPlace(descriptor) }
        let code = FileStatus.reserve(descriptor, byteCount: minimumSize)
        guard code == 0 || code == EOPNOTSUPP else {
            throw LMDBError(LMDBError.Code(rawValue: code), .open, detail: name)
        }
    }

    private static let minimumSize: UInt64 = 8_192

    /// Returns whether this process, or a process with the same identifier, has LMDB's locks on the file.
    private static func isOpenHere(_ descriptor: Int32) throws(LMDBError) -> Bool {
        if Mutant.noGuard.isPlanted { return false }
        let process = Int64(getpid())
        if let holder = try LockableFile.holder(of: openByte, descriptor: descriptor),
            Int64(holder.process) == process
        {
            return true
        }
        // LMDB locks the byte at the process identifier while the process has readers.
        return try LockableFile.holder(of: process..<process + 1, descriptor: descriptor) != nil
    }

    private static func waitForOthers(
        _ descriptor: Int32, _ environmentGuard: ProcessLock
    ) throws(LMDBError) {
        var isBeingOpened = false
        for nap in LockRetrySchedule.naps {
            let holder = try LockableFile.holder(of: openByte, descriptor: descriptor)
            isBeingOpened = holder?.isExclusive ?? false
            // A process that closed the file but holds its process lock is about to release it.
            if holder == nil, try !environmentGuard.isHeldElsewhere() { return }
            if holder != nil, !isBeingOpened { return }
            usleep(nap)
        }
        if isBeingOpened { throw LMDBError(.busy, .guarding) }
        throw LMDBError(.guarded, .guarding, detail: "a process has \(name) open without locks")
    }
}
