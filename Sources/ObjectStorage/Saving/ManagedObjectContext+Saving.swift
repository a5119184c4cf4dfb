import GRDB

extension ManagedObjectContext {
    /// Whether a save would write something, or throw because a relationship was set to an object of another
    /// context.
    ///
    /// - Complexity: O(*n*) in the number of objects changed since the last save.
    public var hasChanges: Bool {
        pending.contains(where: \.hasChanges) || refusedAssignments.contains { !$0.object.isDeleted }
    }

    /// The objects that were inserted and not yet saved, in the order of their insertion.
    public var insertedObjects: [ManagedObject] { pending.filter { $0.state == .inserted } }

    /// The saved objects with unsaved changes.
    public var updatedObjects: [ManagedObject] { pending.filter(\.isUpdated) }

    /// The objects that the next save deletes.
    public var deletedObjects: [ManagedObject] { pending.filter { $0.state == .deleted } }

    /// Writes all unsaved changes in one SQLite transaction.
    ///
    /// A child context saves to its parent instead, where the changes are unsaved changes.
    ///
    /// - Returns: The changes that were written, for other contexts to merge. Contexts that merge
    ///   automatically receive them without a call.
    /// - Throws: ``ObjectStorageError`` if an object's ``ManagedObject/validateForInsert()`` or a similar
    ///   method throws, a relationship was set to an object of another context, a value is missing or
    ///   invalid, a unique value is used twice, a delete rule denies a deletion, a row was changed elsewhere
    ///   since it was read and the ``mergePolicy`` does not resolve the conflict, or the store cannot be
    ///   written. Nothing is written then, and the context and its objects are unchanged.
    /// - Complexity: O(*n* log *m*) for *n* changed objects in tables of *m* rows.
    @discardableResult
    public func save() throws(ObjectStorageError) -> StoreChanges {
        // The save must read the newest state, because it writes to it.
        try movingGeneration(isPinned: false) { () throws(ObjectStorageError) in try saveChanges() }
    }

    private func saveChanges() throws(ObjectStorageError) -> StoreChanges {
        try announceSave()
        try checkRefusedAssignments()
        guard hasChanges else {
            undoManager?.closeGroup()
            for object in clearPending() where !object.isDeleted { showRow(of: object) }
            // If a new object was shown and then deleted, observers must be notified although nothing is
            // written.
            notifyProcessed()
            return StoreChanges()
        }
        if let parent {
            try closeChanges()
            let changes = PendingChanges(of: self)
            try validate(changes)
            try ObjectStorageError.throwAll(faultsOfReachedRows(by: changes))
            return try save(changes, to: parent)
        }
        let (changes, insertedKeys, outcome, tables) = try writeChanges()
        pinAgain()
        storeGeneration &+= 1
        var previousRows = previousRowsOfChanges {
            outcome.rows[$0] != nil || outcome.overruled.contains($0)
        }
        noteKeys(outcome.keys)
        for object in clearPending() {
            take(outcome, for: object)
            if object.runtime.hasExternalAttributes, let external = outcome.externalValues[object],
                !object.isFault
            {
                object.adopt(external)
            }
        }
        // Until this point, relationships that lead to these objects are resolved by their keys.
        for object in outcome.mergedInsertions.keys where object.state == .inserted {
            settle(object)
            object.state = .gone
        }
        forgetReferences(outcome, to: changes.deletedKeys, recordingIn: &previousRows)
        // Undoing the insertion would delete a row that existed before the save.
        if !outcome.mergedInsertions.isEmpty { undoManager?.forgetSteps(of: outcome.mergedInsertions) }
        if !children.isEmpty { replaceKeysInChildren(ReplacedKeys(zip(changes.inserted, insertedKeys))) }
        var committed = changes.committed(outcome, tables)
        readAgain(outcome.completedRows, unlessIn: outcome)
        committed.previousRows = previousRows
        noteStates(tables)
        var changedNames = changes.namesOfEntitiesChangedByTriggers(outcome, in: tables)
        changedNames.formUnion(container.namesOfDerivedEntities(in: tables))
        if outcome.hasSideEffects {
            changedNames.formUnion(container.namesOfEntitiesThatMayHaveChanged(in: tables))
        }
        var announced = committed
        if !changedNames.isEmpty {
            committed.changedEntityNames.formUnion(changedNames)
            announced.changedEntityNames.formUnion(changedNames)
            takeInAfterSave(StoreChanges(changedEntityNames: changedNames), &announced)
        }
        if !outcome.missing.isEmpty {
            takeInAfterSave(StoreChanges(deletedObjectIDs: outcome.missing), &announced)
        }
        container.mailboxes.deliver(committed, from: mailbox)
        notify(.saved(announced))
        changes.announceSaved()
        return committed
    }

