import ObjectStorage
import Mutants

extension FetchedResultsController {
    /// Whether reports of changes wait for ``resumeChanges()``.
    public var isPaused: Bool { pauses > 0 }

    /// Stops reporting changes, and leaves the results as they are, until ``resumeChanges()`` is called as
    /// often as this was.
    ///
    /// A fetch, or another request, meanwhile is part of what is reported then.
    ///
    /// For the time of something that must not be disturbed, or that makes many changes: a scroll, a menu, an
    /// import.
    public func pauseChanges() { pauses += 1 }

    /// Goes on reporting changes. What happened meanwhile is one change, relative to the results as they were
    /// last reported.
    ///
    /// Calling it more often than ``pauseChanges()`` is a programmer's error and traps.
    public func resumeChanges() {
        precondition(pauses > 0, "The changes are resumed more often than they were paused.")
        pauses -= 1
        if pauses == 0, let tracking { report(tracking) }
    }

    /// Does something of which nobody needs to be told, because whoever shows the results shows it already: a
    /// row that was dragged to its new place.
    ///
    /// The results are the new ones all the same, and the next change is relative to them. What was still to
    /// be reported, and what others committed, is reported first. What others commit while `body` runs cannot
    /// be told as events, which would be relative to results that nobody was told of, and is a reload. While
    /// reports are paused, the changes are part of what is reported then. In the middle of a report, the
    /// results are the new ones once it is over; if more happens in its calls that is to be told, all of it
    /// is told together.
    ///
    /// - Parameter body: Changes objects of the context, and saves or processes the changes.
    /// - Returns: What `body` returns.
    public func withoutReporting<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let tracking, pauses == 0, !tracking.isSilent else { return try body() }
        if !tracking.isBusy, !Mutant.silentOthers.isPlanted { tracking.becomeDue() }
        report(tracking)
        tracking.isSilent = true
        defer { tracking.isSilent = false }
        return try body()
    }
}
