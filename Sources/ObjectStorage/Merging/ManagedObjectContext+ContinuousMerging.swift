extension ManagedObjectContext {
    /// Merges what others commit as soon as it arrives, until the task is cancelled: the saves of other
    /// contexts, and what other processes and programs write to the store.
    ///
    /// ```swift
    /// let merging = Task { await context.mergeContinuously() }
    /// ```
    ///
    /// It begins with what was committed since the context read its objects, which it reads again.
    ///
    /// It merges in the isolation of the caller, the main actor for instance, between whatever else is done
    /// there. As with ``automaticallyMergesChanges``, no conflict is decided. Whoever wants to know what was
    /// merged observes the context (``addObserver(_:_:)``), and is told of failures by
    /// ``ContextEvent/failedToMerge(_:)``: the changes are kept, and tried again after a second, then after
    /// twice the time, up to a minute.
    ///
    /// A results controller that follows changes on an actor does this by itself. A program that does not run
    /// on an actor has no moment at which somebody may reach into its contexts: it calls
    /// ``mergePendingChanges()`` or ``mergeChangesFromStore()`` when it likes.
    ///
    /// - Parameter isolation: The isolation of the context: leave it out.
    public func mergeContinuously(isolation: isolated (any Actor)? = #isolation) async {
        let arrivals = remoteChangeNotifications
        // The task may have begun long after the objects were read.
        makeMailbox().post(StoreChanges(changedEntityNames: Set(container.model.entities.map(\.name))))
        await ContinuousMerging.merge(arrivals) { mergeArrived() }
    }

    /// What goes on merging as ``mergeContinuously(isolation:)`` does, as long as somebody holds it and the
    /// context lives. All who ask hold the same.
    ///
    /// - Parameter actor: The actor that the context is confined to.
    /// - Returns: Nil without an actor.
    package func mergingContinuously(on actor: (any Actor)?) -> ContinuousMerging? {
        guard let actor else { return nil }
        if let continuousMerging { return continuousMerging }
        let merging = ContinuousMerging(
            of: remoteChangeNotifications, to: MergingPlace(context: self, isolation: actor))
        continuousMerging = merging
        return merging
    }

    /// Has what is merged continuously come back to the objects of some entities after a while, as if
    /// somebody had changed them: for observers who could not follow a change.
    ///
    /// - Returns: What waits until then, and can be cancelled.
    package func mergeAgain(_ entityNames: Set<String>, after delay: Duration) -> Task<Void, Never> {
        let mailbox = makeMailbox()
        return Task {
            do { try await Task.sleep(for: delay) } catch { return }
            mailbox.post(StoreChanges(changedEntityNames: entityNames))
        }
    }

    /// Has what is merged continuously come back to the objects of some entities now.
    package func mergeAgain(_ entityNames: Set<String>) {
        makeMailbox().post(StoreChanges(changedEntityNames: entityNames))
    }

    /// Merges what is waiting, or tells observers why that failed.
    ///
    /// - Returns: Whether it is merged.
    func mergeArrived() -> Bool {
        guard let mailbox else { return true }
        do throws(ObjectStorageError) {
            _ = try mergeWaiting(in: mailbox, keepsConflicts: true)
            return true
        } catch {
            notify(.failedToMerge(error))
            return false
        }
    }
}
