import GRDB

extension ManagedObjectContext {
    /// Merges changes that were committed elsewhere into this context.
    ///
    /// Objects without unsaved changes take the values of the store, and objects whose rows no longer exist
    /// are deleted. Objects with unsaved changes keep these and take all other values; their next save
    /// detects conflicts relative to the merged values, so a merge resolves a conflict in favour of the
    /// context. An object that was changed here and deleted elsewhere is not changed, and its save applies
    /// the ``mergePolicy``. A relationship that was set to an object which was deleted elsewhere becomes nil.
    ///
    /// - Parameter changes: The result of a save, a batch operation or another merge. Rows of objects that
    ///   this context does not have are not read.
    /// - Returns: The changes, with the differences that were found in the objects of this context.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read; nothing is merged then.
    /// - Complexity: O(*c* log *m*) for *c* changed objects that the context has, in tables of *m* rows.
    @discardableResult
    public func mergeChanges(from changes: StoreChanges) throws(ObjectStorageError) -> StoreChanges {
        try merge(changes, keepsConflicts: false)
    }

    /// Merges the changes that were delivered to this context: those that other contexts of the container,
    /// and batch operations, committed since the last merge. ``mergeOthersChanges()`` merges those of other
    /// programs in any case.
    ///
    /// The first call uses ``mergeChangesFromStore()``; after it the container delivers changes to the
    /// context. Commits of other programs are included while the store is monitored: while
    /// ``remoteChangeNotifications`` is awaited, or changes are merged automatically or continuously.
    ///
    /// - Returns: As ``mergeChanges(from:)``; empty if no changes were committed.
    /// - Throws: As ``mergeChanges(from:)``; also, once, ``ObjectStorageError/Code/storeReplaced`` if the
    ///   store is monitored and its file is no longer the open one, or
    ///   ``ObjectStorageError/Code/storeUnwatched`` if no thread could be started to monitor it.
    /// - Complexity: O(1) if nothing was committed, otherwise as ``mergeChanges(from:)``.
    @discardableResult
    public func mergePendingChanges() throws(ObjectStorageError) -> StoreChanges {
        guard let mailbox else {
            _ = makeMailbox()
            return try mergeChangesFromStore()
        }
        return try mergeWaiting(in: mailbox, keepsConflicts: false)
    }

    /// Merges all changes in the store, including those of other processes and of programs without this
    /// library.
    ///
    /// Tables whose version stamps are unchanged since the last merge are skipped; for other tables, every
    /// object that the context has is read again. In a store without change tracking, every object is read
    /// again in each call. ``mergeOthersChanges()`` has the same effect, and does nothing if there are no new
    /// commits.
    ///
    /// - Returns: The differences found, with ``StoreChanges/changedEntityNames``, because rows that the
    ///   context does not have are not read.
    /// - Throws: As ``mergeChanges(from:)``.
    /// - Complexity: O(*o* log *n*) for *o* objects of the context whose tables, of *n* rows, changed.
    @discardableResult
    public func mergeChangesFromStore() throws(ObjectStorageError) -> StoreChanges {
        let waiting = mailbox?.takeChanges() ?? StoreChanges()
        do throws(ObjectStorageError) {
            return try mergeFromStore(waiting)
        } catch {
            // The next merge retries them.
            if !waiting.isEmpty { mailbox?.putBack(waiting) }
            throw error
        }
    }

    /// Merges all changes in the store, and moves the pin of a pinned context.
    ///
    /// - Parameter waiting: Changes by other contexts, which must not count as external ones.
    private func mergeFromStore(_ waiting: StoreChanges) throws(ObjectStorageError) -> StoreChanges {
        try movingGeneration(isPinned: true) { () throws(ObjectStorageError) in
            try mergeDifferences(and: waiting)
        }
    }

    private func mergeDifferences(and waiting: StoreChanges) throws(ObjectStorageError) -> StoreChanges {
        let names = container.model.tableNames + container.model.linkTables.map(\.name)
        let states = try ObjectStorageError.translating("Reading the state of the store") {
            () -> [(tableName: String, state: [UInt8]?)] in
            // An untracked table has no version stamp.
            guard container.isTracked else { return names.map { ($0, nil) } }
            return try readSaved { database in
                try names.map { name -> (tableName: String, state: [UInt8]?) in
                    // The table is dirty or its triggers are missing, so it may have changed.
                    guard case .stamped(let state) = try StoreState.read([name], in: database) else {
                        return (name, nil)
                    }
                    return (name, state.tables.first?.state)
                }
            }
        }
        noteStates(waiting.tables)
        var changes = waiting
        for (name, state) in states {
            let known = mergedStates?.first { $0.tableName == name }?.state
            if state == nil || state != known {
                changes.changedEntityNames.formUnion(container.model.namesOfEntities(readingTableNamed: name))
            }
        }
        let found = changes.isEmpty ? changes : try mergeHere(changes, keepsConflicts: false)
        mergedStates = states
        return found
    }

