import InternalUtilities

/// Of which entities the rows of one table are that were looked at, where entities inherit from each other,
/// so that a row that is gone is called what it was called before. It may be used from any thread.
package final class ConcreteEntityCache: Sendable {
    private struct State {
        var names: [String] = []
        /// The places of the names, by key.
        var kinds: [Int64: UInt16] = [:]
    }

    private let state = LockedValue(State())

    /// Nothing is known.
    package init() {}

    /// Takes note of rows that are there, or were a moment ago.
    ///
    /// - Parameter isCertain: Whether what is known already counts for less.
    /// - Complexity: O(*n*) in their number.
    package func note(_ objectIDs: some Sequence<ObjectID>, isCertain: Bool = true) {
        state.withLock { state in
            for objectID in objectIDs where isCertain || state.kinds[objectID.unsavedKey] == nil {
                let name = objectID.entityName
                let place = state.names.firstIndex(of: name) ?? state.names.endIndex
                if place == state.names.endIndex { state.names.append(name) }
                state.kinds[objectID.unsavedKey] = UInt16(place)
            }
        }
    }

    /// The same for objects. Of one that was not read nobody knows whether its row is of its entity.
    func note(_ objects: some Sequence<ManagedObject>) {
        note(objects.lazy.filter { !$0.isFault }.map(\.objectID))
    }

    /// The name of the entity of each row that was noted.
    func names(ofKeys keys: [Int64]) -> [String?] {
        state.withLock { state in keys.map { key in state.kinds[key].map { state.names[Int($0)] } } }
    }
}

extension ManagedObjectContext {
    /// What is known of the rows of an entity's table; nil where it inherits from no other and no other from
    /// it.
    package func concreteEntityCache(ofEntityNamed name: String) -> ConcreteEntityCache? {
        runtime(ofEntityNamed: name)?.registry.kinds
    }

    /// Takes note of what some objects that are gone were called, where nothing is known. One that was looked
    /// for when its row was gone already is called after the entity that it was looked for by.
    package func noteKinds(ofGone objectIDs: Set<ObjectID>) {
        for objectID in objectIDs {
            concreteEntityCache(ofEntityNamed: objectID.entityName)?.note([objectID], isCertain: false)
        }
    }

    /// The identities of rows, those of an entity with sub-entities each of its own entity.
    ///
    /// - Parameters:
    ///   - keys: Keys of rows that the entity or a sub-entity has or had.
    ///   - gone: Objects whose rows are known to be gone, so that none is looked for. Where there is no row,
    ///     it is called after the entity that it is known to have had, or else after `entityName`.
    ///   - kinds: What is known already; the context's own knowledge if left out.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of keys, and reading the rows of objects that the context does not
    ///   have, where the entity has sub-entities.
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
