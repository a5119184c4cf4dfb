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
        let derived = container.namesOfDerivedEntities(in: tables)
        if !derived.isEmpty {
            // Any row of these entities may have changed.
            changes.changedEntityNames.formUnion(derived)
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
