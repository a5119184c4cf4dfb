import CLMDB

/// The status of a file: its identity, size, owner and permissions.
package struct FileStatus: Sendable {
    /// The identity of the file, independent of its path.
    package let identity: DirectoryIdentity
    /// The size, in bytes.
    package let size: UInt64
    /// The size of the blocks that the file system has allocated, in bytes.
    package let reservedSize: UInt64
    /// The number of hard links.
    package let links: UInt64
    /// The identifier of the owner.
    package let owner: UInt32
    /// The permission bits.
    package let mode: UInt32
    /// Whether the file is regular.
    package let isRegular: Bool
    /// The number of the file system's type (`statfs(2)`), or 0 if unknown, as in the status of a name.
    package let fileSystem: UInt32

    /// Reads the status of an open file, or returns nil and sets `errno`.
    package init?(descriptor: Int32) {
        var status = clmdb_file_status()
        guard clmdb_status_of(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of a name in an open directory without following a link, or returns nil if the name
    /// does not exist or its status cannot be read.
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
    /// Reserves blocks for the start of an open file without changing its bytes.
    ///
    /// - Returns: 0, or an `errno`: `EOPNOTSUPP` if the file system or the machine does not support it.
    package static func reserve(_ descriptor: Int32, byteCount: UInt64) -> Int32 {
        clmdb_reserve(descriptor, byteCount)
    }

    /// Disables copy-on-write for an empty file, if the file system supports this.
    static func keepInPlace(_ descriptor: Int32) { clmdb_keep_in_place(descriptor) }

    /// Returns the number of free bytes in the file system of an open file, or nil if unknown.
    static func freeByteCount(_ descriptor: Int32) -> UInt64? {
        var count: UInt64 = 0
        return clmdb_free_bytes(descriptor, &count) == 0 ? count : nil
    }

    /// Whether the file system writes changed blocks to a new location, which needs free space, or whether
    /// this depends on an unknown file system below it.
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

/// The identity of a directory or file, independent of its path: the device and the inode number.
package struct DirectoryIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
