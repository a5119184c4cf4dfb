extension ManagedObjectContext {
    /// Forgets all unsaved changes: new objects are gone, changed ones are as they were read, deleted ones
    /// are back. Nothing can be undone afterwards.
    ///
    /// What changed in the store since an object was read, and was merged and left to the save to judge,
    /// shows: the object reads its row again, or is deleted if there is none any more. The same goes for an
    /// object of which an undo, or setting its values back, leaves nothing to save.
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

    /// Makes an object one without unsaved changes, and has it show what a merge found and left to the save.
    func showRow(of object: ManagedObject) {
        switch object.untakenRow {
        case nil: settle(object)
        case .changed?:
            settle(object)
            makeFault(object)
        case .gone?: remove(object)
        }
    }

    /// Has the objects of which nothing is left to save show what merges found and left to the save.
    func showRowsOfUnchangedObjects() {
        for object in pending where object.details?.untakenRow != nil { showRowIfUnchanged(object) }
    }

    /// The same for one object.
    func showRowIfUnchanged(_ object: ManagedObject) {
        guard object.state == .clean || object.state == .updated, !object.hasChangedValues else { return }
        forgetPending(object)
        showRow(of: object)
    }
}

extension ManagedObject {
    /// Shows the row that a merge found and left to the save, if a change was just taken back and nothing is
    /// left to save.
    final func endChange() {
        guard details?.untakenRow != nil else { return }
        managedObjectContext?.showRowIfUnchanged(self)
    }
}
