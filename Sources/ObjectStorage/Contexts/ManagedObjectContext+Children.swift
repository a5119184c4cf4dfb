extension ManagedObjectContext {
    /// Creates a context that reads this context's objects with their unsaved changes, and saves to it.
    ///
    /// A child context is for changes that may be discarded as a whole, as in a form: its save makes them
    /// unsaved changes of the parent, and only the parent's save writes them to the store. The child is
    /// confined to the isolation of the parent and retains it. An unsaved object of the parent has the same
    /// temporary identity in the child.
    ///
    /// Observers of the parent receive the child's save as ``ContextEvent/processed``.
    ///
    /// Changes that the parent makes after the child has read an object appear in the child when the object
    /// is refreshed. While the parent has unsaved changes, each read of the child takes the store's write
    /// lock briefly, as fetches with unsaved changes do, and writes these changes in a transaction that is
    /// rolled back: O(*n*) for *n* changes in each read.
    public func newChildContext() -> ManagedObjectContext {
        let child = ManagedObjectContext(container: container, parent: self)
        children.removeAll { $0.context == nil }
        children.append(ChildContext(context: child))
        return child
    }

    /// Returns the unsaved changes of this context's ancestors, those of the farthest ancestor first; nil if
    /// there are none.
    func changedAncestors() throws(ObjectStorageError) -> [PendingChanges]? {
        guard let parent else { return nil }
        var ground = try parent.changedAncestors() ?? []
        if parent.hasChanges {
            try parent.propagateDeletions(isRefusing: false)
            try parent.positionNewMembers()
            ground.append(PendingChanges(of: parent))
        }
        return ground.isEmpty ? nil : ground
    }

    /// Returns the identity of the row with a key.
    func objectID(ofKey key: Int64, entityName: String) -> ObjectID {
        ObjectID(
            entityName: entityName, key: identityKey(of: key), of: container.temporaryIdentities)
    }

    /// Returns the key in the identity of the row with a key.
    func identityKey(of key: Int64) -> ObjectID.Key {
        parent == nil ? .permanent(key) : ObjectID.Key(inChild: key)
    }

    /// Returns whether this context or an ancestor has an unsaved object with an identity.
    func hasUnsaved(_ objectID: ObjectID) -> Bool {
        unsavedObject(objectID.key) != nil || parent?.hasUnsaved(objectID) == true
    }

    /// Saves the changes of this context to its parent, as unsaved changes.
    func save(
        _ changes: PendingChanges, to parent: ManagedObjectContext
    ) throws(ObjectStorageError) -> StoreChanges {
        // All steps that can fail come first, so that a failed save changes nothing.
        var counterparts: [(object: ManagedObject, counterpart: ManagedObject)] = []
        for object in changes.updated + changes.deleted {
            guard let counterpart = try counterpart(of: object, in: parent) else {
                guard object.state == .updated, mergePolicy.winner != .store else { continue }
                throw ObjectStorageError(
                    .conflict,
                    "\(object.objectID) has unsaved changes and is deleted in the parent context. Nothing was saved; delete it in this context as well, or set a mergePolicy in which the store wins.",
                    entityName: object.entity.name, objectID: object.objectID)
            }
            counterparts.append((object, counterpart))
        }
        var linked: [ManagedObject: ManagedObject] = [:]
        for object in Set(changes.links.flatMap(\.objects)) where !object.isDeleted && !object.isInserted {
            linked[object] = try counterpart(of: object, in: parent)
        }
        let keys = changes.unsavedKeys
        for object in changes.inserted {
            let counterpart = object.runtime.objectType.init(
                ManagedObject.Seed(
                    runtime: try parent.requireRuntime(ofEntityNamed: object.entity.name),
                    key: object.identityKey))
            parent.register(inserted: counterpart)
            if let number = object.numberBeforeReservation {
                counterpart.noteReservation(formerly: number)
            }
            counterparts.append((object, counterpart))
            if !changes.links.isEmpty { linked[object] = counterpart }
        }
        for (object, counterpart) in counterparts {
            switch object.state {
            case .deleted:
                // The parent's delete rules apply to the relationships that the object had when it was
                // deleted.
                if let before = object.committedValues {
                    handOver(object, keys, since: before, to: counterpart, in: parent)
                }
                parent.markDeleted(counterpart)
            case .updated, .inserted:
                let before = object.committedValues ?? counterpart.values
                handOver(object, keys, since: before, to: counterpart, in: parent)
            case .clean, .gone: break
            }
        }
        for links in changes.links { parent.adopt(links, of: linked) }
        parent.showRowsOfUnchangedObjects()
        let previousRows = previousRowsOfChanges()
        take(changes, counterparts.map(\.object), keys)
        var saved = changes.committed(PendingChanges.Outcome(), [])
        saved.previousRows = previousRows
        notify(.saved(saved))
        changes.announceSaved()
        // For the parent, the save is a completed action that made unsaved changes.
        parent.notifyProcessed()
        return saved
    }

    /// Copies the values that were changed in this context to the parent's object.
    private func handOver(
        _ object: ManagedObject, _ keys: NewObjectKeys, since before: [StoredValue],
        to counterpart: ManagedObject, in parent: ManagedObjectContext
    ) {
        let values = PendingChanges.resolvedValues(of: object, keys: keys)
        for slot in values.indices where values[slot] != before[slot] {
            parent.set(values[slot], slot: slot, of: counterpart)
            counterpart.noteUnpositionedMember(slot: slot)
        }
    }

    /// Returns the parent's object for an object of this context, and reads it if it will be changed; nil if
    /// the parent has discarded or deleted it.
    private func counterpart(
        of object: ManagedObject, in parent: ManagedObjectContext
    ) throws(ObjectStorageError) -> ManagedObject? {
        do throws(ObjectStorageError) {
            let counterpart = try parent.object(with: object.objectID)
            guard !counterpart.isDeleted else { return nil }
            if object.state == .updated || object.committedValues != nil { try counterpart.load() }
            return counterpart
        } catch  where error.code == .wrongContext || error.code == .objectMissing {
            return nil
        }
    }

    /// Updates the objects of this context after its changes were saved to the parent.
    private func take(
        _ changes: PendingChanges, _ saved: [ManagedObject], _ keys: NewObjectKeys
    ) {
        storeGeneration &+= 1
        let saved = Set(saved)
        for object in clearPending() {
            switch object.state {
            case .updated where !saved.contains(object) && object.hasChangedValues: remove(object)
            case .deleted: remove(object)
            case .updated, .inserted:
                object.values = PendingChanges.resolvedValues(of: object, keys: keys)
                let isBehind = object.untakenRow != nil
                settle(object)
                if isBehind { makeFault(object) }
                if let key = object.rowKey { object.runtime.registry.register(object, key: key) }
            case .clean, .gone: break
            }
        }
        // The child may have read these objects when the objects that they lead to were already marked for
        // deletion.
        for object in changes.deleted {
            let key = object.identityKey.unsavedKey
            for (other, slot) in objects(holding: key, ofRowsLike: object) where other.state == .clean {
                other.values[slot] = .null
            }
        }
    }

    /// Sets a value, which may be the temporary or reserved key of an unsaved object of this context.
    private func set(_ value: StoredValue, slot: Int, of object: ManagedObject) {
        let position = slot - object.entity.storedAttributes.count
        if object.entity.toOneRelationships.indices.contains(position), case .integer(let key) = value,
            let target = newObject(
                forKey: key,
                ofEntityNamed: object.entity.toOneRelationships[position].destinationEntityName)
        {
            return object.lead(to: target, slot: slot)
        }
        object.set(value, slot: slot)
    }

    /// Returns the new object of this context that a key in a child context represents; nil for the key of a
    /// row, or of a new object of an ancestor.
    private func newObject(forKey key: Int64, ofEntityNamed name: String) -> ManagedObject? {
        switch ObjectID.Key(inChild: key) {
        case .temporary: return unsavedObject(ObjectID.Key(inChild: key))
        case .permanent:
            let object = runtime(ofEntityNamed: name)?.object(forKey: key)
            return object?.state == .inserted ? object : nil
        }
    }
}

