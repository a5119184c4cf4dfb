extension ManagedObjectContext {
    /// Merges changes that other contexts, processes and programs commit as they arrive, until the task is
    /// cancelled.
    ///
    /// ```swift
    /// let merging = Task { await context.mergeContinuously() }
    /// ```
    ///
    /// The method first reads the objects of the context again, so that changes committed after they were
    /// read are merged as well.
    ///
    /// The merge runs in the caller's isolation, for instance the main actor, between its other work. As with
    /// ``automaticallyMergesChanges``, conflicts are not resolved. Observers of the context
    /// (``addObserver(_:_:)``) receive the merged changes, and failures as
    /// ``ContextEvent/failedToMerge(_:)``: the changes are kept, and the merge is retried after one second,
    /// then after twice the previous delay, up to a minute.
    ///
    /// A results controller that follows changes on an actor merges in the same way. A program that does not
    /// run on an actor has no point at which its contexts can be accessed safely; it calls
    /// ``mergeOthersChanges()``, ``mergePendingChanges()`` or ``mergeChangesFromStore()`` itself.
    ///
    /// - Parameter isolation: The isolation of the context; leave the default.
    public func mergeContinuously(isolation: isolated (any Actor)? = #isolation) async {
        let arrivals = remoteChangeNotifications
        // The task may begin long after the objects were read.
        makeMailbox().post(StoreChanges(changedEntityNames: Set(container.model.entities.map(\.name))))
        await ContinuousMerging.merge(arrivals) { mergeArrived() }
    }

    /// Returns an object that merges as ``mergeContinuously(isolation:)`` does while it is retained and the
    /// context exists. All callers share one object.
    ///
    /// - Parameter actor: The actor that the context is confined to.
    /// - Returns: Nil without an actor.
    package func mergingContinuously(on actor: (any Actor)?) -> ContinuousMerging? {
        guard let actor else { return nil }
        if let continuousMerging { return continuousMerging }
        let merging = ContinuousMerging(
            of: remoteChangeNotifications, to: MergingTarget(context: self, isolation: actor))
        continuousMerging = merging
        return merging
    }

    /// Reads the objects of some entities again after a delay, as part of continuous merging: for observers
    /// that could not follow a change.
    ///
    /// - Returns: The task that waits, which can be cancelled.
    package func mergeAgain(_ entityNames: Set<String>, after delay: Duration) -> Task<Void, Never> {
        let mailbox = makeMailbox()
        return Task {
            do { try await Task.sleep(for: delay) } catch { return }
            mailbox.post(StoreChanges(changedEntityNames: entityNames))
        }
    }

    /// Reads the objects of some entities again immediately, as part of continuous merging.
    package func mergeAgain(_ entityNames: Set<String>) {
        makeMailbox().post(StoreChanges(changedEntityNames: entityNames))
    }

    /// Merges the waiting changes, or reports the error to observers.
    ///
    /// - Returns: Whether the changes were merged.
    func mergeArrived() -> Bool {
        guard let mailbox else { return true }
        isMergingArrivals = true
        defer { isMergingArrivals = false }
        do throws(ObjectStorageError) {
            _ = try mergeWaiting(in: mailbox, keepsConflicts: true)
            return true
        } catch {
            notify(.failedToMerge(error))
            return false
        }
    }
}
