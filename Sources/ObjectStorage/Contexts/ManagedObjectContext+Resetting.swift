extension ManagedObjectContext {
    /// Removes all objects and unsaved changes from the context, so that it is in its initial state.
    ///
    /// Use this method for a context that continues after work whose objects are no longer needed: memory is
    /// released, and later fetches read all rows again. Objects that are still retained belong to no context
    /// afterwards, as if the context were deallocated: they have the values that were read, their
    /// ``ManagedObject/managedObjectContext`` is nil, and values that were not read can no longer be read
    /// (``ObjectStorageError/Code/wrongContext``). Changes of these objects are not saved, and nothing can be
    /// undone.
    ///
    /// Observers receive ``ContextEvent/reset``. A results controller reports no change; fetch again. Until
    /// then, a controller that follows changes has no results, and one that does not has the detached
    /// objects. Child contexts keep their objects.
    ///
    /// - Complexity: O(*n*) in the number of objects with unsaved changes, and O(*s*) in the number of
    ///   entities used.
    public func reset() {
        for object in clearPending() {
            // Changes are discarded: a new object is marked as deleted, and other objects get the values that
            // were read.
            if let committedValues = object.committedValues { object.values = committedValues }
            if object.state == .inserted { object.state = .gone } else { settle(object) }
        }
        undoManager?.removeAllActions()
        if pinnedGeneration != nil { pinnedGeneration = .current }
        storeGeneration &+= 1
        valuesReadAgain = ValuesReadAgain()
        forgetMergedStates()
        hasShownChanges = false
        detachRuntimes()
        notify(.reset)
    }
}
