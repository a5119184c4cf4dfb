import GRDB

extension ManagedObjectContext {
    /// Whether a save would write something.
    ///
    /// - Complexity: O(*n*) in the number of objects that were changed since the last save.
    public var hasChanges: Bool { pending.contains(where: \.hasChanges) }

    /// The objects that were inserted and not yet saved, in the order of their insertion.
    public var insertedObjects: [ManagedObject] { pending.filter { $0.state == .inserted } }

    /// The saved objects with unsaved changes.
    public var updatedObjects: [ManagedObject] { pending.filter(\.isUpdated) }

    /// The objects that the next save deletes.
    public var deletedObjects: [ManagedObject] { pending.filter { $0.state == .deleted } }

    /// Writes all unsaved changes in one SQLite transaction.
    ///
    /// A child context hands its changes to its parent instead, as unsaved changes of that.
    ///
    /// - Returns: What was written, for other contexts to merge. Those that merge automatically get it by
    ///   themselves.
    /// - Throws: ``ObjectStorageError``: what an object's ``ManagedObject/validateForInsert()`` and the like
    ///   throw, a missing or unfit value, a unique value used twice, a forbidden deletion, a row that changed
    ///   elsewhere since it was read and that the ``mergePolicy`` does not settle, or a store that cannot be
    ///   written. Then nothing was written, and the context and its objects are as they were.
    /// - Complexity: O(*n* log *m*) for *n* changed objects in tables of *m* rows.
    @discardableResult
    public func save() throws(ObjectStorageError) -> StoreChanges {
        // What the save looks up must be as new as the rows that it writes.
        try movingGeneration(isPinned: false) { () throws(ObjectStorageError) in try saveChanges() }
    }

    private func saveChanges() throws(ObjectStorageError) -> StoreChanges {
        try announceSave()
        guard hasChanges else {
            undoManager?.closeGroup()
            for object in clearPending() where !object.isDeleted { showRow(of: object) }
            // A new object that was shown and deleted is gone without anything to write.
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
        noteKeys(outcome.keys)
        for object in clearPending() {
            take(outcome, for: object)
            if object.runtime.hasExternalAttributes, let external = outcome.externalValues[object],
                !object.isFault
            {
                object.adopt(external)
            }
        }
        forgetReferences(outcome, to: changes.deletedKeys)
        tellChildren(zip(insertedKeys, changes.inserted.map(\.identityKey)))
        var committed = changes.committed(outcome, tables)
        noteStates(tables)
        var changedNames = changes.namesOfEntitiesChangedByTriggers(outcome, in: tables)
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

    /// Carries out delete rules, checks all changes and writes them. If another program makes further rows
    /// lead to deleted objects before the transaction begins, their rules are carried out again.
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
            "Other programs go on adding rows that a delete rule deletes. Nothing was saved; save again.")
    }

    /// More than one save of another program falls between the look for rows and the transaction only if it
    /// writes without a pause.
    private static var mostAttempts: Int { 20 }

    /// The states of all tables before delete rules are carried out; nil if none depends on other rows.
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

    /// Writes changes, and if somebody else deleted what they lead to, or changed what they change, once more
    /// with a look at all of that.
    ///
    /// - Parameter states: The states of the tables in which the delete rules were carried out.
    /// - Returns: Nil if the rules reach further rows by now; then nothing was written.
    private func write(
        _ changes: inout PendingChanges, ifRulesReachNoMoreThanIn states: [String: [UInt8]]?
    ) throws(ObjectStorageError) -> (PendingChanges.Outcome, [TableTransition])? {
        // Only an error says where it happened.
        func place() -> String { "Saving to \(container.nameInMessages)" }
        func commit(
            _ changes: PendingChanges
        ) throws(ObjectStorageError) -> (PendingChanges.Outcome?, [TableTransition]) {
            try container.commit(place()) { database in
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

    /// Lets an object read its row again when it is next looked at. Unsaved changes of the object are kept.
    public func refresh(_ object: ManagedObject) {
        guard object.state == .clean, !object.objectID.isTemporary else { return }
        makeFault(object)
    }

    /// Lets all objects without unsaved changes read their rows again: for when the store was changed
    /// elsewhere.
    public func refreshAllObjects() {
        for object in registeredObjects { refresh(object) }
    }

    /// Tells whoever holds temporary identities of new objects which keys they have now.
    private func noteKeys(_ keys: NewObjectKeys) {
        guard !container.temporaryIdentities.isEmpty else { return }
        for (object, key) in keys {
            if case .temporary(let number) = object.identityKey {
                container.temporaryIdentities.note(key, of: number)
            }
        }
    }

    /// Makes an object what the save made of its row.
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
                object.identityKey = .permanent(key)
                // Somebody deleted the row that had this key, and SQLite gave it again.
                if let former = object.runtime.registry.object(forKey: key), former.state == .clean {
                    remove(former)
                }
                object.runtime.registry.register(object, key: key)
            }
            settle(object)
        case (.updated, nil):
            object.values = PendingChanges.resolvedValues(of: object, keys: outcome.keys)
            let isBehind = object.untakenRow != nil
            settle(object)
            // What was written was not all that changed elsewhere.
            if isBehind { makeFault(object) }
        case (.clean, _), (.gone, _): break
        }
    }

    /// Takes in what a save found besides: what triggers of other programs and foreign keys of somebody
    /// else's tables may have changed, and what was deleted elsewhere.
    ///
    /// - Parameter saved: The changes that observers are to receive. Observers of the merge receive the links
    ///   among them, so those of the save do not.
    private func takeInAfterSave(_ changes: StoreChanges, _ saved: inout StoreChanges) {
        do throws(ObjectStorageError) {
            _ = try merge(changes, keepsConflicts: true, afterSaveOf: saved.relinkedObjectIDs)
            saved.relinkedObjectIDs = []
        } catch {
            // What was saved is committed, so this is no failure of it: the next merge tries again.
            makeMailbox().post(changes)
        }
    }

    /// Has objects lead nowhere that a save made lead nowhere in the store: those that the context met when
    /// what they led to was marked for deletion already, and those whose partner got another.
    private func forgetReferences(_ outcome: PendingChanges.Outcome, to deletedKeys: [String: Set<Int64>]) {
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
                object.values[first + position] = .null
            }
        }
        for (objectID, name) in outcome.lostPartners {
            guard let object = liveObject(with: objectID), object.state == .clean, !object.isFault,
                let slot = object.runtime.slot(ofToOneNamed: name)
            else { continue }
            object.values[slot] = .null
        }
    }

    /// Makes an object without unsaved changes one whose row is yet to be read.
    func makeFault(_ object: ManagedObject) {
        storeGeneration &+= 1
        object.values = []
        object.externalValues = []
        object.isFault = true
        object.readError = nil
    }

    /// Makes an object one without unsaved changes.
    func settle(_ object: ManagedObject) {
        object.state = .clean
        object.committedValues = nil
        object.untakenRow = nil
        object.assignedReferences = [:]
    }

    /// Makes an object one whose row is gone.
    func remove(_ object: ManagedObject) {
        if let key = object.rowKey { object.runtime.registry.forget(object, key: key) }
        settle(object)
        object.state = .gone
    }
}
