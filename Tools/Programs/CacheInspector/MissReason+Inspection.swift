import SectionCaching
import SectionedFetch

extension MissReason {
    /// The part of a start that a reason concerns.
    private enum Subject {
        case request, damage, directory, data
    }

    private var subject: Subject {
        switch self {
        case .corrupt, .forged, .contradicted: .damage
        case .unsupportedFileSystem, .off: .directory
        case .dataChanged, .dirty: .data
        case .absent, .requestChanged, .environmentChanged, .storeReplaced, .schemaChanged, .formatMismatch,
            .unsaved, .untracked, .unsettled:
            .request
        }
    }

    /// Whether the reason is damage, a forgery or a wrong entry rather than an ordinary miss.
    var isDamage: Bool { subject == .damage }

    /// Whether the directory could not be used, so that its entries are unknown.
    var isOfDirectory: Bool { subject == .directory }

    /// Whether only rows changed, so that a start, which unlike an inspection may write, can advance the
    /// entry.
    var isOfData: Bool { subject == .data }

    /// The state of the entry in one word, in capitals for damaged, forged and wrong entries.
    var state: String {
        switch self {
        case .absent, .requestChanged: "absent"
        case .storeReplaced: "foreign"
        case .corrupt: "DAMAGED"
        case .forged: "FORGED"
        case .contradicted: "WRONG"
        case .untracked, .unsettled: "untracked"
        case .unsupportedFileSystem, .off: "off"
        case .environmentChanged, .dataChanged, .schemaChanged, .formatMismatch, .unsaved, .dirty: "stale"
        }
    }

    /// The reason as reported by a program that only inspects and did not try to stamp tables.
    var inspected: String {
        switch self {
        case .dirty(let names):
            "another program changed the data (\(names.joined(separator: ", "))) after the last fetch of these tables"
        default: description
        }
    }

    /// Returns the effect of a start on the entry, or nil if a start would not advance it.
    func next(in container: PersistentContainer) -> String? {
        guard isOfData else { return nil }
        return container.isTracked
            ? "the next start advances the entry by the logged changes, or computes it anew"
            : "the next start computes the entry anew, or advances it if the store has a history of changes"
    }

    /// Returns the reason after checking the store: the data of tables that look dirty and have a version
    /// stamp did not change. If all of them have one, only the schema changed.
    func checked(in container: PersistentContainer) throws(ObjectStorageError) -> MissReason {
        guard case .dirty(let names) = self else { return self }
        let dirty = try container.namesOfDirtyTables(among: names)
        return dirty.isEmpty ? .schemaChanged : .dirty(dependencies: dirty)
    }

    /// Returns the reason after checking the cache.
    ///
    /// After a change of the data or the schema by another program, a look-up ends before it reads the cache,
    /// which may be empty.
    func checked(
        for request: CanonicalRequest, under name: CacheName, in caches: SectionCacheStore
    ) -> MissReason {
        switch self {
        case .dirty, .schemaChanged: break
        default: return self
        }
        do throws(CacheInspectionError) {
            let entries = try caches.entries(ofCache: name)
            if entries.contains(where: { $0.fingerprint == request.fingerprint }) { return self }
            return request.missReason(beside: entries.compactMap(\.request))
        } catch {
            return error.reason
        }
    }
}

extension InspectionOptions {
    /// Returns the words for the reason of a miss, with the directory if it does not exist.
    func described(_ reason: MissReason) -> String {
        guard case .absent = reason, let missingDirectory else { return reason.inspected }
        return "\(reason.inspected): the directory “\(missingDirectory)” does not exist"
    }
}
