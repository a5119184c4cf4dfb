extension ManagedObjectContext {
    /// Closes the group of changes that one undo undoes, after carrying out delete rules.
    ///
    /// Call it when an action of the user is over: observers, and with them results controllers, hear of
    /// unsaved changes here.
    ///
    /// - Throws: ``ObjectStorageError``: a forbidden deletion, or a store that cannot be read.
    public func processPendingChanges() throws(ObjectStorageError) {
        try closeChanges()
        notifyProcessed()
    }

    /// Carries out delete rules, gives newMembers to ordered lists their places, shows rows of which nothing
    /// is left to save, and closes the group of changes, without a word to observers.
    func closeChanges() throws(ObjectStorageError) {
        try propagateDeletions()
        try positionNewMembers()
        showRowsOfUnchangedObjects()
        undoManager?.closeGroup()
    }

    /// Tells observers that there are unsaved changes, or that there are none any more.
    func notifyProcessed() {
        guard !observers.isEmpty else { return }
        // What was shown may be gone without a trace: a new object that was deleted, a deletion that was
        // undone.
        let hadChanges = hasShownChanges
        hasShownChanges = !pending.isEmpty || !links.isEmpty
        if hadChanges || hasShownChanges { notify(.processed) }
    }

    /// Undoes the last group of changes: new objects are deleted, values are as before, deleted objects are
    /// back.
    ///
    /// What was saved in between is changed back by unsaved changes, for the next save to write. A deleted
    /// object whose deletion was saved comes back with a new identity. Without an ``undoManager`` nothing
    /// happens.
    ///
    /// - Throws: As ``processPendingChanges()``.
    public func undo() throws(ObjectStorageError) {
        try closeChanges()
        undoManager?.undo(revert)
        try endReplay()
    }

    /// Does again what was undone last. Nothing can be redone after another change.
    ///
    /// - Throws: As ``processPendingChanges()``.
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
        // It changes no order, so there is nothing to be undone again.
        undoManager.disableUndoRegistration()
        defer { undoManager.enableUndoRegistration() }
        try place(replayed: replayed, undoManager)
    }

    /// Reads what undoing a deletion needs: the object, and those that are about to forget it. Its links are
    /// kept, because their rows go with its own, and the unsaved objects that it leads to, of which its row
    /// has no key.
    ///
    /// - Returns: The objects, to be kept until the deletion is done.
    func loadForUndo(ofDeleting object: ManagedObject) -> [ManagedObject] {
        guard undoManager?.isUndoRegistrationEnabled == true, object.loadIfNeeded() else { return [] }
        for slot in object.runtime.externalSlots { _ = object.completeValueIfReadable(inSlot: slot) }
        if let undoManager {
            for slot in object.assignedReferences.keys {
                object.recordForUndo(slot: slot, by: undoManager, self)
            }
        }
        var loaded: [ManagedObject] = []
        // Those at the other ends of links are kept with the links.
        for relationship in object.entity.relationships
        where relationship.isToMany && container.model.linkEnd(of: relationship, in: object.entity) == nil {
            do throws(ObjectStorageError) {
                loaded += try objects(relatedTo: object, through: relationship).filter { $0.loadIfNeeded() }
            } catch {
                // The deletion does not depend on it: what cannot be read now will not be led back by an
                // undo.
                object.readError = error
            }
        }
        // What leads to it from one to one has it in its row.
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
                object.forgetPlaceGiven(slot: slot)
            }
            if let reference, reference.state == .gone {
                // It may come back yet, later in the same undo. If it was deleted elsewhere, it leads nowhere.
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

    /// Takes a deletion back.
    private func restore(_ object: ManagedObject) {
        switch object.state {
        case .deleted where object.committedValues == nil:
            object.state = .clean
            // What a merge found shows when all is undone.
            if object.untakenRow == nil { forgetPending(object) }
        case .deleted: object.state = .updated
        case .gone where !object.isFault:
            // A new object has values of its own, not those of a row.
            object.makeValues()
            let previousID = object.objectID
            undoManager?.restoredOrder.noteReturn(of: object)
            if !previousID.isTemporary {
                giveTemporaryKey(to: object)
                undoManager?.restoredObjects[rootID(previousID)] = object
            }
            // What was kept out of the row went with it.
            for slot in object.runtime.externalSlots { object.values[slot] = object.knownValue(inSlot: slot) }
            object.externalValues = []
            object.state = .inserted
            notePending(object)
            object.noteReferences()
            relink(object, formerly: previousID)
        case .gone, .clean, .inserted, .updated: return
        }
        // Others of its lists may have been given other places meanwhile.
        if !object.entity.orderedToOneNames.isEmpty { undoManager?.replayed.insert(object) }
        undoManager?.record(.insertion(object))
    }

    /// Replaces keys of objects that came back with new identities: those that a restored object leads to,
    /// and those of it in objects restored before.
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

    /// The identity by which a row is known whatever entity it is asked for by.
    private func rootID(_ objectID: ObjectID) -> ObjectID {
        let root = container.model.entity(named: objectID.entityName)?.hierarchy?.rootName
        return root.map { ObjectID(objectID, ofEntityNamed: $0) } ?? objectID
    }
}

extension ManagedObject {
    /// Keeps the value of a slot for an undo, before it is set to another.
    final func recordForUndo(
        slot: Int, by undoManager: ManagedObjectContext.UndoManager, _ context: ManagedObjectContext
    ) {
        if forgetPlaceGiven(slot: slot) { return }
        var reference = assignedReferences[slot]
        let position = slot - entity.storedAttributes.count
        if reference == nil, entity.toOneRelationships.indices.contains(position),
            case .integer(let key) = values[slot]
        {
            let name = entity.toOneRelationships[position].destinationEntityName
            reference = context.runtime(ofEntityNamed: name)?.object(forKey: key)
        }
        // What is kept out of the row goes when a save replaces it.
        let value = runtime.hasExternalAttributes ? completeValueIfReadable(inSlot: slot) : values[slot]
        undoManager.record(.value(self, slot: slot, value ?? .null, reference: reference))
    }
}
