import Foundation

/// The identity of a file, independent of its path.
struct FileIdentity: Equatable, Sendable {
    let device: UInt64
    let node: UInt64

    /// Reads the identity of the file at a path, without opening it; nil if no file exists.
    init?(ofFileAt path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns the identity in a record of the file system.
    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        node = UInt64(truncatingIfNeeded: status.st_ino)
    }
}

/// Other processes may write to the directory of a file, and replace the file by links and other files at any
/// time. These operations affect only this file, or files that those processes could have changed themselves.
extension FileIdentity {
    /// Removes the directory entry at a path without symbolic links, if it is this file's.
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

    /// Truncates the file at a path without symbolic links, if it is this one.
    func empty(at path: String) {
        #if os(Linux) || os(Android)
        // The descriptor refers to the path only: closing a descriptor of the file would drop the locks that
        // SQLite holds on it in this process (open(2), O_PATH).
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
