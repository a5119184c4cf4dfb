import ObjectStorage
import Mutants

extension FetchedResultsController {
    /// Whether reports of changes wait for ``resumeChanges()``. A fetch and a reset of the context leave a
    /// pause as it is.
    public var isPaused: Bool { pauses > 0 }

    /// Stops reporting changes and keeps the results as they are, until ``resumeChanges()`` has been called
    /// as often as this method.
    ///
    /// A fetch, or a replacement of the request, during the pause is part of the report at its end.
    ///
    /// Use it for operations that must not be disturbed, or that make many changes: a scroll, a menu, an
    /// import.
    public func pauseChanges() { pauses += 1 }

    /// Resumes reporting changes. Changes during the pause are reported as one change, relative to the
    /// results that were reported last.
    ///
    /// Calling it more often than ``pauseChanges()`` is a programmer error and traps.
    public func resumeChanges() {
        precondition(pauses > 0, "resumeChanges() was called more often than pauseChanges().")
        pauses -= 1
        guard pauses == 0 else { return }
        if let follower { report(follower) }
        preparedResults = nil
    }

    /// Runs a closure whose changes are not reported because the app shows them already, for example a row
    /// that was dragged to its new position.
    ///
    /// The results include these changes nevertheless, and the next change is relative to them. Pending
    /// changes, and commits of other contexts and programs, are reported before `body` runs. Commits of
    /// others while `body` runs cannot be reported as events, which would be relative to results that were
    /// never reported; they cause a reload. While reports are paused, the changes are part of the report at
    /// the end of the pause. During a report, the results include the changes once the report is over; if its
    /// calls make further changes that have to be reported, all of them are reported together.
    ///
    /// - Parameter body: A closure that changes objects of the context, and saves or processes the changes.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public func withoutReporting<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let follower, pauses == 0, !follower.state.isSilent else { return try body() }
        if !follower.state.isReporting, !Mutant.silentOthers.isPlanted { follower.state.becomeDue() }
        report(follower)
        follower.state.beginSilence()
        defer { follower.state.endSilence() }
        return try body()
    }
}
