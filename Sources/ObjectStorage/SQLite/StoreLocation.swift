#if os(Linux) || os(Android)
import Foundation

/// Where a store's file is, behind all links: where SQLite keeps the log beside it.
package struct StoreLocation {
    /// The directory.
    let directory: String
    /// The name of the file in it.
    let fileName: String

    /// Nil if there is no such file. Nothing is opened.
    init?(ofStoreAt path: String) {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let parts = String(cString: resolved).split(
            separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, parts.count > 1 else { return nil }
        fileName = String(name)
        directory = parts.count == 2 ? "/" : parts.dropLast().joined(separator: "/")
    }

    /// The file systems that other machines may write to, or that a program here brings about.
    private static let sharedTypes = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "vboxsf", "ceph", "afs", "lustre", "gfs2",
        "ocfs2", "glusterfs", "beegfs",
    ]

    /// Whether somebody may write to the directory without the kernel's knowledge.
    ///
    /// True where the kernel does not say which file systems there are: to look in vain costs little, not to
    /// notice is wrong.
    func isShared() -> Bool {
        // Why it cannot be read does not matter: then it is as if any file system might be shared.
        Self.isShared(
            directory, table: (try? Data(contentsOf: URL(filePath: "/proc/self/mountinfo"))).map(Array.init))
    }

    /// The same with the bytes of such a table; nil if there is none.
    package static func isShared(_ directory: String, table: [UInt8]?) -> Bool {
        guard let table else { return true }
        // Names of directories are bytes. Those that are no text become the same text here and in our path.
        return isShared(directory, mounts: String(decoding: table, as: UTF8.self))
    }

    /// Whether the file system that a directory is on is one that other machines may write to.
    ///
    /// - Parameter mounts: A table in the form of `/proc/self/mountinfo` (proc(5)), where a later line covers
    ///   an earlier one.
    package static func isShared(_ directory: String, mounts: String) -> Bool {
        let escaped = directory.replacing("\\", with: "\\134").replacing(" ", with: "\\040") + "/"
        var found: (length: Int, type: Substring) = (0, "")
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let separator = fields.firstIndex(of: "-"), separator > 5, separator + 1 < fields.count
            else { continue }
            let point = fields[4] == "/" ? "/" : fields[4] + "/"
            if escaped.hasPrefix(point), point.utf8.count >= found.length {
                found = (point.utf8.count, fields[separator + 1])
            }
        }
        return sharedTypes.contains(String(found.type)) || found.type.hasPrefix("fuse")
    }
}
#endif
