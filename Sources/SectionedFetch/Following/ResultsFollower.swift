import ObjectStorage
import Mutants

/// The state that a controller keeps from one change to the next while it follows changes.
final class ResultsFollower {
    /// Whether the controller is fetching or reporting. Events that arrive meanwhile are reported afterwards.
    var isBusy = false
    /// Whether the results must be compared with the store again.
    private(set) var isDue = false
    /// Whether changes are followed without being reported.
    var isSilent = false
    /// How the change that is due is reported.
    private var reportStyle = ReportStyle.events
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
    /// The part of the context's events since the results were found that the log does not contain: object
    /// IDs of deleted rows, which name their entities, and of refreshed objects. In a store without a log,
    /// all changes that concern the request.
    private(set) var recordedChanges = StoreChanges()
    /// The context's saves of more rows than the log holds.
    private(set) var bulkSaves: [StoreChanges] = []
    /// The transactions, from the context's events since the results were found, that only updated rows.
    private(set) var updates: [TableUpdate] = []
    /// The maximum number of ``updates``. The rows of further transactions are looked up.
    private static let maximumUpdates = 256
    /// The number of rows up to which ``bulkSaves`` are kept even if the reload threshold is lower. Going
    /// through more rows, most of which may not be in the results, takes longer than computing the results.
    private static let maximumBulk = 10_000
    /// Whether the store keeps a change log.
    private let isTracked: Bool

    init(isTracked: Bool) { self.isTracked = isTracked }

    /// How a change is reported.
    enum ReportStyle {
        case events
        /// Not at all if it consists of these saves, because the app shows their changes already.
        case nothing(but: [TableTransition])
        /// As a reload: the app shows part of the change already, and events could only be relative to that
        /// part.
        case reload
    }

    /// The sort keys of some rows of the results.
    let sortKeyCache = SortKeyCache()

    /// Records an event.
    ///
    /// - Parameters:
    ///   - request: The request that the controller shows.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func record(_ event: ContextEvent, _ request: ResultsRequest, hasUnsavedChanges: @autoclosure () -> Bool)
    {
        // A merge includes the commits that could not be merged before.
        if case .merged = event { forgetMergeFailure() }
        switch event {
        case .saved(let changes), .merged(let changes):
            if request.reads(changes) { becomeDue() }
            note(changes, request)
            if isSilent { noteSilently(event, request) }
        case .rolledBack, .processed, .failedToMerge, .reset: break
        }
        // After a failure, any event is an occasion to try again.
        if updateFailure != nil {
            becomeDue()
        } else if !isDue, hasUnsavedChanges() {
            becomeDue()
        }
    }

    private func noteSilently(_ event: ContextEvent, _ request: ResultsRequest) {
        switch event {
        case .saved(let changes):
            if case .nothing(let saves) = reportStyle { reportStyle = .nothing(but: saves + changes.tables) }
        case .merged(let changes) where request.reads(changes):
            if case .nothing = reportStyle { reportStyle = .reload }
        default: break
        }
    }

    /// Records a save of more rows than the log holds.
    ///
    /// - Parameter threshold: The number of changed rows of the results from which on a change is a reload.
    func noteBulkSave(_ event: ContextEvent, threshold: Int) {
        guard case .saved(let changes) = event, changes.replacesLog else { return }
        let count = bulkSaves.reduce(changes.listedCount) { $0 + $1.listedCount }
        if count < max(threshold, Self.maximumBulk) { bulkSaves.append(changes) }
    }

    /// Records a transaction that may leave all rows at their positions.
    func noteUpdate(_ event: ContextEvent) {
        let changes: StoreChanges
        switch event {
        case .saved(let saved): changes = saved
        case .merged(let merged): changes = merged
        case .rolledBack, .processed, .failedToMerge, .reset: return
        }
        guard let properties = changes.updatedProperties else { return }
        for transition in changes.tables {
            if let last = updates.last?.transition, last.tableName == transition.tableName,
                let after = last.after,
                after == transition.before
            {
                updates[updates.count - 1].transition.after = transition.after
                updates[updates.count - 1].properties.formUnion(properties)
            } else if updates.count < Self.maximumUpdates {
                updates.append(TableUpdate(properties: properties, transition: transition))
            }
        }
    }

    /// Records the part of a change that the log does not contain, so that the memory in use until the next
    /// report does not grow with changes that do not concern the results.
    private func note(_ changes: StoreChanges, _ request: ResultsRequest) {
        guard isTracked else {
            if request.reads(changes) { recordedChanges.append(changes) }
            return
        }
        let model = request.model
        let tableName = model.entity(named: request.request.entityName)?.tableName
        for objectID in changes.deletedObjectIDs
        where model.entity(named: objectID.entityName)?.tableName == tableName {
            recordedChanges.deletedObjectIDs.insert(objectID)
        }
        for objectID in changes.refreshedObjectIDs.union(changes.relinkedObjectIDs) {
            guard let name = model.entity(named: objectID.entityName)?.tableName,
                request.compiled.tableNames.contains(name)
            else { continue }
            recordedChanges.refreshedObjectIDs.insert(objectID)
        }
    }

    /// Clears the merge failure after a merge. The failure of a store whose file was replaced stays, because
    /// the contents of the new file are never merged.
    func forgetMergeFailure() {
        if mergeFailure?.code != .storeReplaced { mergeFailure = nil }
    }

    /// Marks the results as due for comparison with the store.
    func becomeDue() {
        switch reportStyle {
        case _ where !isDue: reportStyle = isSilent ? .nothing(but: []) : .events
        case .nothing where !isSilent: reportStyle = .events
        case .events, .nothing, .reload: break
        }
        isDue = true
    }

    /// Marks the results as due when following begins later than the fetch. Without a log the rows that
    /// changed in between are unknown, so the report is a reload.
    func becomeDueLate() {
        isDue = true
        reportStyle = isTracked ? .events : .reload
    }

    /// Begins a comparison: the results are no longer due.
    ///
    /// - Returns: How the change that is found is reported.
    func takeDue() -> ReportStyle {
        defer { (isDue, reportStyle) = (false, .events) }
        // After a failure this change contains the earlier one as well. If one of them is reported and the
        // other is not, only a reload is correct.
        let isMixed = if case .nothing = reportStyle { updateFailure != nil } else { hasUnknownSilence }
        return isMixed ? .reload : reportStyle
    }

    /// Records that the change was computed.
    func noteSuccess() {
        hasUnknownSilence = false
        updateFailure = nil
    }

    /// Records that a change which is reported in some way could not be computed.
    func noteFailure(of reportStyle: ReportStyle) {
        if case .events = reportStyle { return }
        hasUnknownSilence = true
    }

    /// Resets the state when the results have just been found.
    func forget() {
        recordedChanges = StoreChanges()
        bulkSaves = []
        updates = []
        _ = takeDue()
        hasUnknownSilence = false
    }

    /// Makes the context, which merges continuously, process an entity again after a delay: one second, then
    /// twice the previous delay, at most one minute.
    func tryAgainLater(_ context: ManagedObjectContext, _ entityName: String) {
        retry = ChangeRetry(context, entityName, after: retry)
    }
}

/// One transaction, or several consecutive ones, that only updated rows of one table.
struct TableUpdate {
    /// The properties that were written.
    var properties: Set<String>
    var transition: TableTransition
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
