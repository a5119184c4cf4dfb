import Foundation

/// The locks of other processes on a store.
///
/// A connection to a database in WAL mode holds a shared lock on the database file for as long as it is open,
/// and with it SQLite detects the last connection. In a database with a rollback journal, only a connection
/// within a transaction holds a lock. Sources: "File Locking And Concurrency In SQLite Version 3",
/// sqlite.org/lockingv3.html; "The Lock-Byte Page", sqlite.org/fileformat2.html.
enum StoreLocks {
    /// The first byte of the range for shared locks, two bytes after the pending byte at 1 GiB.
    private static let firstSharedByte: off_t = 0x4000_0002
    /// The number of bytes in the range.
    private static let numberOfSharedBytes: off_t = 510

    /// Whether another process has a store open.
    enum Answer: Equatable {
        /// No other process has it open.
        case free
        /// The process with this identifier has it open; nil if the system does not name the process, as for
        /// one in another container or on another computer.
        case process(pid_t?)
        /// Unknown, with the reason.
        case unknown(String)
    }

    /// Returns whether another process has a store open.
    ///
    /// The locks of this process do not count. `F_GETLK` needs an open descriptor of the file. One of
    /// SQLite's descriptors is used, because closing another one would drop the locks of this process.
    ///
    /// - Complexity: O(*n*) in the open files of this process.
    static func otherProcess(withStoreAt path: String) -> Answer {
        #if os(Linux) || os(Android)
        var file = stat()
        guard stat(path, &file) == 0 else { return .unknown("the file cannot be examined") }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        } catch {
            return .unknown("/proc/self/fd cannot be read")
        }
        for descriptor in names.compactMap({ Int32($0) }) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_dev == file.st_dev,
                status.st_ino == file.st_ino
            else { continue }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = firstSharedByte
            lock.l_len = numberOfSharedBytes
            guard fcntl(descriptor, F_GETLK, &lock) == 0 else {
                return .unknown("its file system does not report locks")
            }
            return lock.l_type == Int16(F_UNLCK) ? .free : .process(lock.l_pid > 0 ? lock.l_pid : nil)
        }
        return .unknown("its file is not the one that this process has open")
        #else
        // Only SQLite's own locks keep other processes from writing at the same time.
        return .free
        #endif
    }
}
