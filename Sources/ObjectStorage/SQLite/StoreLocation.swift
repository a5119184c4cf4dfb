#if os(Linux) || os(Android)
import Foundation

/// The location of a store's file with all symbolic links resolved, where SQLite also keeps the log.
package struct StoreLocation {
    /// The directory.
    let directory: String
    /// The name of the file in the directory.
    let fileName: String

    /// Resolves a path, without opening the file; nil if it does not exist.
    init?(ofStoreAt path: String) {
        guard let resolved = SymbolicLinks.target(of: path) else { return nil }
        let parts = resolved.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, parts.count > 1 else { return nil }
        fileName = String(name)
        directory = parts.count == 2 ? "/" : parts.dropLast().joined(separator: "/")
    }

    /// The file systems to which other machines may write, or that a program implements.
    private static let sharedTypes = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "vboxsf", "ceph", "afs", "lustre", "gfs2",
        "ocfs2", "glusterfs", "beegfs",
    ]

    /// Returns whether other machines or programs may write to the directory without the kernel's knowledge.
    ///
    /// The result is true if the kernel does not list its file systems: an unnecessary look costs little, but
    /// a missed change is an error.
    func isShared() -> Bool {
        // If the table cannot be read, any file system may be shared.
        Self.isShared(
            directory, table: (try? Data(contentsOf: URL(filePath: "/proc/self/mountinfo"))).map(Array.init))
    }

    /// Returns the result of ``isShared()`` for the bytes of a table of mounts; true without a table.
    package static func isShared(_ directory: String, table: [UInt8]?) -> Bool {
        guard let table else { return true }
        // Directory names are bytes. Invalid text is converted identically in the table and in this path.
        return isShared(directory, mounts: String(decoding: table, as: UTF8.self))
    }

    /// Returns whether the file system of a directory is one to which other machines may write.
    ///
    /// - Parameter mounts: A table in the format of `/proc/self/mountinfo` (proc(5)), in which a later line
    ///   covers an earlier one.
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
