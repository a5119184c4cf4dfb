import Foundation

/// An open directory, so that later operations use the same directory that was checked.
///
/// Other processes with write access to the parent directory can replace the directory at any time. A path,
/// or a link, would then lead to the replacement; a descriptor does not.
package struct OpenDirectory: ~Copyable {
    /// The directory's descriptor, which is closed with this value.
    package let descriptor: Int32
    /// The directory's status when it was opened.
    package let status: FileStatus

    /// Opens a directory, or returns nil and sets `errno`.
    ///
    /// - Parameters:
    ///   - name: The directory's name in another directory, or a path.
    ///   - directory: An open directory in which `name` is looked up, or nil for the current directory.
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

    /// Returns the names in the directory except `.` and `..`, in no particular order, or returns nil and
    /// sets `errno` if they cannot be read. Invalid UTF-8 in names is repaired.
    ///
    /// - Complexity: O(*n*) in the number of names.
    package borrowing func names() -> [String]? {
        // A separate descriptor, because the read position belongs to the open file description.
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

    /// Returns a path to an open directory that stays valid if the directory is moved or replaced, or nil
    /// if the system has no such path.
    ///
    /// liblmdb accepts only paths. Source: `proc(5)`, `/proc/pid/fd`.
    static func lastingPath(of descriptor: Int32, _ identity: DirectoryIdentity) -> String? {
        let path = "/proc/self/fd/\(descriptor)"
        return FileStatus(name: path + "/.", in: AT_FDCWD)?.identity == identity ? path : nil
    }
}