    private typealias Written = (
        changes: PendingChanges, insertedKeys: [ObjectID.Key], outcome: PendingChanges.Outcome,
        tables: [TableTransition]
    )

    /// Carries out delete rules, validates all changes and writes them. If another program links further rows
    /// to deleted objects before the transaction begins, their rules are carried out again.
    private func writeChanges() throws(ObjectStorageError) -> Written {
        for _ in 0..<Self.mostAttempts {
            let states = try statesBeforeDeletions()
            try closeChanges()
            var changes = PendingChanges(of: self)
            try validate(changes)
            let insertedKeys = children.isEmpty ? [] : changes.inserted.map(\.identityKey)
            if let (outcome, tables) = try write(&changes, ifRulesReachNoMoreThanIn: states) {
                return (changes, insertedKeys, outcome, tables)
            }
            storeGeneration &+= 1
        }
        throw ObjectStorageError(
            .conflict,
            "Other programs keep adding rows that a delete rule deletes. Nothing was saved; save again.")
    }

    /// The maximum number of attempts. More than one is needed only if another program commits between the
    /// look-up of rows and the transaction; repeated failures mean that it writes without a pause.
    private static var mostAttempts: Int { 20 }

    /// Returns the version stamps of all tables before delete rules are carried out; nil if no rule depends
    /// on other rows.
    private func statesBeforeDeletions() throws(ObjectStorageError) -> [String: [UInt8]]? {
        guard pending.contains(where: { $0.state == .deleted }),
            container.model.entities.contains(where: { $0.relationships.contains(where: \.reachesOnDeletion) }
            )
        else { return nil }
        guard container.isTracked else { return [:] }
        return try ObjectStorageError.translating("Reading the state of the store") {
            try container.connections.read { try ChangeTracking.stampedStates(in: $0) }
        }
    }

    /// Writes changes. If that fails with a conflict, for instance because an object that a relationship
    /// leads to was deleted elsewhere, writes them again with a check of all these objects.
    ///
    /// - Parameter states: The version stamps of the tables when the delete rules were carried out.
    /// - Returns: Nil, with nothing written, if the rules now reach further rows.
    private func write(
        _ changes: inout PendingChanges, ifRulesReachNoMoreThanIn states: [String: [UInt8]]?
    ) throws(ObjectStorageError) -> (PendingChanges.Outcome, [TableTransition])? {
        // The text is composed only for an error.
        func operation() -> String { "Saving to \(container.nameInMessages)" }
        func commit(
            _ changes: PendingChanges
        ) throws(ObjectStorageError) -> (PendingChanges.Outcome?, [TableTransition]) {
            try container.commit(operation(), appliesTransactionRules: true) { database in
                if let states, changes.hasDeleteRules,
                    try states.isEmpty || states != ChangeTracking.stampedStates(in: database)
                {
                    switch try changes.lateRows(in: database) {
                    case .cascading: return nil
                    case .denying(let error): throw error
                    case nil: break
                    }
                }
                return try changes.write(to: database, for: .save)
            }
        }
        let written: (PendingChanges.Outcome?, [TableTransition])
        do throws(ObjectStorageError) {
            written = try commit(changes)
        } catch  where error.code == .conflict && !changes.looksForDestinations {
            changes.looksForDestinations = true
            written = try commit(changes)
        }
        return written.0.map { ($0, written.1) }
    }

    /// Makes an object read its row again on next access. An object with unsaved changes is not affected.
    ///
    /// - Parameter object: An object of this context.
    public func refresh(_ object: ManagedObject) {
        guard object.state == .clean, !object.objectID.isTemporary else { return }
        makeFault(object)
    }

    /// Makes all objects without unsaved changes read their rows again on next access. Use it when the store
    /// was changed elsewhere.
    ///
    /// - Complexity: O(*n*) in the number of objects of the context.
    public func refreshAllObjects() {
        for object in registeredObjects { refresh(object) }
    }

    /// Records the keys of new objects, so that temporary identities that are still in use lead to them.
    private func noteKeys(_ keys: NewObjectKeys) {
        guard !container.temporaryIdentities.isEmpty else { return }
        for (object, key) in keys {
            switch object.identityKey {
            case .temporary(let number): container.temporaryIdentities.note(key, of: number)
            case .permanent(let reserved):
                // If the object is merged with a row, its reserved key identifies no row.
                guard reserved != key, let number = object.numberBeforeReservation else { continue }
                container.temporaryIdentities.note(key, of: number)
            }
        }
    }

