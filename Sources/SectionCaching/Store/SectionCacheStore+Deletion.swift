import LMDB
import SeededBugs
import Synchronization

extension SectionCacheStore {
    /// Deletes the cache called `name`, or all caches for nil. Nothing happens if there is none.
    ///
    /// Look-ups of this process miss from now on; the file follows within moments. An index that is in use
    /// goes on to answer for its sections, and says for its rows that they are lost.
    public func deleteCache(named name: CacheName?) {
        guard !options.isReadOnly, !SeededBug.servedAfterDeletion.isPlanted else { return }
        deleting.withLock { $0.begin(name) }
        writer.enqueueDeletion(of: name) { [self] in
            delete(name)
            deleting.withLock { $0.end(name) }
        }
    }

    /// Deletes all caches.
    public func deleteAllCaches() { deleteCache(named: nil) }

    /// Whether a deletion that concerns a name was asked for and is not done.
    func isDeleting(_ name: CacheName) -> Bool { deleting.withLock { $0.contains(name) } }

    private func delete(_ name: CacheName?) {
        guard case .success(let environment) = environment() else { return }
        do throws(LMDBError) {
            for existing in try environment.databaseNames() where name == nil || existing == name?.rawValue {
                try environment.write { (transaction) throws(LMDBError) in
                    try transaction.removeAll(in: try transaction.database(creating: existing))
                }
            }
        } catch {
            _ = noteFailure(error)
        }
    }
}

/// The deletions that were asked for and are not done.
struct PendingDeletions {
    private var names: [CacheName: Int] = [:]
    private var all = 0

    mutating func begin(_ name: CacheName?) {
        if let name { names[name, default: 0] += 1 } else { all += 1 }
    }

    mutating func end(_ name: CacheName?) {
        guard let name else {
            all -= 1
            return
        }
        names[name, default: 1] -= 1
        if names[name] == 0 { names[name] = nil }
    }

    func contains(_ name: CacheName) -> Bool { all > 0 || names[name] != nil }
}
