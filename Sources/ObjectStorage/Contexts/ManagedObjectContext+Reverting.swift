extension ManagedObjectContext {
    /// Discards all unsaved changes: new objects are removed, changed objects get the values that were read,
    /// and deleted objects are restored. Nothing can be undone afterwards.
    ///
    /// Changes in the store that a merge found and left to the save become visible: the object reads its row
    /// again, or is deleted if the row no longer exists. The same applies to an object that has nothing left
    /// to save after an undo, or after its values were set back.
    ///
    /// - Complexity: O(*n*) in the number of changed objects.
    public func rollback() {
        for object in pending where object.hasChangedLinks { object.countLinkChange() }
        for object in clearPending() {
            switch object.state {
            case .inserted: object.state = .gone
            case .updated, .deleted:
                if let committedValues = object.committedValues { object.values = committedValues }
                showRow(of: object)
            case .clean, .gone: break
            }
        }
        undoManager?.removeAllActions()
        notify(.rolledBack)
    }

    /// Marks an object as having no unsaved changes, and makes it show the row that a merge found and left to
    /// the save.
    func showRow(of object: ManagedObject) {
        switch object.untakenRow {
        case nil: settle(object)
        case .changed?:
            settle(object)
            makeFault(object)
        case .gone?: remove(object)
        }
    }

    /// Makes all objects with nothing left to save show the rows that merges found and left to the save.
    func showRowsOfUnchangedObjects() {
        for object in pending where object.details?.untakenRow != nil { showRowIfUnchanged(object) }
    }

    /// Makes an object, if it has nothing left to save, show the row that a merge found and left to the save.
    func showRowIfUnchanged(_ object: ManagedObject) {
        guard object.state == .clean || object.state == .updated, !object.hasChangedValues else { return }
        forgetPending(object)
        showRow(of: object)
    }
}

extension ManagedObject {
    /// Shows the row that a merge found and left to the save, if a change was just reverted and nothing is
    /// left to save.
    final func endChange() {
        guard details?.untakenRow != nil else { return }
        managedObjectContext?.showRowIfUnchanged(self)
    }
}
