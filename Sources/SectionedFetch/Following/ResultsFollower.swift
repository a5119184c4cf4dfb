import ObjectStorage
import Mutants

/// The state that a controller keeps from one change to the next while it follows changes.
///
/// Each change passes three stages: *record* (an event of the context arrives), *compare* (the results are
/// compared with the store) and *deliver* (the change is reported).
final class ResultsFollower {
    /// Whether the controller is fetching or reporting. Events that arrive meanwhile are reported afterwards.
    var isBusy = false
    /// Whether changes are followed without being reported.
    var isSilent = false
    /// The changes since the results were found.
    private(set) var changes: ChangeRecord
    /// The sort keys of some rows of the results.
    let sortKeyCache = SortKeyCache()
    private var state = FollowingState.current
    /// Whether a change that was not to be reported could not be computed. The next change then contains it.
    private var hasUnknownSilence = false
    /// The error that prevented the changes since the last report from being computed. It stays until they
    /// have been computed.
    var updateFailure: ObjectStorageError? {
        didSet { if updateFailure == nil { retry = nil } }
    }
    /// The error that prevented the context from merging commits of other contexts or programs. It stays
    /// until the context has merged them.
    var mergeFailure: ObjectStorageError?
    private var retry: ChangeRetry?

    init(isTracked: Bool) { changes = ChangeRecord(isTracked: isTracked) }

    /// Whether the results must be compared with the store again.
    var isDue: Bool { state.isDue }

    // MARK: Recording

    /// Records an event.
    ///
    /// - Parameters:
    ///   - request: The request that the controller shows.
    ///   - reloadThreshold: The number of changed rows from which on a change is a reload.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func record(
        _ event: ContextEvent, _ request: ResultsRequest, reloadThreshold: Int,
        hasUnsavedChanges: @autoclosure () -> Bool
    ) {
        switch event {
        case .saved(let save):
            changes.addBulkSave(save, threshold: reloadThreshold)
            record(save, request)
            if isSilent { state.addSilentSave(save) }
        case .merged(let merge):
            // A merge includes the commits that could not be merged before.
            forgetMergeFailure()
            record(merge, request)
            if isSilent, request.reads(merge) { state.addSilentMerge() }
        case .rolledBack, .processed, .failedToMerge, .reset: break
        }
        // After a failure, any event is an occasion to try again.
        if updateFailure != nil {
            becomeDue()
        } else if !isDue, hasUnsavedChanges() {
            becomeDue()
        }
    }

    private func record(_ committed: StoreChanges, _ request: ResultsRequest) {
        changes.addUpdate(committed)
        if request.reads(committed) { becomeDue() }
        changes.add(committed, to: request)
    }

    /// Clears the merge failure after a merge. The failure of a store whose file was replaced stays, because
    /// the contents of the new file are never merged.
    func forgetMergeFailure() {
        if mergeFailure?.code != .storeReplaced { mergeFailure = nil }
    }

    /// Marks the results as due for comparison with the store.
    func becomeDue() { state.becomeDue(isSilent: isSilent) }

    /// Marks the results as due when following begins later than the fetch. Without a log the rows that
    /// changed in between are unknown, so the report is a reload.
    func becomeDueLate() { state = .due(changes.isTracked ? .events : .reload) }

    // MARK: Comparing

    /// Begins a comparison: the results are no longer due.
    ///
    /// - Returns: The style in which the change is reported.
    func beginComparison() -> FollowingState.ReportStyle {
        let style = state.take()
        // After a failure this change contains the earlier one as well. If one of them is reported and the
        // other is not, only a reload is correct.
        let isMixed = if case .nothing = style { updateFailure != nil } else { hasUnknownSilence }
        return isMixed ? .reload : style
    }

    /// Records that the change was computed.
    func noteSuccess() {
        hasUnknownSilence = false
        updateFailure = nil
    }

    /// Records that a change which is reported in some style could not be computed.
    func noteFailure(of style: FollowingState.ReportStyle) {
        if case .events = style { return }
        hasUnknownSilence = true
    }

    /// Resets the state when the results have just been found.
    func forget() {
        changes.removeAll()
        state = .current
        hasUnknownSilence = false
    }

    /// Makes the context, which merges continuously, process an entity again after a delay: one second, then
    /// twice the previous delay, at most one minute.
    func tryAgainLater(_ context: ManagedObjectContext, _ entityName: String) {
        retry = ChangeRetry(context, entityName, after: retry)
    }
}

/// A scheduled retry of following changes. Releasing it cancels the retry.
private final class ChangeRetry {
    private let seconds: Int
    private let task: Task<Void, Never>

    init(_ context: ManagedObjectContext, _ entityName: String, after former: ChangeRetry?) {
        seconds = former.map { min(2 * $0.seconds, 60) } ?? 1
        task = context.mergeAgain([entityName], after: .seconds(seconds))
    }

    deinit { task.cancel() }
}

extension ObjectStorageError {
    /// Whether the operation may succeed later without a change to the store.
    var mayPass: Bool { [.storeLocked, .diskFull, .database].contains(code) }
}
