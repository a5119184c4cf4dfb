extension ManagedObjectContext {
    /// Forgets all objects and all unsaved changes, so that the context is as good as new.
    ///
    /// For a context that goes on after work of which nothing is to remain: memory is freed, and whatever is
    /// fetched is read again. Objects that somebody still holds belong to no context from then on, as if it
    /// were gone: they have the values that were read, their ``ManagedObject/managedObjectContext`` is nil,
    /// and what was not read cannot be read any more (``ObjectStorageError/Code/wrongContext``). No change of
    /// them is saved, and nothing can be undone.
    ///
    /// Observers hear ``ContextEvent/reset``. A results controller reports nothing: fetch again. One that
    /// follows changes has no results until then; one that does not has those objects. Children of the
    /// context keep theirs.
    ///
    /// - Complexity: O(*n*) in the number of objects with unsaved changes, and O(*s*) in the number of
    ///   entities used.
    public func reset() {
        for object in clearPending() {
            // Without its changes: a new object was never there, and others are what was read of them.
            if let committedValues = object.committedValues { object.values = committedValues }
            if object.state == .inserted { object.state = .gone } else { settle(object) }
        }
        undoManager?.removeAllActions()
        if pinnedGeneration != nil { pinnedGeneration = .current }
        storeGeneration &+= 1
        objectIDsReadAgain = []
        hasShownChanges = false
        detachRuntimes()
        notify(.reset)
    }
}
