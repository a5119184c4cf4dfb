import LMDB
import SeededBugs
import Synchronization

extension SectionCacheStore {
    /// Deletes the cache called `name`, or all caches for nil. Nothing happens if there is none.
    ///
    /// Look-ups of this process miss from now on; the file follows within moments. An index that is in use
    /// goes on to answer for its sections, and says for its rows that they are lost.
    public func deleteCache(named name: CacheName?) {
        guard !options.isReadOnly, !isForked, !SeededBug.servedAfterDeletion.isPlanted else { return }
        deleting.withLock { $0.begin(name) }
        writer.enqueueDeletion(of: name) { [self] in
            guard carryOutOwedDeletions() else { return deleting.withLock { $0.owe(name) } }
            if delete(name) { deleting.withLock { $0.end(name) } } else { deleting.withLock { $0.owe(name) } }
        }
    }

    /// Deletes all caches.
    public func deleteAllCaches() { deleteCache(named: nil) }

    /// Whether a deletion that concerns a name was asked for and is not done.
    func isDeleting(_ name: CacheName) -> Bool { deleting.withLock { $0.contains(name) } }

    /// Deletes what could not be deleted when it was asked for, as on a full disk. Until then look-ups go on to miss.
    ///
    /// - Returns: Whether nothing is owed any more, so that something may be saved.
    func carryOutOwedDeletions() -> Bool {
        for name in deleting.withLock({ $0.owed }) {
            guard delete(name) else { return false }
            deleting.withLock { $0.settle(name) }
        }
        return true
    }

    /// False if the file still has what was to be deleted.
    private func delete(_ name: CacheName?) -> Bool {
        guard case .success(let environment) = environment() else { return false }
        do throws(LMDBError) {
            for existing in try environment.databaseNames() where name == nil || existing == name?.rawValue {
                try environment.write { (transaction) throws(LMDBError) in
                    try transaction.removeAll(in: try transaction.database(creating: existing))
                }
            }
            return true
        } catch {
            _ = noteFailure(error)
            return false
        }
    }
}

/// The deletions that were asked for and are not done.
struct PendingDeletions {
    private var names: [CacheName: Int] = [:]
    private var all = 0
    /// Those that were tried in vain; nil stands for all names.
    private(set) var owed: [CacheName?] = []

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

    /// Notes that a deletion could not be done.
    mutating func owe(_ name: CacheName?) { owed.append(name) }

    /// Ends a deletion that was owed.
    mutating func settle(_ name: CacheName?) {
        guard let position = owed.firstIndex(of: name) else { return }
        owed.remove(at: position)
        end(name)
    }

    func contains(_ name: CacheName) -> Bool { all > 0 || names[name] != nil }
}
