extension ManagedObjectContext {
    /// Fetches the objects of a request, in order, and reads their rows.
    ///
    /// Objects of the context without unsaved changes take the values that were read.
    ///
    /// - Parameter request: The objects to fetch, and their order.
    /// - Throws: ``ObjectStorageError`` if the request does not fit the model, or the store cannot be read.
    /// - Complexity: That of SQLite's query, and O(*n*) memory in the number of objects. ``list(_:)`` reads
    ///   rows on access.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws(ObjectStorageError)
        -> [Object]
    {
        let listed = try listedEntities(of: request)
        guard listed.entity.union == nil else { return try objects(of: request, listed) }
        let runtime = listed.runtimes[0]
        let objects = try objects(
            of: request.description, includingPendingChanges: request.includesPendingChanges, runtime: runtime
        )
        try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, runtime: runtime)
        // The objects are of the runtime's class, which is the request's class or a subclass; a cast would
        // check each object.
        return unsafeBitCast(objects, to: [Object].self)
    }

    /// Fetches objects of several entities.
    private func objects<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ listed: ListedEntities
    ) throws(ObjectStorageError) -> [Object] {
        let paths = request.relationshipKeyPathsForPrefetching
        try listed.checkPrefetching(paths, in: self)
        let (keys, provisional) = try keys(of: request)
        let all = keys[0..<keys.count]
        var objects = try listed.objects(
            forKeys: all.filter { provisional[$0] == nil }, prefetching: paths, in: self)
        objects.reverse()
        return all.map { unsafeDowncast(provisional[$0] ?? objects.removeLast(), to: Object.self) }
    }

    /// Fetches the objects of a request. Not generic, because generic code would add a cost for each object.
    private func objects(
        of request: RequestDescription, includingPendingChanges: Bool, runtime: EntityRuntime
    ) throws(ObjectStorageError) -> [ManagedObject] {
        try withSnapshot(
            of: request, columns: .objects, includingPendingChanges: includingPendingChanges
        ) { snapshot in
            let statement = try snapshot.statement()
            return try statement.use { statement in
                var objects: [ManagedObject] = []
                var pages = RowPages(of: runtime, rows: 1)
                while try statement.step() {
                    let key = statement.integer(0)
                    let object: ManagedObject
                    if let provisional = snapshot.provisionalObjects[key] {
                        object = provisional
                    } else if runtime.family == nil {
                        object = self.object(forKey: key, ofJust: runtime)
                        if object.state == .clean, !snapshot.hasPendingDeletions {
                            object.take(pages.append(statement))
                        }
                    } else {
                        // The request selects only rows of the entity and its sub-entities.
                        guard let row = self.row(of: statement, runtime) else { continue }
                        object = self.object(forKey: key, ofJust: row.runtime)
                        if object.state == .clean, !snapshot.hasPendingDeletions { object.take(row.values) }
                    }
                    objects.append(object)
                }
                return objects
            }
        }
    }

    /// Counts the objects of a request, within its limit and offset.
    ///
    /// - Parameter request: The objects to count. Their order has no effect.
    /// - Throws: As ``fetch(_:)``.
    /// - Complexity: That of SQLite's query.
    public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws(ObjectStorageError)
        -> Int
    {
        _ = try listedEntities(of: request)
        return try withSnapshot(
            of: request.description, columns: .count, includingPendingChanges: request.includesPendingChanges
        ) { snapshot in
            try snapshot.statement().use { try $0.step() ? Int($0.integer(0)) : 0 }
        }
    }

    /// Fetches the keys of a request's objects, in order; the rows are read in batches on access.
    ///
    /// - Parameter request: The objects to list, and their order.
    /// - Throws: As ``fetch(_:)``.
    /// - Complexity: That of SQLite's query; 4 bytes of memory for each object, 8 for keys from 2³² on, and a
    ///   few batches of rows.
    public func list<Object: ManagedObject>(
        _ request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> FetchedObjects<Object> {
        _ = try listedEntities(of: request)
        let (all, provisional) = try keys(of: request)
        return try FetchedObjects(
            count: all.count, request: request, context: self, provisionalObjects: provisional
        ) { all[$0] }
    }

    /// Fetches the keys of a request's objects, in order, and the unsaved objects among these.
    private func keys<Object: ManagedObject>(
        of request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> (PackedKeys, [Int64: ManagedObject]) {
        var keys = PackedKeys()
        var provisional: [Int64: ManagedObject] = [:]
        try withSnapshot(
            of: request.description, columns: .keys, includingPendingChanges: request.includesPendingChanges
        ) { snapshot in
            provisional = snapshot.provisionalObjects
            try snapshot.scanStatement().use { statement in
                while try statement.step() { keys.append(statement.integer(0)) }
            }
        }
        return (keys, provisional)
    }

    /// Returns the entities whose objects a request finds; these must be of the request's class.
    func listedEntities<Object: ManagedObject>(
        of request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> ListedEntities {
        let entity = try container.model.requireList(named: request.entityName)
        var runtimes: [EntityRuntime] = []
        for member in entity.listedEntities {
            runtimes.append(try runtime(ofEntityNamed: member.name, for: request))
        }
        return ListedEntities(entity: entity, runtimes: runtimes)
    }

    /// Returns the runtime of a request's entity, whose objects must be of the request's class.
    func runtime<Object: ManagedObject>(
        for request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> EntityRuntime {
        try runtime(ofEntityNamed: request.entityName, for: request)
    }

    private func runtime<Object: ManagedObject>(
        ofEntityNamed name: String, for request: FetchRequest<Object>
    ) throws(ObjectStorageError) -> EntityRuntime {
        let runtime = try requireRuntime(ofEntityNamed: name)
        guard runtime.objectType is Object.Type else {
            throw ObjectStorageError(
                .invalidModel,
                "The container's model describes entity “\(name)” by the class \(runtime.objectType), not \(Object.self). Open it with ManagedObjectModel(types:).",
                entityName: name)
        }
        return runtime
    }
}
