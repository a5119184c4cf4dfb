import Foundation

/// Which file a path leads to.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let node: UInt64

    /// Nil if there is none. Nothing is opened.
    init?(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        node = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// Others may write the directory of a file, and put links and files of other names in its place at any
/// time. What is done here is done to this file, or to nothing that others could not have done it to.
extension FileIdentity {
    /// Removes the name at a path without links, if it is this file's.
    func remove(at path: String) {
        let url = URL(filePath: path)
        let directory = open(
            url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        var status = stat()
        guard fstatat(directory, url.lastPathComponent, &status, AT_SYMLINK_NOFOLLOW) == 0,
            FileIdentity(status) == self
        else { return }
        unlinkat(directory, url.lastPathComponent, 0)
    }

    /// Empties the file at a path without links, if it is this one.
    func empty(at path: String) {
        #if os(Linux) || os(Android)
        // A descriptor for the path alone: to close one of the file would drop the locks that SQLite has on
        // it in this process (open(2), O_PATH).
        let pathAlone: Int32 = 0o10_000_000
        let descriptor = open(path, pathAlone | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, FileIdentity(status) == self else { return }
        truncate("/proc/self/fd/\(descriptor)", 0)
        #else
        truncate(path, 0)
        #endif
    }
}
