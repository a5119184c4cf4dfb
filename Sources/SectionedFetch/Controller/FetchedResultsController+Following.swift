public import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// The reason why the results do not follow changes although the controller has or had a delegate or a
    /// listener: the changes since the last report could not be computed, commits of other contexts or
    /// programs could not be merged, or the delegate was released
    /// (``/ObjectStorage/ObjectStorageError/Code/delegateReleased``). Nil if none of this happened.
    public var trackingError: ObjectStorageError? {
        if let failure = follower?.state.comparisonFailure ?? follower?.state.mergeFailure { return failure }
        guard results != nil, hasLostDelegate, !hasListeners else { return nil }
        return ObjectStorageError(
            .delegateReleased,
            "The delegate of the controller of “\(fetchRequest.entityName)” was released, so the results are those of the last report. Keep a strong reference to the delegate, or assign another one.",
            entityName: fetchRequest.entityName)
    }

    /// Begins following changes of the results that were just found.
    func startFollowing() {
        follower = ResultsFollower(isTracked: managedObjectContext.container.isTracked)
        // An observer of the merge that precedes a fetch may have fetched as well, which added this observer.
        managedObjectContext.removeObserver(self)
        managedObjectContext.addObserver(self) { [weak self] event in self?.record(event) }
    }

    /// Begins following changes for a delegate or a listener that is added after the fetch. The first report
    /// is relative to the results shown, so it contains all changes since the fetch.
    ///
    /// On an actor the context looks for external changes immediately; without one, the next event of the
    /// context causes the report.
    func followIfWanted() {
        // A reset of the context invalidates the objects of the results.
        guard let results, follower == nil, hasListeners, !results.objects.isOfResetContext else { return }
        guard results.firstScreen == nil else {
            startFollowing()
            follower?.state.showFirstScreen()
            return
        }
        merging = managedObjectContext.mergingContinuously(on: actor)
        startFollowing()
        follower?.becomeDueLate()
        if merging != nil { managedObjectContext.mergeAgain(request.listedEntityNames) }
    }

    /// Marks followed results as due because some of their rows are lost. The next report is a reload.
    func noteLoss(of rows: ResultsIndex) {
        guard let follower, results?.rows === rows, !follower.state.isDue else { return }
        follower.state.becomeDue()
        if merging != nil { managedObjectContext.mergeAgain(request.listedEntityNames) }
    }

    private func stopFollowing() {
        follower = nil
        merging = nil
        managedObjectContext.removeObserver(self)
    }

    /// Fetches while changes are followed.
    func fetchAgain(_ follower: ResultsFollower) throws(ObjectStorageError) {
        // A reset of the context ends the report that it interrupts, so a fetch need not wait for that
        // report.
        guard !follower.state.isReporting || results == nil else { return follower.state.becomeDueForFetch() }
        guard hasListeners else {
            stopFollowing()
            results = try freshResults()
            return
        }
        // The report at the end of a pause is relative to the results that were reported last.
        guard pauses == 0 || results == nil else { return follower.state.becomeDueForFetch() }
        let wasReporting = follower.state.beginReport()
        defer { follower.state.endReport(wasReporting) }
        results = try freshResults()
        follower.forget()
        follower.state.merged()
    }

    private func record(_ event: ContextEvent) {
        guard let follower else { return }
        guard hasListeners else { return stopFollowing() }
        switch event {
        case .failedToMerge(let error):
            follower.state.mergeFailed(error)
            notifyOfFailure(error)
        case .reset:
            // The objects no longer belong to the context. The app has to fetch again.
            results = nil
            follower.forget()
            observer?.resultsChanged()
        case .saved, .merged, .rolledBack, .processed:
            // During a report `results` may not be the reported ones yet, so unsaved changes are assumed.
            follower.record(
                event, request, reloadThreshold: reloadThreshold,
                hasUnsavedChanges: follower.state.isReporting || hasUnsavedChanges)
            if pauses == 0 { report(follower, mayDefer: managedObjectContext.isMergingArrivals) }
        }
    }

    /// Whether unsaved changes are part of the current results, or would be part of new ones.
    private var hasUnsavedChanges: Bool {
        guard fetchRequest.includesPendingChanges else { return false }
        return results?.version.includesUnsavedChanges ?? false
            || managedObjectContext.hasPendingChanges(to: request.compiled.tableNames)
    }

    /// Reports the changes that are due, then those that arrive during the report.
    ///
    /// - Parameter mayDefer: Whether a large change may be computed on another thread and reported later.
    func report(_ follower: ResultsFollower, mayDefer: Bool = false) {
        guard !follower.state.isReporting else { return }
        // The thread that computes a change reports it, and the changes after it.
        guard !mayDefer || !follower.isComputing else { return }
        follower.state.beginReport()
        defer { follower.state.endReport() }
        // A delegate may fetch or save when it is notified of a failure, which makes the results due again.
        // One notification for each error code keeps this loop finite.
        var reportedCodes: [ObjectStorageError.Code] = []
        while follower.state.isDue, self.follower === follower, pauses == 0 {
            do throws(ObjectStorageError) {
                guard try update(follower, mayDefer: mayDefer) else { return compute(follower) }
            } catch {
                follower.state.keepComparisonFailure(error)
                if merging != nil, error.mayPass {
                    follower.tryAgainLater(managedObjectContext, request.listedEntityNames)
                }
                guard !reportedCodes.contains(error.code) else { continue }
                reportedCodes.append(error.code)
                notifyOfFailure(error)
            }
        }
    }

    /// Computes the change that is due and reports it.
    ///
    /// - Returns: False if the change must be computed on another thread; it is still due then.
    private func update(
        _ follower: ResultsFollower, mayDefer: Bool = false
    ) throws(ObjectStorageError) -> Bool {
        let reportStyle = follower.state.beginComparison()
        guard let old = results else { return true }
        // The editor moves on to the new results. Code that reads the old ones meanwhile, or after a failure,
        // finds rows with another editor.
        if !Mutant.newPathsBefore.isPlanted { results?.editor = SectionIndexEditor(old.index) }
        results?.window = nil
        let change: ResultsChange
        let new: Results
        do throws(ObjectStorageError) {
            guard let found = try self.change(from: old, follower, mayDefer: mayDefer) else {
                follower.state.becomeDue(reportStyle)
                results?.editor = old.editor
                results?.window = old.window
                return false
            }
            (change, new) = found
        } catch {
            follower.state.comparisonFailed(of: reportStyle)
            if old.firstScreen != nil { follower.state.showFirstScreen() }
            if old.requestNumber != requestNumber, old.firstScreen == nil, !error.mayPass {
                takeBackRequest(of: old)
                follower.state.becomeDue()
            }
            throw error
        }
        follower.state.comparisonSucceeded()
        show(new, change, from: old, reportStyle)
        return true
    }

    /// Shows new results, and reports the change in a style.
    func show(
        _ new: Results, _ change: ResultsChange, from old: Results,
        _ reportStyle: FollowingState.ReportStyle
    ) {
        guard !change.isEmpty || Mutant.reportedNothing.isPlanted else {
            results = new
            observer?.trackingErrorChanged()
            // A save without an event gave unsaved objects their permanent identities.
            if !old.provisionalKeys.isEmpty { announceResults(after: change) }
            return
        }
        switch reportStyle {
        case .events: deliver(change, from: old, to: new)
        case .nothing(let saves) where isAll(that: saves, didBetween: old, and: new):
            results = new
            announceResults(after: change)
        case .nothing, .reload:
            deliver(ResultsChange(reloading: old.shown, as: new.shown), from: old, to: new)
        }
    }

    /// Whether only these saves changed the tables of the request.
    private func isAll(that saves: [TableTransition], didBetween old: Results, and new: Results) -> Bool {
        guard managedObjectContext.container.isTracked else { return true }
        return old.version.tables.map { $0.passing(saves) == new.version.tables } ?? false
    }

    /// Reports a reload, then the changes that arrive during the report.
    func reportReload(from old: Results, to new: Results, _ follower: ResultsFollower) {
        let change = ResultsChange(reloading: old.shown, as: new.shown)
        guard !change.isEmpty, !follower.state.isReporting else { return }
        follower.state.beginReport()
        results = old
        deliver(change, from: old, to: new)
        follower.state.endReport()
        report(follower)
    }

    /// Computes the change since the last report and reports it, then the changes that arrive during the
    /// report. During a report or a pause it only marks the results as due.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read, or the order does not keep sections
    ///   together.
    func updateNow(_ follower: ResultsFollower) throws(ObjectStorageError) {
        follower.state.becomeDueForFetch()
        guard !follower.state.isReporting, pauses == 0 else { return }
        follower.state.beginReport()
        do throws(ObjectStorageError) {
            defer { follower.state.endReport() }
            _ = try update(follower)
        } catch {
            // The caller gets the error. The next event tries again.
            follower.state.becomeDue()
            throw error
        }
        report(follower)
    }
}
