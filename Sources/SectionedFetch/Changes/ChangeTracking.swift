import ObjectStorage

/// What a controller knows between two changes, while it follows them.
final class ChangeTracking {
    /// Whether the controller is fetching, or reporting. What is heard meanwhile waits.
    var isBusy = false
    /// Whether the results must be looked at again.
    var isDue = false
    /// Whether changes are followed without telling anybody.
    var isSilent = false
    /// Why the changes since the last report could not be found out.
    var failure: ObjectStorageError?
    /// What the context told of since the results were found: the entities of rows that are gone, and all there is to know of a store
    /// that keeps no log.
    private(set) var heard = StoreChanges()
    /// The saves of the context that were too much for the log.
    private(set) var bulkSaves: [StoreChanges] = []
    /// Up to how many rows such saves are kept at least. To go through more, most of which the results may not have, takes longer than
    /// to compute the results.
    private static let maximumBulk = 10_000
    /// Whether the store keeps a log.
    private let isTracked: Bool

    init(isTracked: Bool) { self.isTracked = isTracked }

    /// Where some rows of the results stand in the order.
    let knownPlaces = KnownPlaces()

    /// Takes note of an event.
    ///
    /// - Parameters:
    ///   - request: What the controller shows.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func hear(_ event: ContextEvent, _ request: ResultsRequest, hasUnsavedChanges: @autoclosure () -> Bool) {
        switch event {
        case .saved(let changes), .merged(let changes):
            if request.reads(changes) { isDue = true }
            note(changes, request)
        case .rolledBack, .processed, .failedToMerge: break
        }
        if !isDue, hasUnsavedChanges() { isDue = true }
    }

    /// Takes note of a save that was too much for the log.
    ///
    /// - Parameter threshold: From how many rows of the results on a change is a reload anyway.
    func noteBulkSave(_ event: ContextEvent, threshold: Int) {
        guard case .saved(let changes) = event, changes.replacesLog else { return }
        let count = bulkSaves.reduce(changes.listedCount) { $0 + $1.listedCount }
        if count < max(threshold, Self.maximumBulk) { bulkSaves.append(changes) }
    }

    /// Keeps of some changes what the log does not tell, so that what is kept until the next report does not grow with what the results
    /// have nothing to do with.
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
        for objectID in changes.refreshedObjectIDs {
            guard let name = model.entity(named: objectID.entityName)?.tableName,
                request.compiled.tableNames.contains(name)
            else { continue }
            heard.refreshedObjectIDs.insert(objectID)
        }
    }

    /// Begins anew, when the results are what the context shows now.
    func forget() {
        heard = StoreChanges()
        bulkSaves = []
        isDue = false
    }
}
