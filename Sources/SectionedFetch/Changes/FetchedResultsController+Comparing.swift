import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// Fetches, and compares with what was found before.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read, or the order no longer keeps sections together. What was heard is
    ///   kept for the next time.
    /// - Complexity: that of the fetch, and O(*n* log *n*) in the number of rows; O(*n*) if no row changed its order.
    func change(
        from old: Results, _ tracking: ChangeTracking
    ) throws(ObjectStorageError) -> (change: ResultsChange, new: Results) {
        var identities = RowIdentities()
        // First, because a fetch may replace the cache entry that they come from; and readers are to see the old results until they
        // are told otherwise.
        let oldKeys = old.rows.hold()
        let new = try freshResults()
        guard let oldKeys,
            let newRows = identities.rows(of: new.index, provisionalKeys: new.provisionalKeys)
        else {
            tracking.forget()
            return (ResultsChange(reloading: old.index, as: new.index), new)
        }
        let oldRows = identities.rows(of: old.index, keys: oldKeys, provisionalKeys: old.provisionalKeys)
        // The fetch may have merged what others committed; it is part of what was found.
        let news = tracking.news
        let changedKeys = try changedKeys(news, &identities)
        let change = try ResultsChange(from: oldRows, to: newRows, changedKeys: changedKeys) {
            keys, areDeleted throws(ObjectStorageError) in
            try objectIDs(of: keys, identities, deleted: areDeleted ? news.deletedObjectIDs : nil)
        }
        tracking.forget()
        tracking.isDue = false
        return (change, new)
    }

    /// The rows that changed, or that read an object which did.
    private func changedKeys(
        _ news: StoreChanges, _ identities: inout RowIdentities
    ) throws(ObjectStorageError) -> Set<Int64> {
        let model = managedObjectContext.container.model
        var keys: Set<Int64> = []
        let changed = news.updatedObjectIDs.union(news.insertedObjectIDs)
        let unsaved = Dictionary(
            identities.objects.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
        let tableName = model.entity(named: fetchRequest.entityName)?.tableName
        for objectID in changed where model.entity(named: objectID.entityName)?.tableName == tableName {
            keys.insert(unsaved[objectID].map { identities.key(of: $0) } ?? objectID.unsavedKey)
        }
        let sectionKey = request.sectionKey
        let read = [sectionKey?.expression, sectionKey?.nameExpression].compactMap(\.self)
        for path in request.request.relatedPaths(model: model, and: read) {
            let relatedTable = model.entity(named: path.entityName)?.tableName
            let related = changed.filter {
                model.entity(named: $0.entityName)?.tableName == relatedTable
            }
            let rows = try managedObjectContext.rows(
                ofEntityNamed: fetchRequest.entityName, leadingTo: Array(related), along: path.path,
                includingPendingChanges: fetchRequest.includesPendingChanges)
            keys.formUnion(rows.keys)
            for object in rows.unsaved { keys.insert(identities.key(of: object)) }
        }
        return keys
    }

    /// - Parameter deleted: Which objects are known to be gone; nil for rows that are there.
    private func objectIDs(
        of keys: [Int64], _ identities: RowIdentities, deleted: Set<ObjectID>?
    ) throws(ObjectStorageError) -> [ObjectID] {
        let objects = keys.map(identities.object(forKey:))
        let saved = zip(keys, objects).filter { $1 == nil }.map(\.0)
        var objectIDs = try managedObjectContext.objectIDs(
            ofKeys: saved, entityName: fetchRequest.entityName, isReading: deleted == nil)
        if let deleted, fetchRequest.includesSubentities {
            let model = managedObjectContext.container.model
            let tableName = model.entity(named: fetchRequest.entityName)?.tableName
            var known: [Int64: ObjectID] = [:]
            for objectID in deleted where model.entity(named: objectID.entityName)?.tableName == tableName {
                known[objectID.unsavedKey] = objectID
            }
            objectIDs = zip(saved, objectIDs).map { known[$0] ?? $1 }
        }
        objectIDs.reverse()
        return objects.map { $0?.objectID ?? objectIDs.removeLast() }
    }
}