    /// Merges the changes in the mailbox. If that fails, the changes remain in it.
    ///
    /// - Throws: As ``mergeChanges(from:)``; also, once, the error that ended the delivery of changes.
    func mergeWaiting(
        in mailbox: ContextMailbox, keepsConflicts: Bool
    ) throws(ObjectStorageError) -> StoreChanges {
        if let failure = mailbox.takeFailure() { throw failure }
        guard let changes = mailbox.takeChanges() else { return StoreChanges() }
        do throws(ObjectStorageError) {
            return try merge(changes, keepsConflicts: keepsConflicts)
        } catch {
            mailbox.putBack(changes)
            throw error
        }
    }

    /// Updates the recorded version stamps of tables after changes that the context knows of.
    func noteStates(_ tables: [TableTransition]) {
        guard let known = mergedStates else { return }
        mergedStates = known.map { name, state in
            guard let table = tables.first(where: { $0.tableName == name }), state != nil,
                table.before == state
            else { return (name, state) }
            return (name, table.after)
        }
    }

    /// Returns the mailbox to which the container delivers changes, created at the first call.
    func makeMailbox() -> ContextMailbox {
        if let mailbox { return mailbox }
        let mailbox = ContextMailbox()
        mailbox.isObserved = !observers.isEmpty
        container.mailboxes.add(mailbox)
        self.mailbox = mailbox
        return mailbox
    }
}

extension ManagedObjectContext {
    /// Merges changes, and moves the pin of a pinned context to the state that the merge reads.
    ///
    /// - Parameters:
    ///   - keepsConflicts: Whether the next save decides about a property that was changed on both sides.
    ///   - touched: The objects whose rows may have changed, if that is known more exactly than by `changes`.
    ///   - relinked: The objects whose links the context has just saved.
    func merge(
        _ changes: StoreChanges, keepsConflicts: Bool, rereading touched: [ManagedObject]? = nil,
        afterSaveOf relinked: Set<ObjectID> = []
    ) throws(ObjectStorageError) -> StoreChanges {
        try movingGeneration(isPinned: true) { () throws(ObjectStorageError) in
            try mergeHere(
                changes, keepsConflicts: keepsConflicts, rereading: touched, afterSaveOf: relinked)
        }
    }

    /// Merges changes in the state to which the context is pinned.
    private func mergeHere(
        _ changes: StoreChanges, keepsConflicts: Bool, rereading touched: [ManagedObject]? = nil,
        afterSaveOf relinked: Set<ObjectID> = []
    ) throws(ObjectStorageError) -> StoreChanges {
        let objects = touched ?? objects(touchedBy: changes)
        let rows = try rows(of: objects)
        let orphans = zip(objects, rows).filter { $1 == nil && $0.state == .updated && $0.hasChangedValues }
        let deletedDestinations = try destinationsDeleted(by: changes, orphans: Set(orphans.map(\.0)))
        storeGeneration &+= 1
        var found = changes
        found.refreshedObjectIDs = relinked
        var previous = PreviousRows()
        let recordsRows = !observers.isEmpty
        for (object, row) in zip(objects, rows) {
            let wasFault = object.isFault
            let before = recordsRows && !wasFault ? object.committedValues ?? object.values : nil
            switch take(row, for: object, keepsConflicts: keepsConflicts) {
            case .none: break
            case .updated:
                found.updatedObjectIDs.insert(object.objectID)
                // A fault showed no values that could have changed.
                if !wasFault { found.refreshedObjectIDs.insert(object.objectID) }
                if let before { previous.append(before, of: object) }
            case .deleted:
                found.deletedObjectIDs.insert(object.objectID)
                if let before { previous.append(before, of: object) }
            }
        }
        for objectID in changes.relinkedObjectIDs {
            guard let object = liveObject(with: objectID), !object.isFault else { continue }
            if object.linkChangeCount > 0 { object.countLinkChange() }
            found.refreshedObjectIDs.insert(objectID)
        }
        found.relinkedObjectIDs = []
        for (objectID, before) in valuesReadAgain.values {
            guard let object = liveObject(with: objectID), !object.isDeleted else { continue }
            found.updatedObjectIDs.insert(objectID)
            found.refreshedObjectIDs.insert(objectID)
            if !object.isFault { previous.append(before, of: object) }
        }
        for objectID in valuesReadAgain.objectsWithoutValues {
            guard let object = liveObject(with: objectID), !object.isDeleted else { continue }
            found.updatedObjectIDs.insert(objectID)
            found.refreshedObjectIDs.insert(objectID)
            previous.forgetValues(of: objectID)
        }
        valuesReadAgain = ValuesReadAgain()
        for object in clear(deletedDestinations) {
            guard !object.objectID.isTemporary, object.state != .inserted else { continue }
            found.updatedObjectIDs.insert(object.objectID)
            found.refreshedObjectIDs.insert(object.objectID)
        }
        if recordsRows { found.previousRows = previous.joined(with: changes) }
        found.updatedObjectIDs.subtract(found.insertedObjectIDs)
        found.updatedObjectIDs.subtract(found.deletedObjectIDs)
        noteStates(changes.tables)
        notify(.merged(found))
        return found
    }

