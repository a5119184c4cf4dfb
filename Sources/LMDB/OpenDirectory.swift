import Foundation

/// A directory that is held open, so that what is done in it is done in the directory that was looked at.
///
/// Others who may write the directory above can put something else in its place at any time. A path, or a
/// link, would lead there; a descriptor does not.
package struct OpenDirectory: ~Copyable {
    /// Closed with this value.
    package let descriptor: Int32
    /// The directory's status when it was opened.
    package let status: FileStatus

    /// Opens a directory; nil, with `errno` set, if that fails.
    ///
    /// - Parameters:
    ///   - name: The directory's name in another one, or a path.
    ///   - directory: An open directory that `name` is looked up in; nil for the current one.
    ///   - followsLink: Whether the last part of `name` may be a symbolic link. Earlier parts may be links.
    package init?(name: String, in directory: Int32? = nil, followsLink: Bool = false) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW)
        let opened = openat(directory ?? AT_FDCWD, name, flags)
        guard opened >= 0 else { return nil }
        guard let found = FileStatus(descriptor: opened) else {
            let code = errno
            close(opened)
            errno = code
            return nil
        }
        descriptor = opened
        status = found
    }

    deinit { close(descriptor) }

    /// The names in the directory but for `.` and `..`, in no order; nil, with `errno` set, if they cannot be
    /// read. Names that are not UTF-8 are repaired.
    ///
    /// - Complexity: O(*n*) in the number of names.
    package borrowing func names() -> [String]? {
        // A descriptor of its own, because the position in the list belongs to the opened file.
        let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard listed >= 0 else { return nil }
        guard let stream = fdopendir(listed) else {
            let code = errno
            close(listed)
            errno = code
            return nil
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        return errno == 0 ? names : nil
    }

    /// A path that leads to this directory, also when something else is at its former place; nil where the system has
    /// none.
    ///
    /// For liblmdb, which takes paths alone. Source: `proc(5)`, `/proc/pid/fd`.
    static func lastingPath(of descriptor: Int32, _ identity: DirectoryIdentity) -> String? {
        let path = "/proc/self/fd/\(descriptor)"
        return FileStatus(name: path + "/.", in: AT_FDCWD)?.identity == identity ? path : nil
    }
}
