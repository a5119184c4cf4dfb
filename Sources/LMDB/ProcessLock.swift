import CLMDB
import Foundation
import Mutants
import Synchronization

/// A lock that limits a directory's environment to one opening for each process, and its reader table to one
/// process at a time.
///
/// LMDB identifies processes by their identifiers, and a process loses all of its LMDB locks when it closes
/// another descriptor of the lock file. Two copies of the library in one process, or two processes with the
/// same identifier in different containers, would therefore destroy each other's data. To prevent this,
/// opening an environment locks the byte of a file at the offset of the process identifier, and fails if the
/// byte is locked.
///
/// LMDB's lock of the reader table has no operation that only tries it, so a waiting process would wait
/// indefinitely for a holder that was stopped. Entering the table therefore first locks another byte, which
/// can be tried. A process that is stopped in the table then delays others only up to their wait limit.
///
/// The byte of the process is also locked inside the table. All other processes that hold their bytes at that
/// time have the environment open or are closing it, and do not wait for the table.
///
/// The file is in the directory and not beside it, because a container may have access only to the directory.
final class ProcessLock: Sendable {
    /// The file's name in the directory.
    static let fileName = "guard.lock"
    /// The offset of the reader table's byte, above all process identifiers.
    private static let tableByte: Int64 = 1 << 40

    /// The file, or nil on a read-only medium, where no process needs to be excluded, and for a read-only
    /// opening of a directory without the file.
    private let file: File?
    /// Whether the file did not exist before.
    private let isNew: Bool
    private let process = Int64(getpid())
    /// The lock that the thread in the table, or the thread that tries to enter it, holds. The file's locks
    /// do not exclude threads of one process from each other; these threads may wait for each other without a
    /// limit, because they are stopped only together.
    private let threads = NSLock()
    /// Whether the last attempt to enter the table failed. Then each call tries only once, so that only one
    /// of many callers waits.
    private let isStuck: Atomic<Bool>

    private final class File: Sendable {
        let file: LockableFile
        init(_ file: consuming LockableFile) { self.file = file }
    }

    /// Returns whether a directory has the file. A data file beside it was new, or was checked, when the file
    /// was created.
    static func exists(in directory: Int32) -> Bool { FileStatus(name: fileName, in: directory) != nil }

    /// Whether the lock has a file and excludes other processes.
    var isPresent: Bool { file != nil }

    /// Opens or creates the file without locking a byte.
    ///
    /// - Parameters:
    ///   - directory: The open directory.
    ///   - isNew: Whether the file does not exist.
    ///   - isReadOnly: Whether the directory is only read, so that the file is not created.
    ///   - isStuck: Whether the last attempt to enter the table failed.
    /// - Throws: ``LMDBError`` with an `errno`.
    init(directory: Int32, isNew: Bool, isReadOnly: Bool, isStuck: Bool) throws(LMDBError) {
        self.isStuck = Atomic(isStuck)
        self.isNew = isNew
        guard !isNew || !isReadOnly else {
            file = nil
            return
        }
        do throws(LMDBError) {
            file = File(try LockableFile(name: Self.fileName, in: directory))
        } catch  where isReadOnly && error.code.rawValue == EROFS {
            file = nil
        }
    }

    /// Locks the byte of this process. The caller must be in the table.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/guarded`` if the byte is locked elsewhere.
    func take() throws(LMDBError) {
        guard let file, !Mutant.noGuard.isPlanted else { return }
        guard try file.file.tryLock(process) else {
            throw LMDBError(.guarded, .guarding, detail: "process \(process)")
        }
    }

    /// Unlocks the byte of this process, if it is locked. The environment must have been closed.
    func release() { file?.file.unlock(process) }

    /// Writes a number of zeros to the file, which is beside LMDB's lock file, and returns whether the file
    /// system accepted them. Returns true without a file.
    func takesBytes(_ count: Int) -> Bool { file?.file.takesBytes(count) ?? true }

    /// Returns whether the file is still in the directory. The process that created the file removes it if
    /// opening fails, after which locks on it exclude no other process. The caller must be in the table; the
    /// result then stays true while a process holds a byte.
    func isInPlace(in directory: Int32) -> Bool {
        guard let file else { return true }
        return FileStatus(name: Self.fileName, in: directory)?.identity == file.file.identity
    }

    /// Removes the file if this lock created it and no other process uses it. The environment must have been
    /// closed.
    func takeBack(in directory: Int32) {
        guard isNew, file != nil else { return }
        do throws(LMDBError) {
            try withTable { () throws(LMDBError) in
                guard isInPlace(in: directory), try !isHeldElsewhere() else { return }
                unlinkat(directory, Self.fileName, 0)
            }
        } catch {
            // Another process is in the table and uses the file.
        }
    }

    /// Returns whether other processes, or other copies of the library, have the environment open.
    func isHeldElsewhere() throws(LMDBError) -> Bool {
        try file?.file.isLockedElsewhere(0..<Self.tableByte) ?? false
    }

    /// Runs a closure while no other process, and no other thread of this process, is in the reader table or
    /// opens the environment.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/busy`` if another process is in the table for longer
    ///   than 20 ms; the error of the closure.
    func withTable<Result>(_ body: () throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        guard let file else { return try body() }
        threads.lock()
        defer { threads.unlock() }
        let naps = isStuck.load(ordering: .relaxed) ? [] : LockRetrySchedule.naps
        var attempts = 0
        while try !file.file.tryLock(Self.tableByte) {
            guard attempts < naps.count || Mutant.unboundedWait.isPlanted else {
                isStuck.store(true, ordering: .relaxed)
                throw LMDBError(.busy, .guarding)
            }
            usleep(attempts < naps.count ? naps[attempts] : 1_000)
            attempts += 1
        }
        defer { file.file.unlock(Self.tableByte) }
        isStuck.store(false, ordering: .relaxed)
        return try body()
    }
}
