extension ManagedObjectContext {
    /// Carries out delete rules, and closes the current undo group.
    ///
    /// Call this method at the end of a user action: it notifies observers, and with them results
    /// controllers, of unsaved changes.
    ///
    /// - Throws: ``ObjectStorageError`` if a delete rule denies a deletion, or the store cannot be read.
    /// - Complexity: O(*c* log *n*) for *c* changed and deleted objects in tables of *n* rows.
    public func processPendingChanges() throws(ObjectStorageError) {
        try closeChanges()
        notifyProcessed()
    }

    /// Carries out delete rules, assigns positions to new members of ordered lists, makes objects without
    /// remaining changes show the rows that merges found, and closes the undo group, without notifying
    /// observers.
    func closeChanges() throws(ObjectStorageError) {
        try propagateDeletions()
        try positionNewMembers()
        showRowsOfUnchangedObjects()
        undoManager?.closeGroup()
    }

    /// Notifies observers that the context has unsaved changes, or no longer has any.
    func notifyProcessed() {
        guard !observers.isEmpty else { return }
        // Changes that were shown may have disappeared: a new object that was deleted, or a deletion that was
        // undone.
        let hadChanges = hasShownChanges
        hasShownChanges = !pending.isEmpty || !links.isEmpty
        if hadChanges || hasShownChanges { notify(.processed) }
    }

    /// Undoes the last group of changes: new objects are deleted, values are restored, and deleted objects
    /// are restored.
    ///
    /// Changes that were saved in between are reverted by unsaved changes, which the next save writes. A
    /// deleted object whose deletion was saved is restored with a new identity. Without an ``undoManager``
    /// the method does nothing.
    ///
    /// - Throws: As ``processPendingChanges()``.
    /// - Complexity: O(*c*) in the changes of the group, besides ``processPendingChanges()``.
    public func undo() throws(ObjectStorageError) {
        try closeChanges()
        undoManager?.undo(revert)
        try endReplay()
    }

    /// Redoes the group that was undone last. After any other change, nothing can be redone.
    ///
    /// - Throws: As ``processPendingChanges()``.
    /// - Complexity: As ``undo()``.
    public func redo() throws(ObjectStorageError) {
        try closeChanges()
        undoManager?.redo(revert)
        try endReplay()
    }

    private func endReplay() throws(ObjectStorageError) {
        showRowsOfUnchangedObjects()
        defer { notifyProcessed() }
        guard let undoManager else { return }
        let replayed = undoManager.replayed
        undoManager.replayed = []
        guard !replayed.isEmpty, !undoManager.restoredOrder.isEmpty else { return }
        // Assigning these positions does not change an order, so it is not recorded for undo.
        undoManager.disableUndoRegistration()
        defer { undoManager.enableUndoRegistration() }
        try assignPositions(toReplayed: replayed, undoManager)
    }

    /// Reads the objects that an undo of a deletion needs: the object itself, and those whose relationships
    /// are about to be cleared. Records the object's links, because their rows are deleted with its own, and
    /// its references to unsaved objects, which have no keys in its row.
    ///
    /// - Returns: The objects, which the caller retains until the deletion is done.
    func loadForUndo(ofDeleting object: ManagedObject) -> [ManagedObject] {
        guard undoManager?.isUndoRegistrationEnabled == true, object.loadIfNeeded() else { return [] }
        for slot in object.runtime.externalSlots { _ = object.completeValueIfReadable(inSlot: slot) }
        if let undoManager {
            for slot in object.assignedReferences.keys {
                object.recordForUndo(slot: slot, by: undoManager, self)
            }
        }
        var loaded: [ManagedObject] = []
        // The objects at the other ends of links are recorded with the links.
        for relationship in object.entity.relationships
        where relationship.isToMany && container.model.linkEnd(of: relationship, in: object.entity) == nil {
            do throws(ObjectStorageError) {
                loaded += try objects(relatedTo: object, through: relationship).filter { $0.loadIfNeeded() }
            } catch {
                // The deletion does not depend on this. An object that cannot be read now is not linked again
                // by an undo.
                object.readError = error
            }
        }
        // The partner of a one-to-one relationship refers to the object in its own row.
        for (relationship, inverse) in zip(object.entity.toOneRelationships, object.runtime.toOneInverses)
        where inverse != nil {
            do throws(ObjectStorageError) {
                loaded += try [object.relatedObject(relationship.name)].compactMap(\.self)
                    .filter { $0.loadIfNeeded() }
            } catch {
                object.readError = error
            }
        }
        for end in container.model.linkEnds(of: object.entity) { recordLinks(of: object, at: end) }
        return loaded
    }

