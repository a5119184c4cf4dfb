import GRDB

extension ManagedObjectContext {
    /// Brings changes that were committed elsewhere to this context.
    ///
    /// Objects without unsaved changes take over the values of the store, and those whose rows are gone are
    /// deleted. Objects with unsaved changes keep those and take over everything else; the next save of them
    /// is judged against what was merged now, so merging settles a conflict in favour of the context. An
    /// object that was changed here and deleted elsewhere stays as it is, and its save is judged by the
    /// ``mergePolicy``. A relationship that was made to lead to an object which was deleted elsewhere leads
    /// nowhere.
    ///
    /// - Parameter changes: What a save, a batch operation or another merge returned. Of objects that this
    ///   context does not have, nothing is read.
    /// - Returns: The changes, with what was found out about the objects of this context.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read. Then nothing was merged.
    /// - Complexity: O(*c* log *m*) for *c* changed objects that the context has, in tables of *m* rows.
    @discardableResult
    public func mergeChanges(from changes: StoreChanges) throws(ObjectStorageError) -> StoreChanges {
        try merge(changes, keepsConflicts: false)
    }

    /// Merges what other contexts of the container, and batch operations, committed since the last time.
    ///
    /// The first call finds out by ``mergeChangesFromStore()``; from then on the container tells the context
    /// what changes. What other programs committed is among it while the store is watched: while somebody
    /// awaits ``remoteChangeNotifications``, or changes are merged automatically or continuously.
    ///
    /// - Returns: As ``mergeChanges(from:)``; empty if nothing was committed.
    /// - Throws: As ``mergeChanges(from:)``; and ``ObjectStorageError/Code/storeReplaced``, once, if the
    ///   store is watched and its file is no longer the one that is open, or
    ///   ``ObjectStorageError/Code/storeUnwatched`` if there is no thread to monitor it.
    @discardableResult
    public func mergePendingChanges() throws(ObjectStorageError) -> StoreChanges {
        guard let mailbox else {
            _ = makeMailbox()
            return try mergeChangesFromStore()
        }
        return try mergeWaiting(in: mailbox, keepsConflicts: false)
    }

    /// Merges whatever changed in the store, by anybody: also by other processes and by programs without this
    /// library.
    ///
    /// Tables that have the state they had at the last merge are skipped; of the others every object that the
    /// context has is read again. In a store that is not tracked that is every object, each time. Call it
    /// when there is reason to think that another process wrote.
    ///
    /// - Returns: What was found, with ``StoreChanges/changedEntityNames``, because rows that the context
    ///   does not have are not looked at.
    /// - Throws: As ``mergeChanges(from:)``.
    @discardableResult
    public func mergeChangesFromStore() throws(ObjectStorageError) -> StoreChanges {
        let waiting = mailbox?.takeChanges() ?? StoreChanges()
        do throws(ObjectStorageError) {
            return try mergeFromStore(waiting)
        } catch {
            // To be tried again.
            if !waiting.isEmpty { mailbox?.putBack(waiting) }
            throw error
        }
    }

    /// - Parameter waiting: Changes by other contexts, which are not to count as foreign ones.
    private func mergeFromStore(_ waiting: StoreChanges) throws(ObjectStorageError) -> StoreChanges {
        try movingGeneration(isPinned: true) { () throws(ObjectStorageError) in
            try mergeDifferences(and: waiting)
        }
    }

    private func mergeDifferences(and waiting: StoreChanges) throws(ObjectStorageError) -> StoreChanges {
        let names = container.model.tableNames + container.model.linkTables.map(\.name)
        let states = try ObjectStorageError.translating("Reading the state of the store") {
            () -> [(tableName: String, state: [UInt8]?)] in
            // Nothing tells whether an untracked table changed.
            guard container.isTracked else { return names.map { ($0, nil) } }
            return try readSaved { database in
                try names.map { name -> (tableName: String, state: [UInt8]?) in
                    // Dirty, or without its triggers: whatever the nonce says, the table may have changed.
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

    /// Merges what is waiting, and leaves conflicts to the save.
    package func mergeAutomatically() throws(ObjectStorageError) {
        guard automaticallyMergesChanges, let mailbox else { return }
        _ = try mergeWaiting(in: mailbox, keepsConflicts: true)
    }

    /// Merges what is waiting in the mailbox. If that fails it goes on waiting.
    ///
    /// - Throws: As ``mergeChanges(from:)``, and once why changes can come no more.
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

    /// Notes the states that tables have after changes that the context knows of.
    func noteStates(_ tables: [TableTransition]) {
        guard let known = mergedStates else { return }
        mergedStates = known.map { name, state in
            guard let table = tables.first(where: { $0.tableName == name }), state != nil,
                table.before == state
            else { return (name, state) }
            return (name, table.after)
        }
    }

    /// Makes the mailbox that the container delivers to.
    func makeMailbox() -> ContextMailbox {
        if let mailbox { return mailbox }
        let mailbox = ContextMailbox()
        container.mailboxes.add(mailbox)
        self.mailbox = mailbox
        return mailbox
    }
}

extension ManagedObjectContext {
    /// - Parameters:
    ///   - keepsConflicts: Whether a property that was changed on both sides is to be judged by the next
    ///     save.
    ///   - touched: The objects whose rows may be others now, if that is better known than by the changes.
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

    /// Merges in the state that the context is pinned to now.
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
        for (object, row) in zip(objects, rows) {
            let wasFault = object.isFault
            switch take(row, for: object, keepsConflicts: keepsConflicts) {
            case .none: break
            case .updated:
                found.updatedObjectIDs.insert(object.objectID)
                // One whose row was not read yet showed nothing that could be another now.
                if !wasFault { found.refreshedObjectIDs.insert(object.objectID) }
            case .deleted: found.deletedObjectIDs.insert(object.objectID)
            }
        }
        for objectID in changes.relinkedObjectIDs {
            guard let object = liveObject(with: objectID), !object.isFault else { continue }
            if object.linkChangeCount > 0 { object.countLinkChange() }
            found.refreshedObjectIDs.insert(objectID)
        }
        found.relinkedObjectIDs = []
        for objectID in objectIDsReadAgain where liveObject(with: objectID)?.isDeleted == false {
            found.updatedObjectIDs.insert(objectID)
            found.refreshedObjectIDs.insert(objectID)
        }
        objectIDsReadAgain = []
        for object in clear(deletedDestinations) {
            guard !object.objectID.isTemporary else { continue }
            found.updatedObjectIDs.insert(object.objectID)
            found.refreshedObjectIDs.insert(object.objectID)
        }
        found.updatedObjectIDs.subtract(found.insertedObjectIDs)
        found.updatedObjectIDs.subtract(found.deletedObjectIDs)
        noteStates(changes.tables)
        notify(.merged(found))
        return found
    }

    /// The objects that are alive of which the changes tell.
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

    /// The rows of objects as they are in the store, nil where there is none.
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
            // Whether it is to be a row again is for the save to decide. One that was changed back has
            // nothing to save.
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
                // An undo of the deletion is to bring back the row as it is.
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
    /// Takes over from a row what was not changed here.
    fileprivate final func merge(_ row: [StoredValue], keepsConflicts: Bool) {
        guard var committed = committedValues else { return }
        for slot in row.indices where row[slot] != committed[slot] {
            if values[slot] == committed[slot], assignedReferences[slot] == nil {
                values[slot] = row[slot]
            } else if keepsConflicts {
                continue
            }
            committed[slot] = row[slot]
            // What could not be read was read of the former row.
            readError = nil
        }
        committedValues = committed
    }
}
