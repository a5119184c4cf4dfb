import InternalUtilities

/// The concrete entities of the rows that were read from one table, where entities inherit from each other.
///
/// A deleted row can thereby still be reported under the entity name that it had. The cache may be used from
/// any thread.
package final class ConcreteEntityCache: Sendable {
    private struct State {
        var names: [String] = []
        /// The positions in `names`, by primary key.
        var kinds: [Int64: UInt16] = [:]
    }

    private let state = LockedValue(State())

    /// Creates an empty cache.
    package init() {}

    /// Stores the entities of rows that exist, or existed a moment ago.
    ///
    /// - Parameter isCertain: Whether these identities replace entries that the cache already has.
    /// - Complexity: O(*n*) in the number of identities.
    package func note(_ objectIDs: some Sequence<ObjectID>, isCertain: Bool = true) {
        state.withLock { state in
            for objectID in objectIDs where isCertain || state.kinds[objectID.unsavedKey] == nil {
                let name = objectID.entityName
                let position = state.names.firstIndex(of: name) ?? state.names.endIndex
                if position == state.names.endIndex { state.names.append(name) }
                state.kinds[objectID.unsavedKey] = UInt16(position)
            }
        }
    }

    /// Stores the entities of objects. Faults are skipped, because the entity of a row that was not read is
    /// not certain.
    func note(_ objects: some Sequence<ManagedObject>) {
        note(objects.lazy.filter { !$0.isFault }.map(\.objectID))
    }

    /// Returns the name of the entity of each row; nil for a row that the cache does not have.
    func names(ofKeys keys: [Int64]) -> [String?] {
        state.withLock { state in keys.map { key in state.kinds[key].map { state.names[Int($0)] } } }
    }
}

extension ManagedObjectContext {
    /// The cache of an entity's table; nil if no other entity shares the table by inheritance.
    package func concreteEntityCache(ofEntityNamed name: String) -> ConcreteEntityCache? {
        runtime(ofEntityNamed: name)?.registry.kinds
    }

    /// Stores the entities of deleted objects for which the cache has no entry yet.
    ///
    /// If an object's row was already gone when it was first requested, its entity is the one that it was
    /// requested by.
    package func noteKinds(ofGone objectIDs: Set<ObjectID>) {
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
    ///   - kinds: The cache to use; by default, the context's own.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of keys. If the entity has sub-entities, the rows of objects that
    ///   are not in memory are read.
    package func objectIDs(
        ofKeys keys: [Int64], entityName: String, gone: Set<ObjectID> = [], kinds: ConcreteEntityCache? = nil
    ) throws(ObjectStorageError) -> [ObjectID] {
        let runtime = try requireRuntime(ofEntityNamed: entityName)
        guard runtime.family != nil, let kinds = kinds ?? runtime.registry.kinds else {
            return keys.map { objectID(ofKey: $0, entityName: entityName) }
        }
        var objects = keys.map { runtime.registry.object(forKey: $0) }
        let goneKeys = Set(gone.lazy.compactMap(\.primaryKey))
        let missing = keys.indices.filter { objects[$0] == nil && !goneKeys.contains(keys[$0]) }
        let read = try self.objects(forKeys: missing.map { keys[$0] }, runtime: runtime)
        for (position, object) in zip(missing, read) where !object.isFault { objects[position] = object }
        kinds.note(objects.lazy.compactMap(\.self))
        return zip(zip(keys, objects), kinds.names(ofKeys: keys)).map { row, name in
            let (key, object) = row
            return objectID(ofKey: key, entityName: name ?? object?.entity.name ?? entityName)
        }
    }
}
