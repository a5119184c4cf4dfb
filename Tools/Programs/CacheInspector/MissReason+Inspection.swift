import SectionCaching
import SectionedFetch

extension MissReason {
    /// Whether the reason is something that should not be, rather than the way of things.
    var isDamage: Bool {
        switch self {
        case .corrupt, .forged, .contradicted: true
        default: false
        }
    }

    /// Whether the directory could not be used, so that nothing is known of its entries.
    var isOfDirectory: Bool {
        switch self {
        case .unsupportedFileSystem, .off: true
        default: false
        }
    }

    /// Whether rows changed and nothing else, so that a start may make the entry right where looking alone
    /// cannot.
    var isOfData: Bool {
        switch self {
        case .dataChanged, .dirty: true
        default: false
        }
    }

    /// What the reason makes of an entry, in a word: in capitals what should not be.
    var state: String {
        switch self {
        case .absent, .requestChanged: "absent"
        case .storeReplaced: "foreign"
        case .corrupt: "DAMAGED"
        case .forged: "FORGED"
        case .contradicted: "WRONG"
        case .untracked: "untracked"
        case .unsupportedFileSystem, .off: "off"
        case .environmentChanged, .dataChanged, .schemaChanged, .formatMismatch, .unsaved, .dirty: "stale"
        }
    }

    /// The reason in words that hold for a program that only looks: it did not try to stamp anything.
    var inspected: String {
        switch self {
        case .dirty(let names):
            "another program changed the data (\(names.joined(separator: ", "))), and no fetch of ours has stamped them since"
        case .requestChanged(let parts) where parts.isEmpty:
            "what is cached under this name is of other requests"
        default: description
        }
    }

    /// What a start would do about it; nil where that says nothing.
    var next: String? {
        guard isOfData else { return nil }
        return
            "a start that may write the store brings the entry up to date by the changes on record, or computes it anew"
    }

    /// The reason with regard to a store: tables without a state whose data nobody changed are those of
    /// another schema.
    func checked(in container: PersistentContainer) throws(ObjectStorageError) -> MissReason {
        guard case .dirty(let names) = self else { return self }
        return try container.isStamped(names) ? .schemaChanged : self
    }

    /// The reason with regard to what is in a cache.
    ///
    /// Where another program changed the data or the schema, a look-up ends before it comes to the cache, in
    /// which there may be nothing.
    func checked(
        for fingerprint: RequestFingerprint, under name: CacheName, in caches: SectionCacheStore
    ) -> MissReason {
        switch self {
        case .dirty, .schemaChanged: break
        default: return self
        }
        do throws(CacheInspectionError) {
            let entries = try caches.entries(ofCache: name)
            if entries.isEmpty { return .absent }
            return entries.contains { $0.fingerprint == fingerprint } ? self : .requestChanged(parts: [])
        } catch {
            return error.reason
        }
    }
}
