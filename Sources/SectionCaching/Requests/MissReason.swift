/// The reason why a cache does not answer a request.
///
/// ``SectionCacheStore/lookUp(_:)`` determines the reason, except for ``unsaved``, ``dirty(dependencies:)``,
/// ``untracked``, ``unsettled(detail:)`` and ``contradicted(detail:)``, which a results controller determines
/// from the data store.
public enum MissReason: Hashable, Sendable {
    /// The cache does not exist, or is empty.
    case absent
    /// The cache contains other requests; these parts differ from those of the most similar one. If only
    /// ``RequestPart/model`` differs, the model changed and not the request.
    case requestChanged(parts: [RequestPart])
    /// The libraries that sort and compute have other versions than when the entry was saved.
    case environmentChanged
    /// The data of these dependencies changed.
    case dataChanged(dependencies: [String])
    /// The cache contains the request for another store.
    case storeReplaced
    /// The schema of the store's tables or its triggers changed, or SQLite's schema version did.
    case schemaChanged
    /// The entry was written in another format.
    case formatMismatch(found: UInt32)
    /// The entry or the file is damaged.
    case corrupt(detail: String)
    /// The entry is intact, but was not made with this store's key, or not under this name.
    case forged
    /// The entry is intact and current by its token, but differs from the store, which was detected by a
    /// fetch that verified more than the token: a write bypassed the store's triggers.
    case contradicted(detail: String)
    /// The results contain unsaved changes, and only saved data are cached.
    case unsaved
    /// A foreign write made these tables dirty, and the store could not stamp them.
    case dirty(dependencies: [String])
    /// The store cannot determine whether its data changed, because it was opened without change tracking.
    case untracked
    /// The store is opened without change tracking, and its files do not show whether its data changed: they
    /// were changed a moment ago, a transaction is in progress, they are on a network file system, or views
    /// may be read.
    case unsettled(detail: String)
    /// The cache directory is on a file system that LMDB must not be used on.
    case unsupportedFileSystem(String)
    /// The cache is off for this process and directory.
    case off(OffReason)
}

/// The reason why the caches of a directory are not used.
public enum OffReason: Hashable, Sendable {
    /// The directory cannot be created or opened.
    case directory(String)
    /// The directory or its files belong to another user, are writable by others, or are links.
    case unsafe(String)
    /// The directory contains files that this library did not create, and using the directory would mean
    /// writing or replacing existing files.
    case notOurs(String)
    /// The directory cannot be written.
    case readOnly
    /// The disk is full.
    case diskFull
    /// Another process holds the cache lock, and the library does not wait for it.
    case busy
    /// The cache is already open under this process's ID: in this process by another copy of the library, or
    /// in another container. Or a process that has it open has lost its locks.
    case guarded
    /// The process was forked from one that used caches.
    case forked
    /// Any other error that liblmdb reported.
    case failure(String)
}

extension MissReason {
    /// The previous name of ``dirty(dependencies:)``.
    ///
    /// - Parameter dependencies: The names of the dirty tables.
    @available(*, deprecated, renamed: "dirty(dependencies:)")
    public static func unsealed(dependencies: [String]) -> Self { .dirty(dependencies: dependencies) }
}

extension MissReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .absent: "nothing is cached under this name"
        case .requestChanged([.model]): "the model has another version of an entity that the request reads"
        case .requestChanged(let parts):
            "the request changed (\(parts.map(\.rawValue).joined(separator: ", ")))"
        case .environmentChanged: "the libraries that sort and compute have other versions"
        case .dataChanged(let dependencies): "the data changed (\(dependencies.joined(separator: ", ")))"
        case .storeReplaced: "the cache was made for another store"
        case .schemaChanged:
            "the store's tables, indexes or triggers changed, or its schema version did, as after VACUUM, ANALYZE or a restore"
        case .formatMismatch(let found): "the entry has format \(found), not \(CacheFormat.version)"
        case .corrupt(let detail): "the cache is damaged (\(detail))"
        case .forged: "the entry was not made for this store under this name"
        case .contradicted(let detail):
            "the cache differs from the store, although no change was recorded (\(detail))"
        case .unsaved: "unsaved changes are part of the results"
        case .dirty(let dependencies):
            "another program changed the data (\(dependencies.joined(separator: ", "))), and the store could not stamp these tables again"
        case .untracked:
            "the store is opened without change tracking, so only reading all data could show whether a cache is current"
        case .unsettled(let detail): "the store's files do not show whether its data changed: \(detail)"
        case .unsupportedFileSystem(let name): "the cache directory is on a file system of type \(name)"
        case .off(let reason): "the cache is off: \(reason)"
        }
    }
}

extension OffReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .directory(let detail): "its directory cannot be used (\(detail))"
        case .unsafe(let detail): "its directory is not safe (\(detail))"
        case .notOurs(let detail):
            "its directory contains files of another program (\(detail)); use a separate directory for the caches"
        case .readOnly: "its directory cannot be written"
        case .diskFull: "the disk is full"
        case .busy: "another process holds the cache lock"
        case .guarded:
            "it is already open under this process's ID, by another copy of the library or in another container, which needs a separate directory; or a process has lost its locks, because other code deleted or closed lock.mdb, and has to end first"
        case .forked: "the process was forked from one that uses caches"
        case .failure(let detail): detail
        }
    }
}
