extension ManagedObjectContext {
    /// How many identities one statement asks for.
    private static let relatedBatchSize = 500

    /// The rows that lead to some objects, each by its key or, if it was never saved, as an object.
    ///
    /// - Parameters:
    ///   - path: A relationship of the entity.
    ///   - objectIDs: The objects at its end.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: that of SQLite's query for each 500 objects.
    package func rows(
        ofEntityNamed entityName: String, leadingTo objectIDs: [ObjectID], along path: String,
        includingPendingChanges: Bool
    ) throws(ObjectStorageError) -> (keys: [Int64], unsaved: [ManagedObject]) {
        var keys: [Int64] = []
        var unsaved: [ManagedObject] = []
        var position = 0
        while position < objectIDs.count {
            let next = min(position + Self.relatedBatchSize, objectIDs.count)
            let objects = objectIDs[position..<next].map { PredicateExpression.object($0) }
            let request = RequestDescription(
                entityName: entityName, predicate: .comparison(.path(path), .isIn, .list(objects)), sort: [],
                limit: 0, offset: 0)
            try withSnapshot(
                of: request, columns: .keys, includingPendingChanges: includingPendingChanges
            ) { snapshot in
                try snapshot.scanKeys { key in
                    if let object = snapshot.provisionalObjects[key] {
                        unsaved.append(object)
                    } else {
                        keys.append(key)
                    }
                }
            }
            position = next
        }
        return (keys, unsaved)
    }
}
