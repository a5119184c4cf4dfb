/// What looking up a request in a cache came to. A cache that cannot answer is a value with a reason, never
/// an error.
public enum CacheLookup: Sendable {
    /// The sections and rows, as of the token that was asked for.
    case hit(SectionIndex)
    /// The cache had the sections and rows as of an earlier state, and they were brought up to date by the
    /// rows that changed since.
    case advanced(SectionIndex, changedRows: Int)
    /// The cache does not answer, and why.
    case miss(MissReason)

    /// Whether the sections need not be computed.
    public var isHit: Bool {
        if case .miss = self { false } else { true }
    }
}

extension CacheLookup: CustomStringConvertible {
    /// `hit`, `hit, advanced by 3 changed rows`, or `miss: ` and the reason in words.
    public var description: String {
        switch self {
        case .hit: "hit"
        case .advanced(_, let count): "hit, advanced by \(count) changed row\(count == 1 ? "" : "s")"
        case .miss(let reason): "miss: \(reason)"
        }
    }
}

/// Why a cache does not answer.
public enum MissReason: Hashable, Sendable {
    /// There is no cache of that name, or it holds nothing.
    case absent
    /// The cache holds other requests: these parts differ from the nearest.
    case requestChanged(parts: [String])
    /// The libraries that sort and compute have other versions than when the entry was made.
    case environmentChanged
    /// The data that these dependencies stand for changed.
    case dataChanged(dependencies: [String])
    /// The cache holds the request for another store.
    case storeReplaced
    /// The shape of the store's tables changed, or its triggers did, or SQLite counts a change of the schema.
    case schemaChanged
    /// The entry was written in another format.
    case formatMismatch(found: UInt32)
    /// The entry, or the file, is damaged.
    case corrupt(detail: String)
    /// The entry is whole, but was not made with this store's key or under this name.
    case forged
    /// The entry is whole and current by its token, but the store says otherwise, which a fetch found out
    /// that verified more than the token: something changed the data behind the back of the store's triggers.
    case contradicted(detail: String)
    /// Unsaved changes are part of the answer, and only saved data are cached.
    case unsaved
    /// The data were changed by a program that does not keep tokens, and could not be stamped.
    case dirty(dependencies: [String])
    /// The store cannot say whether its data changed, because its owner allows no tracking.
    case untracked
    /// The cache directory is on a file system that LMDB must not be used on.
    case unsupportedFileSystem(String)
    /// The cache is off for this process and directory.
    case off(OffReason)
}

/// Why the caches of a directory are not used.
public enum OffReason: Hashable, Sendable {
    /// The directory cannot be made or opened.
    case directory(String)
    /// The directory or its files belong to somebody else, or others may write them, or they are links.
    case unsafe(String)
    /// There are files in the directory that this library did not make, and what is there would have to be
    /// written or replaced.
    case notOurs(String)
    /// The directory cannot be written.
    case readOnly
    /// The disk is full.
    case diskFull
    /// Somebody else is at the cache and would have to be waited for.
    case busy
    /// The cache is open under this process's number already: in this process by another copy of the library,
    /// or in another container. Or a process that has it open has lost its locks.
    case guarded
    /// The process was forked from one that used caches.
    case forked
    /// Whatever else liblmdb reported.
    case failure(String)
}

extension MissReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .absent: "nothing is cached under this name"
        case .requestChanged(let parts): "the request changed (\(parts.joined(separator: ", ")))"
        case .environmentChanged: "the libraries that sort and compute have other versions"
        case .dataChanged(let dependencies): "the data changed (\(dependencies.joined(separator: ", ")))"
        case .storeReplaced: "the cache was made for another store"
        case .schemaChanged:
            "the store's tables, indexes or triggers changed, or SQLite counts a change of them, as after VACUUM, ANALYZE or a restore"
        case .formatMismatch(let found): "the entry has format \(found), not \(CacheFormat.version)"
        case .corrupt(let detail): "the cache is damaged (\(detail))"
        case .forged: "the entry was not made for this store under this name"
        case .contradicted(let detail):
            "the cache says something else than the store, though no change is on record (\(detail))"
        case .unsaved: "unsaved changes are part of the results"
        case .dirty(let dependencies):
            "another program changed the data (\(dependencies.joined(separator: ", "))) and the store cannot be written to stamp them"
        case .untracked:
            "the store's owner allows no tracking, so nothing can be known to be current without reading everything"
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
            "its directory has files of somebody else (\(detail)); give the caches a directory of their own"
        case .readOnly: "its directory cannot be written"
        case .diskFull: "the disk is full"
        case .busy: "another program is at it"
        case .guarded:
            "it is open under this process's number already, by another copy of the library or in another container, which needs a directory of its own; or a process has lost its locks, because lock.mdb was deleted or closed behind its back, and has to end first"
        case .forked: "the process was forked from one that uses caches"
        case .failure(let detail): detail
        }
    }
}
