/// The entities whose objects a request finds, with the state that the objects of each entity share. These
/// are the request's entity or the members of its union.
struct ListedEntities {
    /// The entity of the request; for a union, the entity with the shared properties.
    let entity: EntityDescription
    /// The shared state of the objects of each entity.
    let runtimes: [EntityRuntime]

    /// Whether the objects are of a context that was reset.
    var areOfResetContext: Bool { runtimes[0].context == nil }

    /// Checks key paths to prefetch. Every entity must have each of them.
    func checkPrefetching(_ paths: [String], in context: ManagedObjectContext) throws(ObjectStorageError) {
        for runtime in runtimes { try context.checkPrefetching(paths, of: runtime.description) }
    }

    /// Returns the objects with the given keys of the list, in their order, and reads the rows of faults.
    ///
    /// - Parameter paths: The relationships whose objects are read as well.
    func objects(
        forKeys keys: [Int64], prefetching paths: [String], in context: ManagedObjectContext
    ) throws(ObjectStorageError) -> [ManagedObject] {
        guard entity.union != nil else {
            return try objects(forKeys: keys, of: runtimes[0], prefetching: paths, in: context)
        }
        var rowKeys = Array(repeating: [Int64](), count: runtimes.count)
        for key in keys { rowKeys[member(ofKey: key)].append(EntityUnion.rowKey(of: key)) }
        var found: [[ManagedObject]] = []
        for (runtime, keys) in zip(runtimes, rowKeys) {
            found.append(try objects(forKeys: keys, of: runtime, prefetching: paths, in: context).reversed())
        }
        return keys.map { found[member(ofKey: $0)].removeLast() }
    }

    private func objects(
        forKeys keys: [Int64], of runtime: EntityRuntime, prefetching paths: [String],
        in context: ManagedObjectContext
    ) throws(ObjectStorageError) -> [ManagedObject] {
        let objects = try context.objects(forKeys: keys, runtime: runtime)
        runtime.registry.concreteEntities?.note(objects)
        try context.prefetch(paths, of: objects, runtime: runtime)
        return objects
    }

    /// Returns the position of the entity to which a key of the list belongs. A damaged list may contain keys
    /// that belong to no entity.
    private func member(ofKey key: Int64) -> Int { min(EntityUnion.member(ofKey: key), runtimes.count - 1) }

    /// Returns the object with a key of the list, which may be a fault.
    func object(forKey key: Int64, in context: ManagedObjectContext) -> ManagedObject {
        guard entity.union != nil else { return context.object(forKey: key, runtime: runtimes[0]) }
        return context.object(
            forKey: EntityUnion.rowKey(of: key), runtime: runtimes[member(ofKey: key)])
    }
}
