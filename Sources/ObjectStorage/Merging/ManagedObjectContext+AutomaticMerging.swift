extension ManagedObjectContext {
    /// Whether changes that are committed elsewhere, by other contexts, processes and programs, reach this
    /// context by themselves.
    ///
    /// What was committed before this was set is not among them; ``mergeChangesFromStore()`` finds it. They
    /// wait until the context is next asked to fetch, or to merge; a context is never touched from another
    /// thread. ``mergeContinuously(isolation:)`` merges them without being asked. Merging by itself decides
    /// no conflict: a property that was changed on both sides keeps the value of the context, and the save
    /// asks the ``mergePolicy``.
    public var automaticallyMergesChanges: Bool {
        get { mergesAutomatically }
        set {
            mergesAutomatically = newValue
            if newValue { _ = makeMailbox() }
            automaticWatch = newValue ? container.monitorStore() : nil
        }
    }

    /// A sequence with an element whenever something was committed elsewhere: by other contexts, processes
    /// and programs.
    ///
    /// ```swift
    /// for await _ in context.remoteChangeNotifications {
    ///     try context.mergePendingChanges()
    /// }
    /// ```
    ///
    /// Several commits that nobody waited for may be one element. The sequence ends with the context. What
    /// other programs commit is noticed from the call until the sequence is let go.
    public var remoteChangeNotifications: AsyncStream<Void> {
        makeMailbox().arrivals(through: container.monitorStore())
    }

    /// Lets an object read its row again.
    ///
    /// - Parameter mergeChanges: Whether the object's unsaved changes are kept, over the values of the store
    ///   as they are now. Otherwise they are forgotten; of an object that is to be deleted, the deletion is.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(ObjectStorageError) {
        guard !object.objectID.isTemporary, object.state != .gone else { return }
        if !mergeChanges { forgetLinks(of: object) }
        if object.state == .clean {
            refresh(object)
        } else if mergeChanges {
            _ = try merge(StoreChanges(updatedObjectIDs: [object.objectID]), keepsConflicts: false)
        } else {
            forgetPending(object)
            showRow(of: object)
            refresh(object)
        }
    }
}
