import CLMDB

/// What the system says of a file: whose it is, how large, and which.
package struct FileStatus: Sendable {
    /// Which file it is, whatever its path.
    package let identity: DirectoryIdentity
    /// Bytes.
    package let size: UInt64
    /// Bytes that the file system has set aside for it.
    package let reservedSize: UInt64
    /// The number of names it has.
    package let links: UInt64
    /// The user it belongs to.
    package let owner: UInt32
    /// The permission bits.
    package let mode: UInt32
    /// Whether it is a regular file.
    package let isRegular: Bool
    /// The number of the file system's type (`statfs(2)`), or 0 where that is not known.
    package let fileSystem: UInt32

    /// The status of an open file; nil, with `errno` set, if it cannot be had.
    package init?(descriptor: Int32) {
        var status = clmdb_file_status()
        guard clmdb_status_of(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of a name in an open directory, not following a link; nil if there is none.
    package init?(name: String, in directory: Int32) {
        var status = clmdb_file_status()
        guard clmdb_status_at(directory, name, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: clmdb_file_status) {
        identity = DirectoryIdentity(device: status.device, inode: status.inode)
        size = status.size
        reservedSize = status.reserved_size
        links = status.links
        owner = status.owner
        mode = status.mode
        isRegular = status.is_regular != 0
        fileSystem = status.file_system
    }
}

extension FileStatus {
    /// Sets blocks aside for the start of an open file without changing its bytes.
    ///
    /// - Returns: 0, or an `errno`; `EOPNOTSUPP` where the file system or the machine cannot do it.
    package static func reserve(_ descriptor: Int32, byteCount: UInt64) -> Int32 {
        clmdb_reserve(descriptor, byteCount)
    }

    /// Asks the file system to write an empty file's blocks where they are, now and later.
    static func keepInPlace(_ descriptor: Int32) { clmdb_keep_in_place(descriptor) }

    /// The bytes that the file system of an open file has left; nil if that is not known.
    static func freeByteCount(_ descriptor: Int32) -> UInt64? {
        var count: UInt64 = 0
        return clmdb_free_bytes(descriptor, &count) == 0 ? count : nil
    }

    /// Whether the file system writes what is changed to another place, for which there must be room, or lies
    /// on one of which that is not known.
    var mayCopyOnWrite: Bool {
        let kinds: [UInt32] = [
            0x9123_683E,  // btrfs
            0xCA45_1A4E,  // bcachefs
            0x2FC1_2FC1,  // zfs
            0x794C_7630,  // overlayfs
            0x5846_5342,  // xfs, for files whose blocks a copy shares
        ]
        return kinds.contains(fileSystem)
    }
}

/// What a directory is, whatever its path: the device and the number of its inode.
package struct DirectoryIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
