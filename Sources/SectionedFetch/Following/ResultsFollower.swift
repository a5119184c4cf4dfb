import ObjectStorage
import Mutants

/// What a controller knows between two changes, while it follows them.
final class ResultsFollower {
    /// Whether the controller is fetching, or reporting. What is heard meanwhile waits.
    var isBusy = false
    /// Whether the results must be looked at again.
    private(set) var isDue = false
    /// Whether changes are followed without telling anybody.
    var isSilent = false
    /// How what is due is to be told.
    private var telling = Telling.events
    /// Whether something that nobody was to be told of could not be found out, and so is part of what is
    /// found next.
    private var hasUnknownSilence = false
    /// Why the changes since the last report could not be found out. It stays until they are.
    var updateFailure: ObjectStorageError? {
        didSet { if updateFailure == nil { retry = nil } }
    }
    /// Why the context could not merge what others committed. It stays until the context merged it.
    var mergeFailure: ObjectStorageError?
    private var retry: ChangeRetry?
    /// What the context told of since the results were found: the entities of rows that are gone, and all
    /// there is to know of a store that keeps no log.
    private(set) var heard = StoreChanges()
    /// The saves of the context that were too much for the log.
    private(set) var bulkSaves: [StoreChanges] = []
    /// What transactions did that the context told of since the results were found, as far as they did
    /// nothing but update rows.
    private(set) var updates: [TableUpdate] = []
    /// How many of them are kept. Without the others rows are looked for.
    private static let maximumUpdates = 256
    /// Up to how many rows such saves are kept at least. To go through more, most of which the results may
    /// not have, takes longer than to compute the results.
    private static let maximumBulk = 10_000
    /// Whether the store keeps a log.
    private let isTracked: Bool

    init(isTracked: Bool) { self.isTracked = isTracked }

    /// How a change is told.
    enum Telling {
        case events
        /// Not at all, if it is what some saves did: whoever shows the results shows it already.
        case nothing(but: [TableTransition])
        /// Part of it is shown already, and the rest could only be told relative to that.
        case reload
    }

    /// Where some rows of the results stand in the order.
    let sortKeyCache = SortKeyCache()

    /// Takes note of an event.
    ///
    /// - Parameters:
    ///   - request: What the controller shows.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func hear(_ event: ContextEvent, _ request: ResultsRequest, hasUnsavedChanges: @autoclosure () -> Bool) {
        // What failed to be merged before is part of what was merged now.
        if case .merged = event { forgetMergeFailure() }
        switch event {
        case .saved(let changes), .merged(let changes):
            if request.reads(changes) { becomeDue() }
            note(changes, request)
            if isSilent { noteSilently(event, request) }
        case .rolledBack, .processed, .failedToMerge, .reset: break
        }
        // What could not be found out may be by now, whatever this event is about.
        if updateFailure != nil {
            becomeDue()
        } else if !isDue, hasUnsavedChanges() {
            becomeDue()
        }
    }

    private func noteSilently(_ event: ContextEvent, _ request: ResultsRequest) {
        switch event {
        case .saved(let changes):
            if case .nothing(let saves) = telling { telling = .nothing(but: saves + changes.tables) }
        case .merged(let changes) where request.reads(changes):
            if case .nothing = telling { telling = .reload }
        default: break
        }
    }

    /// Takes note of a save that was too much for the log.
    ///
    /// - Parameter threshold: From how many rows of the results on a change is a reload anyway.
    func noteBulkSave(_ event: ContextEvent, threshold: Int) {
        guard case .saved(let changes) = event, changes.replacesLog else { return }
        let count = bulkSaves.reduce(changes.listedCount) { $0 + $1.listedCount }
        if count < max(threshold, Self.maximumBulk) { bulkSaves.append(changes) }
    }

    /// Takes note of a transaction that may leave all rows where they are.
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

    /// Keeps of some changes what the log does not tell, so that what is kept until the next report does not
    /// grow with what the results have nothing to do with.
    private func note(_ changes: StoreChanges, _ request: ResultsRequest) {
        guard isTracked else {
            if request.reads(changes) { heard.append(changes) }
            return
        }
        let model = request.model
        let tableName = model.entity(named: request.request.entityName)?.tableName
        for objectID in changes.deletedObjectIDs
        where model.entity(named: objectID.entityName)?.tableName == tableName {
            heard.deletedObjectIDs.insert(objectID)
        }
        for objectID in changes.refreshedObjectIDs.union(changes.relinkedObjectIDs) {
            guard let name = model.entity(named: objectID.entityName)?.tableName,
                request.compiled.tableNames.contains(name)
            else { continue }
            heard.refreshedObjectIDs.insert(objectID)
        }
    }

    /// Forgets why something could not be merged, now that it was. What is in the new file of a store that
    /// was replaced never will be.
    func forgetMergeFailure() {
        if mergeFailure?.code != .storeReplaced { mergeFailure = nil }
    }

    /// Has the results be looked at again.
    func becomeDue() {
        switch telling {
        case _ where !isDue: telling = isSilent ? .nothing(but: []) : .events
        case .nothing where !isSilent: telling = .events
        case .events, .nothing, .reload: break
        }
        isDue = true
    }

    /// Has the results looked at when changes are followed from now on and not from the fetch on. Without a
    /// log nothing tells which rows changed in between, so the report is a reload.
    func becomeDueLate() {
        isDue = true
        telling = isTracked ? .events : .reload
    }

    /// Begins to look at the results.
    ///
    /// - Returns: How what is found is to be told.
    func takeDue() -> Telling {
        defer { (isDue, telling) = (false, .events) }
        // What could not be found out before is part of it: what was to be told now is to be told with what
        // was not, or the other way round.
        let isMixed = if case .nothing = telling { updateFailure != nil } else { hasUnknownSilence }
        return isMixed ? .reload : telling
    }

    /// Takes note that what was due was found out.
    func noteSuccess() {
        hasUnknownSilence = false
        updateFailure = nil
    }

    /// Takes note that what was to be told in some way could not be found out.
    func noteFailure(of telling: Telling) {
        if case .events = telling { return }
        hasUnknownSilence = true
    }

    /// Begins anew, when the results are what the context shows now.
    func forget() {
        heard = StoreChanges()
        bulkSaves = []
        updates = []
        _ = takeDue()
        hasUnknownSilence = false
    }

    /// Has the context, which merges continuously, come back to an entity after a while: after a second, then
    /// after twice the time, up to a minute.
    func tryAgainLater(_ context: ManagedObjectContext, _ entityName: String) {
        retry = ChangeRetry(context, entityName, after: retry)
    }
}

/// One transaction, or several on end, that did nothing to a table but update rows.
struct TableUpdate {
    /// The properties that were written.
    var properties: Set<String>
    var transition: TableTransition
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
