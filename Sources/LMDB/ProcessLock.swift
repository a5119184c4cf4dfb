import CLMDB
import Foundation
import Mutants
import Synchronization

/// Keeps a directory's environment to one opener a process, and its reader table to one process at a time.
///
/// LMDB knows processes by their numbers, and keeps their locks in a way that a process loses all of them
/// when it closes the lock file a second time. Two copies of the library in one process, or two processes
/// with one number in different containers, would so destroy each other's data. Whoever opens an environment
/// therefore locks the byte of a file that its process number says, and does without the environment if
/// somebody has it.
///
/// LMDB's reader table has a lock that can only be waited for, also when its owner was stopped. So whoever
/// enters the table first takes another byte, which can be tried. A process that is stopped in the table then
/// keeps others out for as long as they care to try.
///
/// The process's own byte is taken in the table too. Whoever is in the table then knows that the others who
/// have theirs have the environment open or are closing it, and do not wait for the table.
///
/// The file is in the directory and not beside it, because a container may be given the directory alone.
final class ProcessLock: Sendable {
    /// The file's name in the directory.
    static let fileName = "guard.lock"
    /// Above all process numbers.
    private static let tableByte: Int64 = 1 << 40

    /// Nil on a medium that nobody can write, and so nobody has to be kept from, and where the directory is
    /// only read and there is none.
    private let file: File?
    /// Whether there was none before.
    private let isNew: Bool
    private let process = Int64(getpid())
    /// Held by the thread that is in the table or tries to be: the file's locks do not keep threads apart,
    /// and threads of a process are stopped together.
    private let threads = NSLock()
    /// Whether the table could not be entered lately. Then it is tried once each time, so that of many who
    /// want to, only one waits.
    private let isStuck: Atomic<Bool>

    private final class File: Sendable {
        let file: LockableFile
        init(_ file: consuming LockableFile) { self.file = file }
    }

    /// Whether a directory has the file. Where there is a data file as well, it is one that was new, or was
    /// known, when the file was made.
    static func exists(in directory: Int32) -> Bool { FileStatus(name: fileName, in: directory) != nil }

    /// Whether anybody is kept out.
    var isPresent: Bool { file != nil }

    /// Opens the file, or makes it, and locks nothing.
    ///
    /// - Parameters:
    ///   - directory: The open directory.
    ///   - isNew: Whether there is none.
    ///   - isReadOnly: Whether the directory is only read, so that nothing is made in it.
    ///   - isStuck: Whether the table could not be entered lately.
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

    /// Takes this process's byte. The caller must be in the table.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/guarded`` if somebody else has the byte.
    func take() throws(LMDBError) {
        guard let file, !Mutant.noGuard.isPlanted else { return }
        guard try file.file.tryLock(process) else {
            throw LMDBError(.guarded, .guarding, detail: "process \(process)")
        }
    }

    /// Gives up this process's byte, if it has it. The environment must have been closed.
    func release() { file?.file.unlock(process) }

    /// Whether the file system takes some bytes beside the lock file.
    func takesBytes(_ count: Int) -> Bool { file?.file.takesBytes(count) ?? true }

    /// Whether the directory has the file still. Who made it takes it back if the opening fails, and then its
    /// locks keep nobody out. The caller must be in the table, so that it stays true for as long as somebody
    /// has a byte.
    func isInPlace(in directory: Int32) -> Bool {
        guard let file else { return true }
        return FileStatus(name: Self.fileName, in: directory)?.identity == file.file.identity
    }

    /// Removes the file again if there was none before, and nobody else goes on to use it. The environment
    /// must have been closed.
    func takeBack(in directory: Int32) {
        guard isNew, file != nil else { return }
        do throws(LMDBError) {
            try withTable { () throws(LMDBError) in
                guard isInPlace(in: directory), try !isHeldElsewhere() else { return }
                unlinkat(directory, Self.fileName, 0)
            }
        } catch {
            // Somebody is in the table, whose the file is then.
        }
    }

    /// Whether other processes, or other copies of the library, have the environment open.
    func isHeldElsewhere() throws(LMDBError) -> Bool {
        try file?.file.isLockedElsewhere(0..<Self.tableByte) ?? false
    }

    /// Runs a closure while no other process, and no other thread of this one, is in the reader table or
    /// opens the environment.
    ///
    /// - Throws: ``LMDBError`` with ``LMDBError/Code/busy`` if somebody else is there for longer than 20 ms;
    ///   what the closure throws.
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
