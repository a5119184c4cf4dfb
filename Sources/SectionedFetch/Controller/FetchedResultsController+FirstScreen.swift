import InternalUtilities
import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// The description of the results if they are provisional: the first rows of a list whose other rows
    /// ``performFetchInBackground(reportsChange:firstScreen:isolation:)`` computes, or did not compute
    /// because it was cancelled or failed. Nil for a whole list, and before the first fetch.
    public var firstScreen: FirstScreen? { results?.firstScreen }

    /// Begins to compute a first screen on another thread, and shows it unless the whole list is found
    /// earlier.
    ///
    /// - Returns: The cancellation, for the time at which the whole list is found; nil if the controller has
    ///   results or is paused, or if unsaved changes could affect the first rows.
    func computeFirstScreen(_ numberOfRows: Int, on actor: any Actor) -> ReadCancellation? {
        guard results == nil, pauses == 0,
            !fetchRequest.includesPendingChanges
                || !managedObjectContext.hasPendingChanges(to: request.compiled.tableNames)
        else { return nil }
        let computation = FirstScreenComputation(
            fetchRequest: fetchRequest, sectionKey: sectionKey, numberOfRows: numberOfRows)
        let container = managedObjectContext.container
        let cancellation = ReadCancellation()
        let update = FirstScreenUpdate(self, actor, cancellation)
        _ = WorkThread.start("first screen") {
            // The computation of the whole list meets the same errors.
            guard let outcome = try? computation.run(in: container, cancellation) else { return }
            Task { await update.show(outcome) }
        }
        return cancellation
    }

    fileprivate func show(_ screen: FirstScreenComputation<Object>.Outcome) {
        guard results == nil, pauses == 0,
            let empty = try? provisionalResults(
                SectionIndex.Builder().finish(), FirstScreen(sectionCounts: [])),
            let shown = try? provisionalResults(screen.index, screen.description)
        else { return }
        guard hasListeners else {
            results = shown
            return
        }
        startFollowing()
        guard let follower else { return }
        follower.state.showFirstScreen()
        results = empty
        follower.state.beginReport()
        deliver(
            ResultsChange(reloading: empty.shown, as: shown.shown), from: empty, to: shown)
        follower.state.endReport()
        // The delegate may have fetched.
        report(follower)
    }

    private func provisionalResults(
        _ index: SectionIndex, _ description: FirstScreen
    ) throws(ObjectStorageError) -> Results {
        var provisional = try results(Found(index: index, lookup: nil, version: ResultsVersion()))
        provisional.firstScreen = description
        // A report compares these results with the list as it compares results of different requests.
        provisional.requestNumber = -1
        return provisional
    }
}

/// The first screen of a controller, which keeps neither the controller nor its actor alive.
///
/// SAFETY: the controller is accessed only in the actor's isolation.
private final class FirstScreenUpdate<Object: ManagedObject>: @unchecked Sendable {
    private weak var controller: FetchedResultsController<Object>?
    private weak var actor: (any Actor)?
    /// Cancelled when the fetch ends.
    private let cancellation: ReadCancellation
    private let requestNumber: Int

    init(
        _ controller: FetchedResultsController<Object>, _ actor: any Actor, _ cancellation: ReadCancellation
    ) {
        self.controller = controller
        self.actor = actor
        self.cancellation = cancellation
        requestNumber = controller.requestNumber
    }

    func show(_ screen: FirstScreenComputation<Object>.Outcome) async {
        guard let actor else { return }
        await show(screen, isolation: actor)
    }

    private func show(
        _ screen: FirstScreenComputation<Object>.Outcome, isolation: isolated any Actor
    ) async {
        guard let controller, !cancellation.isCancelled, controller.requestNumber == requestNumber else {
            return
        }
        controller.show(screen)
    }
}
