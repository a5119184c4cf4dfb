import Foundation

/// The identity, the size and the modification time of a file. Equal records mean that no program has changed
/// the file, as far as its file system tells.
///
/// The file is not opened, because closing it would drop SQLite's locks.
struct FileRecord: Equatable, Sendable {
    private var identity: FileIdentity?
    /// The size in bytes; 0 without a file.
    private(set) var size = 0
    private var seconds = 0
    private var nanoseconds = 0

    /// Reads the record of the file at a path. An empty file, which remains after a program could not enlarge
    /// it, has the record of a missing file.
    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return }
        identity = FileIdentity(ofFileAt: path)
        size = Int(status.st_size)
        #if canImport(Darwin)
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }

    /// Whether another write could leave the same record.
    ///
    /// The kernel records times from a clock that advances every 1 to 10 ms. A file system without
    /// nanoseconds records whole seconds or multiples of two seconds.
    var isRecent: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let age = (now.tv_sec - seconds) * 1_000 + (now.tv_nsec - nanoseconds) / 1_000_000
        return age < (nanoseconds == 0 ? 2_500 : 100)
    }
}
