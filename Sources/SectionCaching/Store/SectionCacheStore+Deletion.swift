import InternalUtilities
import LMDB
import Mutants
import Synchronization

extension SectionCacheStore {
    /// Deletes the cache called `name`, or all caches for nil. Nothing happens if there is none.
    ///
    /// Look-ups of this store miss from now on; the file follows within moments, and with it the look-ups of
    /// other stores and programs. Results that this store was asked for keep their rows.
    public func deleteCache(named name: CacheName?) {
        guard !options.isReadOnly, !isForked, !Mutant.servedAfterDeletion.isPlanted else { return }
        deleting.withLock { $0.ask(name) }
        let isInHand = writer.enqueueDeletion(of: name) { [self] in _ = carryOutDeletions(andAsked: true) }
        if !isInHand { note(Self.noThread) }
    }

    /// Deletes all caches.
    public func deleteAllCaches() { deleteCache(named: nil) }

    /// Whether a deletion that concerns a name was asked for and is not done.
    func isDeleting(_ name: CacheName) -> Bool { deleting.withLock { $0.contains(name) } }

    /// The number of deletions that were asked for and are not done.
    package var numberOfPendingDeletions: Int { deleting.withLock { $0.count } }

    /// Deletes what could not be deleted when it was asked for, as on a full disk. Until then look-ups go on
    /// to miss.
    ///
    /// - Parameter andAsked: Whether to delete also what nobody has tried to delete yet. Not before a save:
    ///   its deletion may have been asked for later.
    /// - Returns: Whether nothing of it is left, so that something may be saved.
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
        } catch  where error.code == .databasesFull {
            // Others gave more names meanwhile than there are handles for. What goes with them is computed
            // again.
            leave(full: environment, CacheUnavailable(error).reason)
            return delete(name)
        } catch {
            _ = noteFailure(error, of: environment)
            return false
        }
    }
}
