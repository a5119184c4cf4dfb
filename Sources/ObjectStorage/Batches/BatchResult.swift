/// What a batch operation is to tell.
public enum BatchResultType: Hashable, Sendable {
    /// How many objects. Contexts hear that any object of the entity may have changed.
    case count
    /// Which objects. Contexts hear of just these.
    case objectIDs
}

/// What a batch operation did.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, updated, or matched by the deletion.
    public let count: Int
    /// These objects, if asked for.
    public let objectIDs: [ObjectID]
    /// What changed in the store, with what delete rules did. Contexts of the container that merge
    /// automatically get it by themselves.
    public let changes: StoreChanges
}

extension ManagedObjectContext {
    /// Makes the result of a batch operation known to everybody.
    ///
    /// - Parameter touched: The objects of this context whose rows are others now, if that is known; the
    ///   others are not read again.
    func publish(
        count: Int, objectIDs: [ObjectID], changes: StoreChanges, tables: [TableTransition],
        rereading touched: [ManagedObject]? = nil
    ) -> BatchResult {
        var changes = changes
        var touched = touched
        let listed = changes.entityNames
        // What the batch did to other tables, by clearing relationships, nobody listed.
        for name in container.namesOfEntitiesThatMayHaveChanged(in: tables) {
            guard let entity = container.model.entity(named: name),
                !listed.contains(where: entity.sharesTable(withEntityNamed:))
            else { continue }
            changes.changedEntityNames.insert(name)
            touched = nil
        }
        changes.tables = tables
        container.mailboxes.deliver(changes, from: mailbox)
        do throws(ObjectStorageError) {
            _ = try merge(changes, keepsConflicts: true, rereading: touched)
        } catch {
            // The batch is committed, so this is no failure of it: the next merge tries again.
            makeMailbox().post(changes)
        }
        return BatchResult(count: count, objectIDs: objectIDs, changes: changes)
    }
}
