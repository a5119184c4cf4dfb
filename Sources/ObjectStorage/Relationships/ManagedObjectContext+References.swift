extension ManagedObjectContext {
    /// Makes the loaded objects that lead to a deleted one lead nowhere.
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

    /// Whether a relationship that leads to a deleted object is to lead nowhere at once. Where the deleted
    /// object's rule for the way back is another than to nullify, the save still has to find who led there.
    private static func isForgotten(_ relationship: RelationshipDescription, by target: ManagedObject) -> Bool
    {
        guard let inverse = relationship.inverseName.flatMap(target.entity.relationship(named:)) else {
            return true
        }
        return inverse.deleteRule == .nullify
    }

    /// The objects with unsaved changes, of an entity and its sub-entities, that lead to another by a
    /// relationship to one object, in the order of their first change.
    ///
    /// - Complexity: O(1) on average for each; for the first few times O(*n*) for *n* objects with unsaved
    ///   changes.
    func pendingObjects(
        of runtime: EntityRuntime, leadingTo target: ManagedObject, by name: String
    ) -> [ManagedObject] {
        let kinds = runtimes.compactMap { kind -> (runtime: EntityRuntime, slot: Int)? in
            guard kind.description.isKind(ofEntityNamed: runtime.description.name),
                let slot = kind.slot(ofToOneNamed: name)
            else { return nil }
            return (kind, slot)
        }
        guard kinds.allSatisfy({ referenceTable(of: $0.runtime) != nil }) else {
            for kind in kinds { kind.runtime.numberLookedThrough += pending.count }
            return pending.filter { object in
                guard !object.isDeleted, let kind = kinds.first(where: { $0.runtime === object.runtime })
                else { return false }
                return object.leads(to: target, slot: kind.slot)
            }
        }
        let objects = kinds.flatMap { kind in
            self.objects(
                of: kind.runtime, leadingTo: target,
                position: kind.slot - kind.runtime.description.storedAttributes.count)
        }
        return sortedPending(objects.filter { $0.isPending && !$0.isDeleted })
    }

    /// The objects in memory of just an entity that lead to another, deleted ones as well, in no order.
    private func objects(
        of runtime: EntityRuntime, leadingTo target: ManagedObject, position: Int
    ) -> [ManagedObject] {
        let slot = runtime.description.storedAttributes.count + position
        return objects(of: runtime, leadingTo: target.identityKey.unsavedKey, position: position) {
            $0.leads(to: target, slot: slot)
        }
    }

    /// Those of the objects in memory that may lead to the one with a key, faults not among them.
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

    /// The objects in memory that lead to a key in the table of `target`, or to this, which had the key and
    /// may have another by now, and the slots in which they do.
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

    /// Forgets where objects lead, because their keys change or those that have none are gone.
    func forgetReferenceTables() {
        for runtime in runtimes { (runtime.references, runtime.numberLookedThrough) = (nil, 0) }
    }

    /// Where the objects of an entity lead, if looking through them has cost about as much as it takes to
    /// find out.
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

    /// The object that a number stands for, if it is alive and of the entity.
    private func object(inMemory key: Int64, _ runtime: EntityRuntime) -> ManagedObject? {
        let object = runtime.registry.object(forKey: key) ?? pendingObject(ObjectID.Key(inChild: key))
        return object?.runtime === runtime ? object : nil
    }
}
