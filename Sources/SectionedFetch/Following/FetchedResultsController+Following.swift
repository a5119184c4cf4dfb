public import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// A sequence of changes, the same as the ``delegate`` hears of.
    ///
    /// ```swift
    /// let changes = controller.changes
    /// try controller.performFetch()
    /// for await change in changes { apply(change.events) }
    /// ```
    ///
    /// Each call gives a sequence of its own, which ends with the controller. Changes wait until they are
    /// taken, none is left out, and each is relative to the one before; by the time one is taken, the
    /// controller may be further on. A sequence that is made after ``performFetch()`` begins with a change
    /// relative to the results shown, as for a ``delegate`` that comes later.
    public var changes: AsyncStream<ResultsChange> {
        let listeners = listeners ?? ChangeListeners()
        self.listeners = listeners
        defer { followIfWanted() }
        return listeners.stream()
    }

    /// Why the results do not follow changes although a delegate or a listener was there: the changes since
    /// the last report could not be found, or the delegate was released
    /// (``ObjectStorageError/Code/delegateReleased``). Nil if nothing is wrong.
    public var trackingError: ObjectStorageError? {
        if let failure = tracking?.updateFailure ?? tracking?.mergeFailure { return failure }
        guard results != nil, hasDelegate, delegate == nil, !isHeard else { return nil }
        return ObjectStorageError(
            .delegateReleased,
            "The delegate of the controller of “\(fetchRequest.entityName)” was released, so the results are those of the last report. Keep a strong reference to the delegate, or assign another one.",
            entityName: fetchRequest.entityName)
    }

    /// Whether somebody wants to hear of changes.
    var isHeard: Bool {
        delegate?.tracksChanges ?? false || !(listeners?.isEmpty ?? true)
    }

    /// Begins to follow changes of the results just found.
    func startTracking() {
        tracking = ResultsFollower(isTracked: managedObjectContext.container.isTracked)
        // Whoever heard of what the fetch merged may have fetched as well.
        managedObjectContext.removeObserver(self)
        managedObjectContext.addObserver(self) { [weak self] event in self?.hear(event) }
    }

    /// Begins to follow changes for a delegate or a listener that comes after the fetch. The first report is
    /// relative to the results shown, so it has all changes since the fetch.
    ///
    /// On an actor the context looks at once for changes from elsewhere; without one, the next event of the
    /// context has the results looked at.
    func followIfWanted() {
        // After a reset of the context the objects of the results are gone.
        guard let results, tracking == nil, isHeard, !results.objects.isOfResetContext else { return }
        merging = managedObjectContext.mergingContinuously(on: actor)
        startTracking()
        tracking?.becomeDueLate()
        if merging != nil { managedObjectContext.mergeAgain([request.request.entityName]) }
    }

    /// Has tracked results looked at again, because some of their rows are lost: the next report is a reload.
    func noteLoss(of rows: ResultsIndex) {
        guard let tracking, results?.rows === rows, !tracking.isDue else { return }
        tracking.becomeDue()
        if merging != nil { managedObjectContext.mergeAgain([request.request.entityName]) }
    }

    private func stopTracking() {
        tracking = nil
        merging = nil
        managedObjectContext.removeObserver(self)
    }

    /// Fetches while changes are followed.
    func fetchAgain(_ tracking: ResultsFollower) throws(ObjectStorageError) {
        // After a reset of the context there is nothing that a report is in the middle of.
        guard !tracking.isBusy || results == nil else { return tracking.becomeDue() }
        guard isHeard else {
            stopTracking()
            results = try freshResults()
            return
        }
        // What is reported at the end of a pause is relative to the results that were reported last.
        guard pauses == 0 || results == nil else { return tracking.becomeDue() }
        let wasBusy = tracking.isBusy
        tracking.isBusy = true
        defer { tracking.isBusy = wasBusy }
        results = try freshResults()
        tracking.forget()
        tracking.updateFailure = nil
        tracking.forgetMergeFailure()
    }

    private func hear(_ event: ContextEvent) {
        guard let tracking else { return }
        guard isHeard else { return stopTracking() }
        switch event {
        case .failedToMerge(let error):
            tracking.mergeFailure = error
            tellOfFailure(error)
        case .reset:
            // The objects are no longer those of the context; whoever shows them fetches again.
            results = nil
            tracking.forget()
            tracking.updateFailure = nil
        case .saved, .merged, .rolledBack, .processed:
            tracking.noteBulkSave(event, threshold: reloadThreshold)
            tracking.noteUpdate(event)
            // In the middle of a report the results that it is of are not yet those that are found here.
            tracking.hear(event, request, hasUnsavedChanges: tracking.isBusy || hasUnsavedChanges)
            if pauses == 0 { report(tracking) }
        }
    }

    /// Whether unsaved changes are part of the results that were found last, or would be of those found now.
    private var hasUnsavedChanges: Bool {
        guard fetchRequest.includesPendingChanges else { return false }
        return results?.version.includesUnsavedChanges ?? false
            || managedObjectContext.hasPendingChanges(to: request.compiled.tableNames)
    }

    /// Reports what changed, and then what changed meanwhile.
    func report(_ tracking: ResultsFollower) {
        guard !tracking.isBusy else { return }
        tracking.isBusy = true
        defer { tracking.isBusy = false }
        // Whoever is told of a failure may fetch or save, which has the results be looked at again. Told once
        // of what fails again for the same reason, nobody can go on with that for ever.
        var told: [ObjectStorageError.Code] = []
        while tracking.isDue, self.tracking === tracking, pauses == 0 {
            do throws(ObjectStorageError) {
                try update(tracking)
            } catch {
                tracking.updateFailure = error
                if merging != nil, error.mayPass {
                    tracking.tryAgainLater(managedObjectContext, request.request.entityName)
                }
                guard !told.contains(error.code) else { continue }
                told.append(error.code)
                tellOfFailure(error)
            }
        }
    }

    /// Finds out what changed and reports it.
    private func update(_ tracking: ResultsFollower) throws(ObjectStorageError) {
        let telling = tracking.takeDue()
        guard let old = results else { return }
        // The editor goes on to the new results. Whoever looks at the old ones meanwhile, or because the new
        // ones did not come about, finds rows by another one.
        if !Mutant.newPathsBefore.isPlanted { results?.editor = SectionIndexEditor(old.index) }
        let delegate = delegate.flatMap { $0.tracksChanges ? $0 : nil }
        let (change, new): (ResultsChange, Results)
        do throws(ObjectStorageError) {
            (change, new) = try self.change(from: old, tracking)
        } catch {
            tracking.noteFailure(of: telling)
            if old.requestNumber != requestNumber, !error.mayPass {
                takeBackRequest(of: old)
                tracking.becomeDue()
            }
            throw error
        }
        tracking.noteSuccess()
        guard !change.isEmpty || Mutant.reportedNothing.isPlanted else {
            results = new
            return
        }
        switch telling {
        case .events: deliver(change, from: old, to: new, delegate)
        case .nothing(let saves) where isAll(that: saves, didBetween: old, and: new): results = new
        case .nothing, .reload:
            deliver(ResultsChange(reloading: old.index, as: new.index), from: old, to: new, delegate)
        }
    }

    /// Whether nobody else changed what the results are read from.
    private func isAll(that saves: [TableTransition], didBetween old: Results, and new: Results) -> Bool {
        guard managedObjectContext.container.isTracked else { return true }
        return old.version.tables.map { $0.passing(saves) == new.version.tables } ?? false
    }

    /// Reports that the results are others, and then what changed meanwhile.
    func reportReload(from old: Results, to new: Results, _ tracking: ResultsFollower) {
        let change = ResultsChange(reloading: old.index, as: new.index)
        guard !change.isEmpty, !tracking.isBusy else { return }
        tracking.isBusy = true
        results = old
        deliver(change, from: old, to: new, delegate.flatMap { $0.tracksChanges ? $0 : nil })
        tracking.isBusy = false
        report(tracking)
    }

    /// Finds out what changed and reports it, and then what changed meanwhile; in the middle of a report
    /// afterwards.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read, or the order does not keep sections
    ///   together.
    func updateNow(_ tracking: ResultsFollower) throws(ObjectStorageError) {
        tracking.becomeDue()
        guard !tracking.isBusy, pauses == 0 else { return }
        tracking.isBusy = true
        do throws(ObjectStorageError) {
            defer { tracking.isBusy = false }
            try update(tracking)
        } catch {
            // Whoever asked knows; the next event tries again.
            tracking.becomeDue()
            throw error
        }
        report(tracking)
    }

    private func tellOfFailure(_ error: ObjectStorageError) {
        guard let delegate, delegate.tracksChanges else { return }
        delegate.controller(self, didFailToFollowChanges: error)
    }

    /// Tells of a change. The delegate may reset the context in any of these calls; then nothing is left to
    /// tell of, but that it ended.
    private func deliver(
        _ change: ResultsChange, from old: Results, to new: Results,
        _ delegate: (any FetchedResultsControllerDelegate<Object>)?
    ) {
        delegate?.controllerWillChangeContent(self)
        if shows(old) { results = new }
        if let delegate {
            for event in change.events where shows(new) {
                switch event {
                case .section(let event): delegate.controller(self, didChangeSection: event)
                case .row(let event): delegate.controller(self, didChangeObject: event)
                }
            }
            delegate.controllerDidChangeContent(self)
            if shows(new) { delegate.controller(self, didChangeContentWith: change) }
            if shows(new) {
                delegate.controller(self, didChangeContentWith: snapshot(of: new, after: change))
            }
        }
        if shows(new) { listeners?.yield(change) }
    }

    private func shows(_ some: Results) -> Bool { results?.rows === some.rows }
}