    private func revert(_ step: UndoManager.Step) {
        switch step {
        case .insertion(let object): markDeleted(object)
        case .deletion(let object): restore(object)
        case .links(let object, let end, let previous):
            guard !object.isDeleted else { return }
            do throws(ObjectStorageError) {
                let current = try objects(linkedTo: object, at: end, relationshipName: end.table.name)
                let previous = previous.filter { !$0.isDeleted }
                if previous != current { link(object, at: end, to: previous, insteadOf: current) }
            } catch {
                object.readError = error
            }
        case .value(let object, let slot, let value, let reference):
            guard !object.isDeleted else { return }
            if !object.entity.orderedToOneNames.isEmpty {
                undoManager?.replayed.insert(object)
                object.forgetGivenPosition(slot: slot)
            }
            if let reference, reference.state == .gone {
                // The object may be restored later in the same undo. If it was deleted elsewhere, the
                // relationship becomes nil.
                object.lead(to: reference, slot: slot)
            } else if let target = reference ?? restoredObject(of: object, slot: slot, value),
                !target.isDeleted
            {
                object.lead(to: target, slot: slot)
            } else {
                object.set(value, slot: slot)
            }
        }
    }

    /// Reverts the deletion of an object.
    private func restore(_ object: ManagedObject) {
        switch object.state {
        case .deleted where object.committedValues == nil:
            object.state = .clean
            // The row that a merge found is shown once all changes are undone.
            if object.untakenRow == nil { forgetPending(object) }
        case .deleted: object.state = .updated
        case .gone where !object.isFault:
            // A new object has its own values instead of a row's.
            object.makeValues()
            let previousID = object.objectID
            undoManager?.restoredOrder.noteReturn(of: object)
            object.endMerge()
            if !previousID.isTemporary, !object.hasReservedKey {
                giveTemporaryKey(to: object)
                undoManager?.restoredObjects[rootID(previousID)] = object
            }
            // A new object with a reserved key is registered as before.
            if case .permanent(let key) = object.identityKey {
                object.runtime.registry.register(object, key: key)
            }
            // Large values stored outside the row were deleted with it.
            for slot in object.runtime.externalSlots { object.values[slot] = object.knownValue(inSlot: slot) }
            object.externalValues = []
            object.state = .inserted
            notePending(object)
            object.noteReferences()
            relink(object, formerly: previousID)
        case .gone, .clean, .inserted, .updated: return
        }
        // Other members of its lists may have been given new positions in the meantime.
        if !object.entity.orderedToOneNames.isEmpty { undoManager?.replayed.insert(object) }
        undoManager?.record(.insertion(object))
    }

    /// Replaces the keys of objects that were restored with new identities: in the restored object's
    /// relationships, and in earlier restored objects that lead to it.
    private func relink(_ object: ManagedObject, formerly previousID: ObjectID) {
        let first = object.entity.storedAttributes.count
        for slot in first..<max(first, first + object.entity.toOneRelationships.count)
        where slot < object.values.count {
            if let target = restoredObject(of: object, slot: slot, object.values[slot]), !target.isDeleted {
                object.assignedReferences[slot] = target
                object.values[slot] = .null
            }
        }
        guard let key = previousID.primaryKey else { return }
        for (other, slot) in objects(holding: key, ofRowsLike: object)
        where other.state == .inserted || other.assignedReferences[slot] === object {
            other.assignedReferences[slot] = object
            other.values[slot] = .null
        }
    }

    private func restoredObject(of object: ManagedObject, slot: Int, _ value: StoredValue) -> ManagedObject? {
        let position = slot - object.entity.storedAttributes.count
        guard object.entity.toOneRelationships.indices.contains(position), case .integer(let key) = value
        else {
            return nil
        }
        let name = object.entity.toOneRelationships[position].destinationEntityName
        return undoManager?.restoredObjects[rootID(ObjectID(entityName: name, primaryKey: key))]
    }

    /// Returns the identity of a row as an object of the root entity, which is the same for all entities of
    /// the hierarchy.
    private func rootID(_ objectID: ObjectID) -> ObjectID {
        let root = container.model.entity(named: objectID.entityName)?.hierarchy?.rootName
        return root.map { ObjectID(objectID, ofEntityNamed: $0) } ?? objectID
    }
}

extension ManagedObject {
    /// Records the value of a slot for undo before it is set to another.
    final func recordForUndo(
        slot: Int, by undoManager: ManagedObjectContext.UndoManager, _ context: ManagedObjectContext
    ) {
        if forgetGivenPosition(slot: slot) { return }
        var reference = assignedReferences[slot]
        let position = slot - entity.storedAttributes.count
        if reference == nil, entity.toOneRelationships.indices.contains(position),
            case .integer(let key) = values[slot]
        {
            let name = entity.toOneRelationships[position].destinationEntityName
            reference = context.runtime(ofEntityNamed: name)?.object(forKey: key)
        }
        // A large value stored outside the row is deleted when a save replaces it.
        let value = runtime.hasExternalAttributes ? completeValueIfReadable(inSlot: slot) : values[slot]
        undoManager.record(.value(self, slot: slot, value ?? .null, reference: reference))
    }
}
