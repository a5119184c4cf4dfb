extension ManagedObjectContext {
    /// The maximum number of identities in one statement.
    private static let relatedBatchSize = 500

    /// Returns the rows that lead to some objects: the keys of saved rows, and the objects that were never
    /// saved.
    ///
    /// - Parameters:
    ///   - path: The dotted path of relationships of the entity.
    ///   - objectIDs: The objects at the end of the path.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: That of SQLite's query for each 500 objects.
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
