public import ObjectStorage
import SectionCaching
import SeededBugs

extension FetchedResultsController {
    /// A sequence of changes, the same as the ``delegate`` hears of.
    ///
    /// ```swift
    /// let changes = controller.changes
    /// try controller.performFetch()
    /// for await change in changes { apply(change.events) }
    /// ```
    ///
    /// Ask for it before ``performFetch()``, which begins to follow changes. Each call gives a sequence of its own, which ends with the
    /// controller. Changes wait until they are taken, none is left out, and each is relative to the one before; by the time one is
    /// taken, the controller may be further on.
    public var changes: AsyncStream<ResultsChange> {
        let listeners = listeners ?? ChangeListeners()
        self.listeners = listeners
        return listeners.stream()
    }

    /// Why the changes since the last report could not be found out; nil if they could.
    public var trackingError: ObjectStorageError? { tracking?.failure }

    /// Whether somebody wants to hear of changes.
    var isHeard: Bool {
        delegate?.tracksChanges ?? false || !(listeners?.isEmpty ?? true)
    }

    /// Begins to follow changes of the results just found.
    func startTracking() {
        tracking = ChangeTracking(isTracked: managedObjectContext.container.isTracked)
        managedObjectContext.addObserver(self) { [weak self] event in self?.hear(event) }
    }

    private func stopTracking() {
        tracking = nil
        merging = nil
        managedObjectContext.removeObserver(self)
    }

    /// Fetches while changes are followed.
    func fetchAgain(_ tracking: ChangeTracking) throws(ObjectStorageError) {
        guard !tracking.isBusy else {
            tracking.isDue = true
            return
        }
        guard isHeard else {
            stopTracking()
            results = try freshResults()
            return
        }
        tracking.isBusy = true
        defer { tracking.isBusy = false }
        results = try freshResults()
        tracking.forget()
        tracking.failure = nil
    }

    private func hear(_ event: ContextEvent) {
        guard let tracking else { return }
        guard isHeard else { return stopTracking() }
        switch event {
        case .failedToMerge(let error): fail(tracking, error)
        default:
            // What failed to be merged before is part of what was merged now.
            if case .merged = event { tracking.failure = nil }
            tracking.noteBulkSave(event, threshold: reloadThreshold)
            tracking.hear(event, request, hasUnsavedChanges: hasUnsavedChanges)
            if pauses == 0 { report(tracking) }
        }
    }

    /// Whether unsaved changes are part of the results that were found last, or would be of those found now.
    private var hasUnsavedChanges: Bool {
        guard fetchRequest.includesPendingChanges else { return false }
        return results?.basis?.includesUnsavedChanges ?? false
            || managedObjectContext.hasPendingChanges(to: request.compiled.tableNames)
    }

    /// Reports what changed, and then what changed meanwhile.
    func report(_ tracking: ChangeTracking) {
        guard !tracking.isBusy else { return }
        tracking.isBusy = true
        defer { tracking.isBusy = false }
        while tracking.isDue, self.tracking === tracking, pauses == 0 {
            do throws(ObjectStorageError) {
                try update(tracking)
            } catch {
                fail(tracking, error)
            }
        }
    }

    /// Finds out what changed and reports it.
    private func update(_ tracking: ChangeTracking) throws(ObjectStorageError) {
        tracking.isDue = false
        guard let old = results else { return }
        do throws(ObjectStorageError) {
            let delegate = delegate.flatMap { $0.tracksChanges ? $0 : nil }
            let (change, new) = try change(from: old, tracking)
            tracking.failure = nil
            deliver(change, new, to: delegate)
        } catch {
            // It may have been brought up to date already, for results that did not come about.
            results?.editor = SectionIndexEditor(old.index)
            throw error
        }
    }

    /// Finds out what changed and reports it, and then what changed meanwhile; in the middle of a report afterwards.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read, or the order does not keep sections together.
    func updateNow(_ tracking: ChangeTracking) throws(ObjectStorageError) {
        tracking.isDue = true
        guard !tracking.isBusy, pauses == 0 else { return }
        tracking.isBusy = true
        do {
            defer { tracking.isBusy = false }
            try update(tracking)
        }
        report(tracking)
    }

    private func fail(_ tracking: ChangeTracking, _ error: ObjectStorageError) {
        tracking.failure = error
        guard let delegate, delegate.tracksChanges else { return }
        delegate.controller(self, didFailToFollowChanges: error)
    }

    private func deliver(
        _ change: ResultsChange, _ new: Results,
        to delegate: (any FetchedResultsControllerDelegate<Object>)?
    ) {
        guard !change.isEmpty || SeededBug.reportedNothing.isPlanted, tracking?.isSilent != true else {
            results = new
            return
        }
        delegate?.controllerWillChangeContent(self)
        results = new
        if let delegate {
            for event in change.events {
                switch event {
                case .section(let event): delegate.controller(self, didChangeSection: event)
                case .row(let event): delegate.controller(self, didChangeObject: event)
                }
            }
            delegate.controllerDidChangeContent(self)
            delegate.controller(self, didChangeContentWith: change)
            delegate.controller(self, didChangeContentWith: snapshot(of: new, after: change))
        }
        listeners?.yield(change)
    }
}
