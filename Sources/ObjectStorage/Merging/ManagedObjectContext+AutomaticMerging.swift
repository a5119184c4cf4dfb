extension ManagedObjectContext {
    /// Whether the context merges changes that other contexts, processes and programs commit, without a call
    /// of a merge method.
    ///
    /// Changes committed before this property was set are not included; ``mergeChangesFromStore()`` finds
    /// them. Changes wait until the next fetch or merge of the context, because a context is never accessed
    /// from another thread. ``mergeContinuously(isolation:)`` merges them as they arrive. An automatic merge
    /// does not resolve conflicts: a property that was changed on both sides keeps the context's value, and
    /// the save applies the ``mergePolicy``.
    public var automaticallyMergesChanges: Bool {
        get { mergesAutomatically }
        set {
            mergesAutomatically = newValue
            if newValue { _ = makeMailbox() }
            automaticWatch = newValue ? container.monitorStore() : nil
        }
    }

    /// Merges the waiting changes if automatic merging is enabled, and leaves conflicts to the save.
    package func mergeAutomatically() throws(ObjectStorageError) {
        guard automaticallyMergesChanges, let mailbox else { return }
        _ = try mergeWaiting(in: mailbox, keepsConflicts: true)
    }

    /// A sequence with an element whenever another context, process or program commits a change.
    ///
    /// ```swift
    /// for await _ in context.remoteChangeNotifications {
    ///     try context.mergePendingChanges()
    /// }
    /// ```
    ///
    /// Several commits between two iterations may be one element. The sequence ends when the context is
    /// deallocated. Commits of other programs are detected from this call until the sequence is released.
    public var remoteChangeNotifications: AsyncStream<Void> {
        makeMailbox().arrivals(through: container.monitorStore())
    }

    /// Makes an object read its row again.
    ///
    /// - Parameters:
    ///   - object: An object of the context. A new or deleted one is not changed.
    ///   - mergeChanges: Whether the object keeps its unsaved changes, on top of the store's current values.
    ///     Otherwise they are discarded, including a deletion of the object.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(log *n*) in the number of rows of the table.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws(ObjectStorageError) {
        guard !object.objectID.isTemporary, object.state != .gone, object.state != .inserted else { return }
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
