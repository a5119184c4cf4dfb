import CLMDB
import Foundation

/// An open file whose bytes can be locked against everybody else.
///
/// The locks belong to the open file, not to the process (`fcntl(2)`, "open file description locks"). So a
/// second copy of the library in the same process does not get them, closing another descriptor of the file
/// does not drop them, and the system drops them when the process ends, however it ends.
package struct LockableFile: ~Copyable {
    private let descriptor: Int32

    /// Opens a file, or makes it with mode 0600. A link is not followed.
    ///
    /// - Parameters:
    ///   - name: The file's name in the directory, or a path.
    ///   - directory: An open directory; nil for the current one.
    /// - Throws: ``LMDBError`` with an `errno`.
    package init(name: String, in directory: Int32? = nil) throws(LMDBError) {
        descriptor = openat(
            directory ?? AT_FDCWD, name, O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LMDBError(LMDBError.Code(rawValue: errno), .guarding, detail: name)
        }
    }

    deinit { close(descriptor) }

    /// Which file it is.
    var identity: DirectoryIdentity? { FileStatus(descriptor: descriptor)?.identity }

    /// Whether it is a regular file of this user's, which has no second name and which others may not write.
    package var isPrivate: Bool {
        guard let status = FileStatus(descriptor: descriptor) else { return false }
        return status.isRegular && status.owner == geteuid() && status.links == 1 && status.mode & 0o022 == 0
    }

    /// Locks a byte if nobody else has it.
    ///
    /// - Returns: False if somebody else has it. Nothing is waited for.
    /// - Throws: ``LMDBError`` with an `errno` where the file system has no such locks.
    package borrowing func tryLock(_ byte: Int64) throws(LMDBError) -> Bool {
        let status = clmdb_set_lock(descriptor, byte, 1)
        if status == EAGAIN || status == EACCES { return false }
        try LMDBError.check(status, .guarding)
        return true
    }

    /// Gives up a byte. Closing the file would do so as well, but not while a forked child has it open.
    package borrowing func unlock(_ byte: Int64) { _ = clmdb_set_lock(descriptor, byte, 0) }

    /// Whether somebody else has locked one of some bytes.
    package borrowing func isLockedElsewhere(_ bytes: Range<Int64>) throws(LMDBError) -> Bool {
        try Self.holder(of: bytes, descriptor: descriptor) != nil
    }

    /// Whether the file system takes some bytes for the file, which means nothing.
    borrowing func takesBytes(_ count: Int) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
            bytes.initialize(repeating: 0)
            return pwrite(descriptor, bytes.baseAddress, count, 0) == count
        }
    }

    /// Somebody who has a lock.
    struct Holder {
        /// Whether nobody may have one beside.
        let isExclusive: Bool
        /// The process, if the lock belongs to one that this process can see.
        let process: pid_t
    }

    /// Who has locked one of some bytes of an open file, beside that open file itself; nil if nobody has.
    static func holder(of bytes: Range<Int64>, descriptor: Int32) throws(LMDBError) -> Holder? {
        var holder = clmdb_lock_holder()
        try LMDBError.check(
            clmdb_find_lock(descriptor, bytes.lowerBound, Int64(bytes.count), &holder), .guarding)
        guard holder.is_held != 0 else { return nil }
        return Holder(isExclusive: holder.is_exclusive != 0, process: holder.process)
    }
}
