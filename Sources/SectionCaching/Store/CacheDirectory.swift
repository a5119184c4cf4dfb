import Foundation
import LMDB
import Mutants

/// A checked cache directory: it belongs to this user, is not writable by others, and is on a file system
/// that LMDB may use.
struct CacheDirectory {
    private let path: String
    /// The identity of the directory that was checked.
    let identity: DirectoryIdentity
    /// Whether a data file exists without the guard file. The guard file of a cache is created before its
    /// data file, or when an existing data file is known to be a cache's. So a damaged data file without one
    /// may belong to another program: LMDB gives all data files the same name.
    let mayBeForeign: Bool

    /// Returns the identity of the directory at a path, or nil if there is none.
    static func identity(path: String) -> DirectoryIdentity? {
        OpenDirectory(name: path)?.status.identity
    }

    /// Creates the directory if it does not exist, and checks it and the files in it.
    init(path: String, isReadOnly: Bool) throws(CacheUnavailable) {
        if !isReadOnly { try Self.make(path) }
        guard let directory = OpenDirectory(name: path) else { throw Self.failure(errno, opening: path) }
        let (descriptor, status) = (directory.descriptor, directory.status)
        try Self.check(status)
        try Self.checkFileSystem(status)
        for name in Self.fileNames { try Self.checkFile(name, in: descriptor) }
        if isReadOnly, FileStatus(name: "data.mdb", in: descriptor)?.size ?? 0 == 0 {
            throw CacheUnavailable(reason: .absent)
        }
        self.path = path
        identity = status.identity
        mayBeForeign =
            !isReadOnly && FileStatus(name: Self.guardName, in: descriptor) == nil
            && FileStatus(name: "data.mdb", in: descriptor)?.size ?? 0 > 0
    }

    /// All files of a directory: those of LMDB, and the guard of the processes that have it open.
    static let fileNames = ["data.mdb", "lock.mdb", guardName]

    /// The file that only caches have. LMDB directories of other programs do not contain it.
    static let guardName = "guard.lock"

    static func check(_ status: FileStatus) throws(CacheUnavailable) {
        if Mutant.noDirectoryRules.isPlanted { return }
        guard status.owner == geteuid() else {
            throw CacheUnavailable(reason: .off(.unsafe("it belongs to another user")))
        }
        guard status.mode & 0o022 == 0 else {
            throw CacheUnavailable(
                reason: .off(.unsafe("others may write to it; use chmod go-w")))
        }
    }

    /// Opens the environment, or returns the one that this process has open already.
    func openEnvironment(_ options: SectionCacheStore.Options) throws(LMDBError) -> Environment {
        guard let reserve = AddressReserve() else {
            throw LMDBError(LMDBError.Code(rawValue: ENOMEM), .open, detail: "too little address space left")
        }
        defer { reserve.release() }
        var mapSize = options.maximumByteCount
        while true {
            do throws(LMDBError) {
                return try EnvironmentRegistry.environment(
                    path: path, key: identity,
                    options: Environment.Options(
                        mapSize: mapSize, maximumDatabases: SectionCacheStore.maximumNames,
                        isReadOnly: options.isReadOnly, keyPatterns: CacheFormat.keyPatterns))
            } catch {
                // Address space is short. A smaller map holds fewer entries, which is better than none.
                guard error.code.rawValue == ENOMEM, mapSize > 16 << 20 else { throw error }
                mapSize /= 2
            }
        }
    }

    private static func make(_ path: String) throws(CacheUnavailable) {
        let url = URL(filePath: path)
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT else { throw failure(errno, making: path) }
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
                throw CacheUnavailable(reason: .off(.diskFull))
            }
            throw CacheUnavailable(
                reason: .off(.directory("“\(url.deletingLastPathComponent().path)” cannot be created")))
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(errno, making: path) }
    }

    private static func failure(_ code: Int32, making path: String) -> CacheUnavailable {
        // Some file systems, such as /proc, return ENOENT for every new directory.
        code == ENOENT
            ? CacheUnavailable(reason: .off(.directory("“\(path)” cannot be created")))
            : failure(code, opening: path)
    }

    private static func checkFile(_ name: String, in directory: Int32) throws(CacheUnavailable) {
        guard let status = FileStatus(name: name, in: directory), !Mutant.noDirectoryRules.isPlanted else {
            return
        }
        guard status.isRegular else {
            throw CacheUnavailable(reason: .off(.unsafe("\(name) is not a regular file")))
        }
        guard status.owner == geteuid(), status.links == 1, status.mode & 0o022 == 0 else {
            throw CacheUnavailable(reason: .off(.unsafe("\(name) is shared with others")))
        }
    }

    static func failure(_ code: Int32, opening name: String) -> CacheUnavailable {
        switch code {
        case ENOENT: CacheUnavailable(reason: .absent)
        case EROFS, EACCES, EPERM: CacheUnavailable(reason: .off(.readOnly))
        case ENOSPC, EDQUOT: CacheUnavailable(reason: .off(.diskFull))
        case ELOOP, ENOTDIR: CacheUnavailable(reason: .off(.unsafe("“\(name)” is a link or not a directory")))
        default: CacheUnavailable(reason: .off(.directory("“\(name)”: \(String(cString: strerror(code)))")))
        }
    }
}