    /// Returns the objects in memory that the changes concern.
    private func objects(touchedBy changes: StoreChanges) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        let names = container.model.namesOfFamilies(changes.changedEntityNames)
        for runtime in runtimes where names.contains(runtime.description.name) {
            objects += runtime.registry.allObjects.filter { $0.runtime === runtime }
        }
        for objectIDs in [changes.insertedObjectIDs, changes.updatedObjectIDs, changes.deletedObjectIDs] {
            for objectID in objectIDs {
                guard let object = liveObject(with: objectID), !names.contains(object.entity.name) else {
                    continue
                }
                objects.append(object)
            }
        }
        return objects
    }

    /// Returns the rows of objects as they are in the store; nil for a row that does not exist.
    private func rows(of objects: [ManagedObject]) throws(ObjectStorageError) -> [[StoredValue]?] {
        guard !objects.isEmpty else { return [] }
        return try read("Merging changes") { database in
            try objects.map { object in
                let statement = try SQLiteStatement(object.runtime.statements.selection, in: database)
                try statement.bind(object.rowKey.map(StoredValue.integer) ?? .null, at: 1)
                return try statement.use { try $0.step() ? Self.row(of: $0, object.runtime) : nil }
            }
        }
    }

    private enum Merged { case none, updated, deleted }

    private func take(
        _ row: [StoredValue]?, for object: ManagedObject, keepsConflicts: Bool
    ) -> Merged {
        guard let row else {
            switch object.state {
            case .inserted, .gone: return .none
            // The save decides whether the row is inserted again. If all changes were reverted, nothing is
            // left to save.
            case .updated where object.hasChangedValues:
                object.untakenRow = .gone
                return .none
            case .clean, .updated, .deleted:
                forgetPending(object)
                remove(object)
                return .deleted
            }
        }
        switch object.state {
        case .clean:
            let isSame = !object.isFault && object.values == row
            object.adopt(row)
            return isSame ? .none : .updated
        case .updated:
            let committed = object.committedValues
            object.merge(row, keepsConflicts: keepsConflicts)
            object.untakenRow = object.committedValues == row ? nil : .changed
            return committed == row ? .none : .updated
        case .deleted where object.isFault: return .none
        case .deleted:
            if !keepsConflicts {
                // An undo of the deletion must restore the row as it is now.
                if object.committedValues == nil { object.values = row }
                object.merge(row, keepsConflicts: false)
            }
            object.untakenRow = (object.committedValues ?? object.values) == row ? nil : .changed
            return .none
        case .inserted, .gone: return .none
        }
    }
}

extension ManagedObject {
    /// Takes the values of a row that were not changed in the context.
    fileprivate final func merge(_ row: [StoredValue], keepsConflicts: Bool) {
        guard var committed = committedValues else { return }
        for slot in row.indices where row[slot] != committed[slot] {
            if values[slot] == committed[slot], assignedReferences[slot] == nil {
                values[slot] = row[slot]
            } else if keepsConflicts {
                continue
            }
            committed[slot] = row[slot]
            // The read error belonged to the previous row.
            readError = nil
        }
        committedValues = committed
    }
}
