extension ManagedObjectContext {
    /// Merges all changes committed elsewhere since the last merge: by other contexts of the container,
    /// batches, other processes, and programs without this library.
    ///
    /// ```swift
    /// try context.mergeOthersChanges()
    /// ```
    ///
    /// The method suits a program that does not run on an actor, or does not wait for changes: a tool, a
    /// server between two requests, a test. Whether the store is monitored makes no difference. Objects
    /// without unsaved changes take the values of the store, followed results controllers report the changes,
    /// and conflicts are resolved as by ``mergeChanges(from:)``. The first call, as well as the first after
    /// ``setQueryGeneration(from:)`` or ``reset()``, reads all objects of the context again. Later calls read
    /// the objects that other contexts changed, and all objects of an entity that another program changed.
    ///
    /// - Returns: As ``mergeChanges(from:)``; empty if nothing was committed. Rows that the context does not
    ///   have are not read, so changes of other programs are in ``StoreChanges/changedEntityNames``. While
    ///   the store is monitored, a change of another program may be in the results of two calls.
    /// - Throws: As ``mergeChanges(from:)``; also, once, ``ObjectStorageError/Code/storeReplaced`` if the
    ///   store's file is no longer the open one. The next call merges the remaining changes.
    /// - Complexity: O(1) if nothing was committed; otherwise O(*t*) in the number of the model's tables,
    ///   plus O(*c* log *m*) for *c* objects that are read again, in tables of *m* rows.
    @discardableResult
    public func mergeOthersChanges() throws(ObjectStorageError) -> StoreChanges {
        let mailbox = makeMailbox()
        if let failure = mailbox.takeFailure() {
            knowsReplacement = knowsReplacement || failure.code == .storeReplaced
            throw failure
        }
        try checkReplacement()
        // Read before the merge, so that a commit in between is found by the next call.
        let version = container.connections.commitVersion()
        if mergedStates != nil, let version, version == mergedVersion, !mailbox.hasArrivals {
            return StoreChanges()
        }
        let changes = try mergeChangesFromStore()
        mergedVersion = version
        return changes
    }

    /// Checks that the store's path leads to the open file. After one failure, the check is omitted.
    private func checkReplacement() throws(ObjectStorageError) {
        guard !knowsReplacement else { return }
        do {
            try container.connections.checkFile()
        } catch {
            knowsReplacement = true
            throw error
        }
    }

    /// Makes the next merges of this context and its children compare all objects with the store, because the
    /// context may read another state than the last merge did.
    func forgetMergedStates() {
        mergedStates = nil
        mergedVersion = nil
        for child in children { child.context?.forgetMergedStates() }
    }
}

extension StoreConnections {
    /// Returns a value that is different after each commit, of this process or another; nil if it is not
    /// known, because another program has the lock or the store is in memory.
    fileprivate func commitVersion() -> CommitVersion? {
        guard let connection = monitoringConnection else { return nil }
        return try? connection.look { try connection.mark(in: $0) } ?? nil
    }
}