    /// Updates an object to match the row that the save wrote.
    private func take(_ outcome: PendingChanges.Outcome, for object: ManagedObject) {
        switch (object.state, outcome.rows[object]) {
        case (.updated, .values(let row)), (.deleted, .values(let row)):
            object.values = row
            object.readError = nil
            settle(object)
        case (.updated, .gone), (.deleted, _): remove(object)
        case (.inserted, let row):
            object.values = PendingChanges.resolvedValues(of: object, keys: outcome.keys)
            if case .values(let row)? = row { object.values = row }
            if let key = outcome.keys[object] {
                undoManager?.restoredOrder.noteSave(of: object, key: key)
                object.endReservation()
                if case .permanent(let reserved) = object.identityKey, reserved != key {
                    object.runtime.registry.forget(object, key: reserved)
                }
                object.identityKey = .permanent(key)
                if outcome.mergedInsertions[object] != nil, !becomesObject(ofRow: key, object) { return }
                // The row that had this key was deleted elsewhere, and the key was used again.
                if let previous = object.runtime.registry.object(forKey: key), previous.state == .clean {
                    remove(previous)
                }
                object.runtime.registry.register(object, key: key)
            }
            settle(object)
        case (.updated, nil):
            object.values = PendingChanges.resolvedValues(of: object, keys: outcome.keys)
            let isBehind = object.untakenRow != nil
            settle(object)
            // The row may have further changes that were made elsewhere.
            if isBehind { makeFault(object) }
        case (.clean, _), (.gone, _): break
        }
    }

    /// Turns a new object that was merged with a row into the object of that row.
    ///
    /// - Returns: Whether the context had no other object of the row. Any other object stays, and the new one
    ///   is deleted.
    private func becomesObject(ofRow key: Int64, _ object: ManagedObject) -> Bool {
        object.noteMerge()
        guard let present = object.runtime.registry.object(forKey: key), present !== object,
            present.state != .gone
        else { return true }
        if present.state == .clean, !present.isFault { present.adopt(object.values) }
        return false
    }

    /// Merges further changes that a save detected: rows that triggers of other programs or foreign keys of
    /// external tables may have changed, and objects that were deleted elsewhere.
    ///
    /// - Parameter saved: The changes that observers will receive. Observers of the merge receive the
    ///   relinked objects among them, so those are removed from this value.
    private func takeInAfterSave(_ changes: StoreChanges, _ saved: inout StoreChanges) {
        do throws(ObjectStorageError) {
            _ = try merge(changes, keepsConflicts: true, afterSaveOf: saved.relinkedObjectIDs)
            saved.relinkedObjectIDs = []
        } catch {
            // The save is committed, so this error does not make it fail; the next merge tries again.
            makeMailbox().post(changes)
        }
    }

    /// Clears relationships of objects that the save cleared in the store: of objects that were read after
    /// the object that they lead to was marked for deletion, and of objects whose partner was linked to
    /// another object.
    private func forgetReferences(
        _ outcome: PendingChanges.Outcome, to deletedKeys: [String: Set<Int64>],
        recordingIn previousRows: inout PreviousRows
    ) {
        for objectID in outcome.nullified {
            guard let object = liveObject(with: objectID), object.state == .clean, !object.isFault else {
                continue
            }
            let first = object.entity.storedAttributes.count
            for (position, relationship) in object.entity.toOneRelationships.enumerated() {
                guard case .integer(let key) = object.value(inSlot: first + position),
                    let destination = container.model.entity(named: relationship.destinationEntityName),
                    deletedKeys[destination.tableName]?.contains(key) == true
                else { continue }
                let before = object.values
                object.values[first + position] = .null
                previousRows.append(before, of: object)
            }
        }
        for (objectID, name) in outcome.lostPartners {
            guard let object = liveObject(with: objectID), object.state == .clean, !object.isFault,
                let slot = object.runtime.slot(ofToOneNamed: name)
            else { continue }
            let before = object.values
            object.values[slot] = .null
            previousRows.append(before, of: object)
        }
    }

    /// Turns clean objects into faults if the store's transaction rules changed their rows during the save.
    private func readAgain(_ objectIDs: Set<ObjectID>, unlessIn outcome: PendingChanges.Outcome) {
        for objectID in objectIDs {
            guard let object = liveObject(with: objectID), outcome.rows[object] == nil,
                object.state == .clean, !object.isFault
            else { continue }
            makeFault(object)
        }
    }

    /// Turns an object without unsaved changes into a fault.
    func makeFault(_ object: ManagedObject) {
        storeGeneration &+= 1
        object.values = []
        object.externalValues = []
        object.isFault = true
        object.readError = nil
    }

    /// Marks an object as having no unsaved changes.
    func settle(_ object: ManagedObject) {
        object.state = .clean
        object.committedValues = nil
        object.untakenRow = nil
        object.assignedReferences = [:]
    }

    /// Marks an object as deleted, and removes it from its registry.
    func remove(_ object: ManagedObject) {
        if let key = object.rowKey { object.runtime.registry.forget(object, key: key) }
        settle(object)
        object.state = .gone
    }
}
