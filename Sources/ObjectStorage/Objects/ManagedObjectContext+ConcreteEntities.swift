import InternalUtilities

extension ManagedObjectContext {
    /// The cache of an entity's table; nil if no other entity shares the table by inheritance.
    package func concreteEntityCache(ofEntityNamed name: String) -> ConcreteEntityCache? {
        runtime(ofEntityNamed: name)?.registry.concreteEntities
    }

    /// Stores the entities of deleted objects for which the cache has no entry yet.
    ///
    /// If an object's row was already gone when it was first requested, its entity is the one that it was
    /// requested by.
    package func noteConcreteEntities(ofGone objectIDs: Set<ObjectID>) {
        for objectID in objectIDs {
            concreteEntityCache(ofEntityNamed: objectID.entityName)?.note([objectID], isCertain: false)
        }
    }

    /// Returns the identities of rows. If the entity has sub-entities, each identity names the row's own
    /// entity.
    ///
    /// - Parameters:
    ///   - keys: Primary keys of rows that the entity or a sub-entity has or had.
    ///   - gone: Objects whose rows are known to be deleted and are therefore not read. A row that does not
    ///     exist gets the entity that the cache has for it, otherwise `entityName`.
    ///   - concreteEntities: The cache to use; by default, the context's own.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of keys. If the entity has sub-entities, the rows of objects that
    ///   are not in memory are read.
    package func objectIDs(
        ofKeys keys: [Int64], entityName: String, gone: Set<ObjectID> = [],
        concreteEntities: ConcreteEntityCache? = nil
    ) throws(ObjectStorageError) -> [ObjectID] {
        if let union = try container.model.requireList(named: entityName).union {
            return try objectIDs(ofKeys: keys, union, gone: gone)
        }
        let runtime = try requireRuntime(ofEntityNamed: entityName)
        guard runtime.family != nil,
            let concreteEntities = concreteEntities ?? runtime.registry.concreteEntities
        else {
            return keys.map { objectID(ofKey: $0, entityName: entityName) }
        }
        var objects = keys.map { runtime.registry.object(forKey: $0) }
        let goneKeys = Set(gone.lazy.compactMap(\.primaryKey))
        let missing = keys.indices.filter { objects[$0] == nil && !goneKeys.contains(keys[$0]) }
        let read = try self.objects(forKeys: missing.map { keys[$0] }, runtime: runtime)
        for (position, object) in zip(missing, read) where !object.isFault { objects[position] = object }
        concreteEntities.note(objects.lazy.compactMap(\.self))
        return zip(zip(keys, objects), concreteEntities.names(ofKeys: keys)).map { row, name in
            let (key, object) = row
            return objectID(ofKey: key, entityName: name ?? object?.entity.name ?? entityName)
        }
    }

    /// Returns the identities of rows of a union's entities, using the cache of each entity's table.
    private func objectIDs(
        ofKeys keys: [Int64], _ union: EntityUnion, gone: Set<ObjectID>
    ) throws(ObjectStorageError) -> [ObjectID] {
        var rowKeys = Array(repeating: [Int64](), count: union.members.count)
        func member(_ key: Int64) -> Int { min(EntityUnion.member(ofKey: key), rowKeys.count - 1) }
        for key in keys { rowKeys[member(key)].append(EntityUnion.rowKey(of: key)) }
        var found: [[ObjectID]] = []
        for (member, keys) in zip(union.members, rowKeys) {
            let goneRows = gone.filter { objectID in
                container.model.entity(named: objectID.entityName)?.tableName == member.tableName
            }
            found.append(try objectIDs(ofKeys: keys, entityName: member.name, gone: goneRows).reversed())
        }
        return keys.map { found[member($0)].removeLast() }
    }
}