extension ManagedObjectContext {
    /// Replaces the keys of new objects by those of their rows in the child contexts.
    func replaceKeysInChildren(_ keys: ReplacedKeys) {
        for child in children { child.context?.replace(keys) }
    }

    /// Replaces keys of new objects in identities and relationships.
    private func replace(_ keys: ReplacedKeys) {
        storeGeneration &+= 1
        forgetReferenceTables()
        for object in registeredObjects {
            if object.state != .inserted,
                let key = keys.key(replacing: object.identityKey, ofTableNamed: object.entity.tableName)
            {
                // Its row is written, so the key now identifies a row.
                if case .permanent = object.identityKey { object.endReservation() }
                let registry = object.runtime.registry
                registry.forget(object, key: object.identityKey.unsavedKey)
                object.identityKey = .permanent(key)
                // The object of a row with which the parent merged its new object stays.
                if let present = registry.object(forKey: key), present !== object, present.state != .gone {
                    remove(object)
                } else {
                    registry.register(object, key: key)
                }
            }
            replaceKeys(of: object, keys)
        }
        for object in pending where object.state == .inserted { replaceKeys(of: object, keys) }
        for child in children { child.context?.replace(keys) }
    }

    private func replaceKeys(of object: ManagedObject, _ keys: ReplacedKeys) {
        let entity = object.entity
        for (position, relationship) in entity.toOneRelationships.enumerated() {
            let slot = entity.storedAttributes.count + position
            let tableName =
                keys.haveReserved
                ? container.model.entity(named: relationship.destinationEntityName)?.tableName : nil
            let permanent = { (value: StoredValue) -> StoredValue in
                guard case .integer(let key) = value else { return value }
                return keys.key(replacing: ObjectID.Key(inChild: key), ofTableNamed: tableName)
                    .map(StoredValue.integer) ?? value
            }
            if slot < object.values.count { object.values[slot] = permanent(object.values[slot]) }
            if let committed = object.committedValues?[slot] {
                object.committedValues?[slot] = permanent(committed)
            }
        }
    }
}
