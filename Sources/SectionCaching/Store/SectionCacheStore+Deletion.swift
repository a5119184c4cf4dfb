import InternalUtilities
import LMDB
import Mutants
import Synchronization

extension SectionCacheStore {
    /// Deletes the cache called `name`, or all caches for nil. Does nothing if no such cache exists.
    ///
    /// Look-ups of this store miss immediately. The file changes within moments; after that, look-ups of
    /// other stores and programs miss as well. Results that were looked up through this store keep their
    /// rows.
    ///
    /// - Parameter name: The name of the cache; nil for all caches. A store that only reads deletes none.
    public func deleteCache(named name: CacheName?) {
        guard !options.isReadOnly, !isForked, !Mutant.servedAfterDeletion.isPlanted else { return }
        deleting.withLock { $0.ask(name) }
        let isInHand = writer.enqueueDeletion(of: name) { [self] in _ = carryOutDeletions(andAsked: true) }
        if !isInHand { note(Self.noThread) }
    }

    /// Deletes all caches.
    public func deleteAllCaches() { deleteCache(named: nil) }

    /// Returns whether a deletion of a name was requested and is not completed.
    func isDeleting(_ name: CacheName) -> Bool { deleting.withLock { $0.contains(name) } }

    /// The number of deletions that were requested and are not completed.
    package var numberOfPendingDeletions: Int { deleting.withLock { $0.count } }

    /// Carries out deletions that failed when they were requested, as on a full disk. Until then look-ups
    /// continue to miss.
    ///
    /// - Parameter andAsked: Whether to carry out also deletions that were not tried yet. False before a
    ///   save: they may have been requested after it.
    /// - Returns: Whether all of them succeeded, so that an entry may be saved.
    func carryOutDeletions(andAsked: Bool) -> Bool {
        for name in deleting.withLock({ $0.begin(andAsked: andAsked) }) {
            guard delete(name) else {
                deleting.withLock { $0.owe() }
                return false
            }
            deleting.withLock { $0.end(name) }
        }
        return true
    }

    /// Deletes a cache, or all caches for nil. Returns false if the file still contains such a cache.
    private func delete(_ name: CacheName?) -> Bool {
        guard case .success(let environment) = environment() else { return false }
        do throws(LMDBError) {
            for existing in try environment.databaseNames() where name == nil || existing == name?.rawValue {
                try environment.write { (transaction) throws(LMDBError) in
                    try transaction.removeAll(in: try transaction.database(creating: existing))
                }
            }
            return true
        } catch  where error.code == .databasesFull {
            // Other processes used more names meanwhile than the environment has handles for. The entries
            // that are lost with the directory are computed again.
            leave(full: environment, CacheUnavailable(error).reason)
            return delete(name)
        } catch {
            _ = noteFailure(error, of: environment)
            return false
        }
    }
}
