extension ManagedObjectContext {
    /// Sets the to-one relationships of loaded objects that lead to a deleted object to nil.
    func forgetReferences(to target: ManagedObject) {
        for runtime in runtimes {
            let entity = runtime.description
            for (position, relationship) in entity.toOneRelationships.enumerated()
            where target.entity.sharesTable(withEntityNamed: relationship.destinationEntityName)
                && Self.isForgotten(relationship, by: target)
            {
                for object in objects(of: runtime, leadingTo: target, position: position)
                where !object.isDeleted {
                    object.set(.null, slot: entity.storedAttributes.count + position)
                }
            }
        }
    }

    /// Returns whether a relationship that leads to a deleted object becomes nil immediately. If the deleted
    /// object's delete rule for the inverse is not to nullify, the save must still find the referring
    /// objects.
    private static func isForgotten(_ relationship: RelationshipDescription, by target: ManagedObject) -> Bool
    {
        guard let inverse = relationship.inverseName.flatMap(target.entity.relationship(named:)) else {
            return true
        }
        return inverse.deleteRule == .nullify
    }

    /// Returns the objects of an entity and its sub-entities with unsaved changes that lead to an object by a
    /// to-one relationship, in the order of their first change.
    ///
    /// - Complexity: O(1) on average for each object found; O(*n*) for *n* objects with unsaved changes until
    ///   the index is built.
    func pendingObjects(
        of runtime: EntityRuntime, leadingTo target: ManagedObject, by name: String
    ) -> [ManagedObject] {
        let sources = runtimes.compactMap { source -> (runtime: EntityRuntime, slot: Int)? in
            guard source.description.isKind(ofEntityNamed: runtime.description.name),
                let slot = source.slot(ofToOneNamed: name)
            else { return nil }
            return (source, slot)
        }
        guard sources.allSatisfy({ referenceTable(of: $0.runtime) != nil }) else {
            for source in sources { source.runtime.numberLookedThrough += pending.count }
            return pending.filter { object in
                guard !object.isDeleted, let source = sources.first(where: { $0.runtime === object.runtime })
                else { return false }
                return object.leads(to: target, slot: source.slot)
            }
        }
        let objects = sources.flatMap { source in
            self.objects(
                of: source.runtime, leadingTo: target,
                position: source.slot - source.runtime.description.storedAttributes.count)
        }
        return sortedPending(objects.filter { $0.isPending && !$0.isDeleted })
    }

    /// Returns the objects in memory of exactly an entity that lead to an object, including deleted ones, in
    /// no particular order.
    private func objects(
        of runtime: EntityRuntime, leadingTo target: ManagedObject, position: Int
    ) -> [ManagedObject] {
        let slot = runtime.description.storedAttributes.count + position
        return objects(of: runtime, leadingTo: target.identityKey.unsavedKey, position: position) {
            $0.leads(to: target, slot: slot)
        }
    }

    /// Returns the objects in memory that may lead to the object with a key and satisfy a condition, without
    /// faults.
    private func objects(
        of runtime: EntityRuntime, leadingTo key: Int64, position: Int, where leads: (ManagedObject) -> Bool
    ) -> [ManagedObject] {
        if let table = referenceTable(of: runtime) {
            let keys = table.sources(leadingTo: key, position: position) { object(inMemory: $0, runtime) }
            return keys.compactMap { object(inMemory: $0, runtime) }.filter { !$0.isFault && leads($0) }
        }
        let objects = objectsInMemory(of: runtime)
        runtime.numberLookedThrough += objects.count + pending.count
        return objects.filter { !$0.isFault && leads($0) }
    }

    /// Returns the objects in memory, with their slots, that lead to a key in the table of `target`, or to
    /// `target` itself, which had the key and may have another one now.
    func objects(
        holding key: Int64, ofRowsLike target: ManagedObject
    ) -> [(object: ManagedObject, slot: Int)] {
        var objects: [(ManagedObject, Int)] = []
        for runtime in runtimes {
            let entity = runtime.description
            for (position, relationship) in entity.toOneRelationships.enumerated()
            where target.entity.sharesTable(withEntityNamed: relationship.destinationEntityName) {
                let slot = entity.storedAttributes.count + position
                let holders = self.objects(of: runtime, leadingTo: key, position: position) {
                    $0.value(inSlot: slot) == .integer(key)
                        || $0.details?.assignedReferences[slot] === target
                }
                objects += holders.map { ($0, slot) }
            }
        }
        return objects
    }

    /// Discards the indexes of references, because keys of objects change or unsaved objects were discarded.
    func forgetReferenceTables() {
        for runtime in runtimes { (runtime.references, runtime.numberLookedThrough) = (nil, 0) }
    }

    /// Returns the index of an entity's references, which is built once scanning has cost about as much as
    /// building it.
    private func referenceTable(of runtime: EntityRuntime) -> ReferenceTable? {
        if let references = runtime.references { return references }
        guard runtime.numberLookedThrough > 1_000,
            runtime.numberLookedThrough > 2 * (runtime.registry.maximumCount + pending.count)
        else { return nil }
        runtime.numberLookedThrough = 0
        runtime.references = ReferenceTable(of: objectsInMemory(of: runtime), runtime)
        return runtime.references
    }

    private func objectsInMemory(of runtime: EntityRuntime) -> [ManagedObject] {
        let loaded = runtime.registry.allObjects.filter { $0.runtime === runtime }
        return loaded
            + pending.filter { $0.runtime === runtime && ($0.state == .inserted || $0.state == .gone) }
    }

    /// Returns the object with a primary or temporary key, if it is in memory and of the entity.
    private func object(inMemory key: Int64, _ runtime: EntityRuntime) -> ManagedObject? {
        let object = runtime.registry.object(forKey: key) ?? pendingObject(ObjectID.Key(inChild: key))
        return object?.runtime === runtime ? object : nil
    }
}
