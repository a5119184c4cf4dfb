extension ManagedObjectContext {
    /// Reads the objects of a request in order, some at a time, from one state of the store, and keeps none
    /// of them.
    ///
    /// If no index has the order of the request, SQLite sorts the rows, and keeps large results in files.
    ///
    /// - Parameters:
    ///   - request: The request. A batch has its batch size, or 100 objects.
    ///   - body: Receives each batch, and returns whether to continue. It may read on this context.
    /// - Throws: As ``fetch(_:)``, and the error of the closure.
    /// - Complexity: That of SQLite's query, and the memory of one batch.
    package func forEachBatch<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ body: ([Object]) throws(ObjectStorageError) -> Bool
    ) throws(ObjectStorageError) {
        let listed = try listedEntities(of: request)
        let paths = request.relationshipKeyPathsForPrefetching
        try listed.checkPrefetching(paths, in: self)
        let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : 100
        try withSnapshot(
            of: request.description, columns: .keys, includingPendingChanges: request.includesPendingChanges
        ) { snapshot in
            let provisional = snapshot.provisionalObjects
            func objects(_ keys: [Int64]) throws(ObjectStorageError) -> [Object] {
                var saved = try listed.objects(
                    forKeys: keys.filter { provisional[$0] == nil }, prefetching: paths, in: self)
                saved.reverse()
                return keys.map { unsafeDowncast(provisional[$0] ?? saved.removeLast(), to: Object.self) }
            }
            try snapshot.scanStatement().use { statement in
                var keys: [Int64] = []
                while try statement.step() {
                    keys.append(statement.integer(0))
                    guard keys.count == size else { continue }
                    guard try body(objects(keys)) else { return }
                    keys.removeAll(keepingCapacity: true)
                }
                if !keys.isEmpty { _ = try body(objects(keys)) }
            }
        }
    }
}
