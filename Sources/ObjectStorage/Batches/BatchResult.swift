/// The kind of result that a batch operation returns.
public enum BatchResultType: Hashable, Sendable {
    /// The number of objects. Contexts treat all objects of the entity as possibly changed.
    case count
    /// The identities of the objects. Contexts treat only these as changed.
    case objectIDs
}

/// The result of a batch operation.
public struct BatchResult: Hashable, Sendable {
    /// The number of objects inserted, updated, or matched by the deletion.
    public let count: Int
    /// The identities of these objects, if requested.
    public let objectIDs: [ObjectID]
    /// The changes in the store, including those of delete rules. Contexts of the container that merge
    /// automatically receive them without a call.
    public let changes: StoreChanges
}

extension ManagedObjectContext {
    /// Delivers the changes of a batch operation to the contexts of the container, and merges them into this
    /// one.
    ///
    /// - Parameter touched: The objects of this context whose rows changed, if known; other objects are not
    ///   read again.
    func publish(
        count: Int, objectIDs: [ObjectID], changes: StoreChanges, tables: [TableTransition],
        rereading touched: [ManagedObject]? = nil
    ) -> BatchResult {
        var changes = changes
        var touched = touched
        let listed = changes.entityNames
        // The batch may have changed other tables that are not listed, by clearing relationships.
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
            // The batch is committed, so this error does not make it fail; the next merge tries again.
            makeMailbox().post(changes)
        }
        return BatchResult(count: count, objectIDs: objectIDs, changes: changes)
    }
}
