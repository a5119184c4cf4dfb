import ObjectStorage

extension FetchedResultsController {
    /// A sequence of the changes that the ``delegate`` receives.
    ///
    /// ```swift
    /// let changes = controller.changes
    /// try controller.performFetch()
    /// for await change in changes { apply(change.events) }
    /// ```
    ///
    /// Each access returns a new sequence, which listens from then on. Changes are buffered until they are
    /// consumed; when one is consumed, the controller may already show later results. A sequence that is
    /// created after ``performFetch(isolation:)`` begins with a change relative to the results shown, as for
    /// a ``delegate`` that is assigned later.
    public var changes: ResultsChanges {
        defer { followIfWanted() }
        return ResultsChanges(listenersOrNew().changes())
    }

    /// A sequence of the results as snapshots, which begins with the present results and keeps only the
    /// newest: a slow consumer misses snapshots, but no marks.
    ///
    /// ```swift
    /// for await snapshot in controller.snapshots { show(snapshot) }
    /// ```
    ///
    /// Each access returns a new sequence, which listens from then on.
    public var snapshots: ResultsSnapshots<Object> {
        defer { followIfWanted() }
        let (arrivals, newest) = listenersOrNew().snapshots(beginningWith: snapshot)
        return ResultsSnapshots(arrivals, newest)
    }

    private func listenersOrNew() -> ChangeListeners<Object> {
        if let listeners { return listeners }
        let new = ChangeListeners<Object>()
        listeners = new
        return new
    }

    /// Delivers the present results to the listeners to snapshots, and to the observer.
    ///
    /// - Parameter change: The change that led to the results; nil if it is unknown.
    func announceResults(after change: ResultsChange?) {
        listeners?.offer({ snapshot }, after: change)
        observer?.resultsChanged()
    }
}
