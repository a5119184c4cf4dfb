import CLMDB
import Foundation

/// An open file whose bytes can be locked exclusively.
///
/// The locks belong to the open file, not to the process (`fcntl(2)`, "open file description locks"). So a
/// second copy of the library in the same process does not get them, closing another descriptor of the file
/// does not release them, and the system releases them when the process ends for any reason.
package struct LockableFile: ~Copyable {
    private let descriptor: Int32

    /// Opens a file, or creates it with mode 0600. A symbolic link is not followed.
    ///
    /// - Parameters:
    ///   - name: The file's name in the directory, or a path.
    ///   - directory: An open directory, or nil for the current directory.
    /// - Throws: ``LMDBError`` with an `errno`.
    package init(name: String, in directory: Int32? = nil) throws(LMDBError) {
        descriptor = openat(
            directory ?? AT_FDCWD, name, O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LMDBError(LMDBError.Code(rawValue: errno), .guarding, detail: name)
        }
    }

    deinit { close(descriptor) }

    /// The identity of the file.
    var identity: DirectoryIdentity? { FileStatus(descriptor: descriptor)?.identity }

    /// Whether the file is regular, belongs to this user, has one name, and is not writable by other users.
    package var isPrivate: Bool {
        guard let status = FileStatus(descriptor: descriptor) else { return false }
        return status.isRegular && status.owner == geteuid() && status.links == 1 && status.mode & 0o022 == 0
    }

    /// Tries to lock a byte, without waiting.
    ///
    /// - Returns: Whether the byte was locked. False means that another open file has the lock.
    /// - Throws: ``LMDBError`` with an `errno` if the file system does not support such locks.
    package borrowing func tryLock(_ byte: Int64) throws(LMDBError) -> Bool {
        let status = clmdb_set_lock(descriptor, byte, 1)
        if status == EAGAIN || status == EACCES { return false }
        try LMDBError.check(status, .guarding)
        return true
    }

    /// Unlocks a byte. Closing the file would also unlock it, but not while a forked child has the file open.
    package borrowing func unlock(_ byte: Int64) { _ = clmdb_set_lock(descriptor, byte, 0) }

    /// Returns whether another open file has locked one of the bytes.
    package borrowing func isLockedElsewhere(_ bytes: Range<Int64>) throws(LMDBError) -> Bool {
        try Self.holder(of: bytes, descriptor: descriptor) != nil
    }

    /// Writes a number of zeros at the beginning of the file, and returns whether the file system accepted
    /// them. The content has no meaning.
    borrowing func takesBytes(_ count: Int) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { bytes in
            bytes.initialize(repeating: 0)
            return pwrite(descriptor, bytes.baseAddress, count, 0) == count
        }
    }

    /// The holder of a lock.
    struct Holder {
        /// Whether the lock excludes all other locks.
        let isExclusive: Bool
        /// The identifier of the process that holds the lock, if this process can see it.
        let process: pid_t
    }

    /// Returns the holder of a lock on one of the bytes of an open file, other than that open file itself, or
    /// nil if none of the bytes is locked.
    static func holder(of bytes: Range<Int64>, descriptor: Int32) throws(LMDBError) -> Holder? {
        var holder = clmdb_lock_holder()
        try LMDBError.check(
            clmdb_find_lock(descriptor, bytes.lowerBound, Int64(bytes.count), &holder), .guarding)
        guard holder.is_held != 0 else { return nil }
        return Holder(isExclusive: holder.is_exclusive != 0, process: holder.process)
    }
}
