import ObjectStorage

/// What a controller knows between two changes, while it follows them.
final class ChangeTracking {
    /// Whether the controller is fetching, or reporting. What is heard meanwhile waits.
    var isBusy = false
    /// Whether the results must be looked at again.
    private(set) var isDue = false
    /// Whether changes are followed without telling anybody.
    var isSilent = false
    /// Whether nobody is to be told of anything that is due.
    private var isDueSilently = false
    /// Why the changes since the last report could not be found out. It stays until they are.
    var updateFailure: ObjectStorageError? {
        didSet { if updateFailure == nil { retry = nil } }
    }
    /// Why the context could not merge what others committed. It stays until the context merged it.
    var mergeFailure: ObjectStorageError?
    private var retry: ChangeRetry?
    /// What the context told of since the results were found: the entities of rows that are gone, and all there is to know of a store
    /// that keeps no log.
    private(set) var heard = StoreChanges()

    /// Takes note of an event.
    ///
    /// - Parameters:
    ///   - request: What the controller shows.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func hear(_ event: ContextEvent, _ request: ResultsRequest, hasUnsavedChanges: Bool) {
        // What failed to be merged before is part of what was merged now.
        if case .merged = event { forgetMergeFailure() }
        switch event {
        case .saved(let changes), .merged(let changes):
            if request.reads(changes) { becomeDue() }
            heard.append(changes)
        case .rolledBack, .processed, .failedToMerge, .reset: break
        }
        // What could not be found out may be by now, whatever this event is about.
        if hasUnsavedChanges || updateFailure != nil { becomeDue() }
    }

    /// Forgets why something could not be merged, now that it was. What is in the new file of a store that was replaced never will be.
    func forgetMergeFailure() {
        if mergeFailure?.code != .storeReplaced { mergeFailure = nil }
    }

    /// Has the results be looked at again.
    func becomeDue() {
        isDueSilently = isSilent && (isDueSilently || !isDue)
        isDue = true
    }

    /// Begins to look at the results.
    ///
    /// - Returns: Whether nobody is to be told of what is found.
    func takeDue() -> Bool {
        defer { (isDue, isDueSilently) = (false, false) }
        return isDueSilently
    }

    /// Begins anew, when the results are what the context shows now.
    func forget() {
        heard = StoreChanges()
        _ = takeDue()
    }

    /// Has the context, which merges continuously, come back to an entity after a while: after a second, then after twice the time, up
    /// to a minute.
    func tryAgainLater(_ context: ManagedObjectContext, _ entityName: String) {
        retry = ChangeRetry(context, entityName, after: retry)
    }
}

/// One more try to follow changes, after a while; none once this is let go.
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
    /// Whether what failed may go well after a while without anybody's changing something in the store.
    var mayPass: Bool { [.storeLocked, .diskFull, .database].contains(code) }
}
