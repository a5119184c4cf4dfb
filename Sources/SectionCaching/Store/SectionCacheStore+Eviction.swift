import LMDB
import Mutants

extension SectionCacheStore {
    /// Makes room before an entry is written: removes the least recently saved entries of all names, until
    /// entries take no more than 60 % of the map.
    ///
    /// LMDB needs the rest, because a freed page can be used again only two commits later.
    ///
    /// - Parameter request: The request whose entry stays, because it is advanced and most of it is kept.
    func evict(
        toFit byteCount: Int, keeping request: SectionCacheRequest?, in environment: Environment
    ) throws(LMDBError) {
        if Mutant.keptWhenFull.isPlanted { return }
        let information = try environment.information()
        let limit = environment.options.mapSize / 5 * 3
        // The pages in use are at most those up to the last one. If even these fit, no entry has to be
        // counted.
        guard (information.lastPage + 1) * environment.pageSize + byteCount > limit else { return }
        let names = try environment.databaseNames()
        let kept = request.map { $0.fingerprint.bytes + $0.token.storeIdentity }
        try environment.write { (transaction) throws(LMDBError) in
            var entries: [(database: NamedDatabase, entry: StoredEntry)] = []
            var total = byteCount
            for name in names {
                let database = try transaction.database(creating: name)
                for entry in try transaction.entries(in: database) {
                    total += entry.byteCount
                    if name == request?.name.rawValue, entry.prefix == kept { continue }
                    entries.append((database, entry))
                }
            }
            entries.sort { $0.entry.sequence < $1.entry.sequence }
            for (database, entry) in entries where total > limit {
                try transaction.remove(entry, from: database)
                total -= entry.byteCount
            }
        }
    }

    /// Empties all caches, with a commit for each, so that the freed pages become usable.
    func evictAll(in environment: Environment) throws(LMDBError) {
        if Mutant.keptWhenFull.isPlanted { return }
        for name in try environment.databaseNames() {
            try environment.write { (transaction) throws(LMDBError) in
                try transaction.removeAll(in: try transaction.database(creating: name))
            }
        }
        // Two more commits, after which nothing can refer to the freed pages.
        for _ in 0..<2 {
            try environment.write { (transaction) throws(LMDBError) in
                let database = try transaction.database(creating: Self.housekeepingName)
                try transaction.put([1], for: [1], in: database)
                try transaction.removeAll(in: database)
            }
        }
    }

    /// A named database for internal use. No cache can have this name, because it contains a control
    /// character.
    static let housekeepingName = "\u{1}"
}
