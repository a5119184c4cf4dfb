import Foundation
import LMDB

extension CacheDirectory {
    /// The file systems on which LMDB may be used, by their numbers in `statfs(2)`. Network and user-space
    /// file systems do not give the guarantees about locks and maps that LMDB needs.
    private static let allowed: [UInt32] = [
        0xEF53,  // ext2, ext3, ext4
        0x5846_5342,  // xfs
        0x9123_683E,  // btrfs
        0xF2F5_2010,  // f2fs
        0x2FC1_2FC1,  // zfs
        0x0102_1994,  // tmpfs
        0x794C_7630,  // overlayfs
        0xCA45_1A4E,  // bcachefs
    ]

    /// Returns whether the file system of a path has less than 1 MiB of free space.
    static func isFull(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
        return (attributes?[.systemFreeSize] as? NSNumber).map { $0.int64Value < 1 << 20 } ?? false
    }

    /// Throws an error for a directory on a file system that is not allowed. A file system of unknown type is
    /// allowed.
    static func checkFileSystem(_ status: FileStatus) throws(CacheUnavailable) {
        guard status.fileSystem == 0 || allowed.contains(status.fileSystem) else {
            throw CacheUnavailable(
                reason: .unsupportedFileSystem("0x" + String(status.fileSystem, radix: 16)))
        }
    }
}
