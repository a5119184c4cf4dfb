import ObjectStorage
import Mutants

/// A controller's record of changes, and its state, while it follows them.
///
/// Each change passes three stages: *record* (an event of the context arrives), *compare* (the results are
/// compared with the store) and *deliver* (the change is reported).
final class ResultsFollower {
    /// The state, which the controller moves by its transitions.
    var state = FollowingState() {
        didSet { if state.comparisonFailure == nil { retry = nil } }
    }
    /// The changes since the results were found.
    private(set) var changes: ChangeRecord
    /// Whether another thread computes a change.
    private(set) var isComputing = false
    /// The changes before another thread began to compute, which its results contain.
    private var earlierChanges: ChangeRecord?
    /// The shorter of the times that the last two fetches of a window took, so that a single fetch that the
    /// machine delayed has no effect.
    private(set) var windowDuration = Duration.zero
    private var lastWindowFetch = Duration.zero
    /// Whether the index of all rows cannot be used for a window.
    var cannotFollowAllRows = false
    /// The sort keys of some rows of the results.
    let sortKeyCache = SortKeyCache()
    private var retry: ChangeRetry?

    init(isTracked: Bool) { changes = ChangeRecord(isTracked: isTracked) }

    /// Records an event.
    ///
    /// - Parameters:
    ///   - request: The request that the controller shows.
    ///   - reloadThreshold: The number of changed rows at which a change is a reload.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func record(
        _ event: ContextEvent, _ request: ResultsRequest, reloadThreshold: Int,
        hasUnsavedChanges: @autoclosure () -> Bool
    ) {
        switch event {
        case .saved(let save):
            changes.addBulkSave(save, threshold: reloadThreshold)
            record(save, request)
            state.saved(save)
        case .merged(let merge):
            state.merged()
            record(merge, request)
            if request.reads(merge) { state.mergedRows() }
        case .rolledBack, .processed, .failedToMerge, .reset: break
        }
        // After a failure, any event is an occasion to try again.
        if state.comparisonFailure != nil || (!state.isDue && hasUnsavedChanges()) { state.becomeDue() }
    }

    private func record(_ committed: StoreChanges, _ request: ResultsRequest) {
        changes.addUpdate(committed)
        if request.reads(committed) { state.becomeDue() }
        changes.add(committed, to: request)
    }

    /// Marks the results as due when following begins later than the fetch. Without a log the rows that
    /// changed in between are unknown, so the report is a reload.
    func becomeDueLate() { state.becomeDue(changes.isTracked ? .events : .reload) }

    /// The changes that another thread computes with.
    var announcedChanges: ChangeRecord { earlierChanges ?? changes }

    /// Begins the computation of another thread, whose results contain the changes recorded so far.
    func beginComputing() {
        isComputing = true
        earlierChanges = changes
        changes.removeAll()
    }

    /// Ends the computation of another thread.
    ///
    /// - Parameter areShown: Whether its results are shown. Otherwise the next change contains the earlier
    ///   changes.
    func endComputing(areShown: Bool) {
        isComputing = false
        if !areShown { recallChanges() }
        earlierChanges = nil
    }

    /// Adds the changes before another thread began to compute to the record, for a change that is computed
    /// without waiting for the thread.
    func recallChanges() {
        if let earlierChanges { changes.prepend(earlierChanges) }
        earlierChanges = nil
    }

    /// Discards the record when the results have just been found.
    func forget() {
        changes.removeAll()
        earlierChanges = nil
        state.foundAnew()
    }

    /// Notes the time that a fetch of a window took.
    func noteWindowFetch(_ duration: Duration) {
        windowDuration = min(lastWindowFetch, duration)
        lastWindowFetch = duration
    }

    /// Makes the context, which merges continuously, process some entities again after a delay: one second,
    /// then twice the previous delay, at most one minute.
    func tryAgainLater(_ context: ManagedObjectContext, _ entityNames: Set<String>) {
        retry = ChangeRetry(context, entityNames, after: retry)
    }
}

/// A scheduled retry of following changes. Releasing it cancels the retry.
private final class ChangeRetry {
    private let seconds: Int
    private let task: Task<Void, Never>

    init(_ context: ManagedObjectContext, _ entityNames: Set<String>, after previous: ChangeRetry?) {
        seconds = previous.map { min(2 * $0.seconds, 60) } ?? 1
        task = context.mergeAgain(entityNames, after: .seconds(seconds))
    }

    deinit { task.cancel() }
}

extension ObjectStorageError {
    /// Whether the operation may succeed later without a change to the store.
    var mayPass: Bool { [.storeLocked, .diskFull, .database].contains(code) }
}
