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

    /// Where some rows of the results stand in the order.
    let knownPlaces = KnownPlaces()

    /// Takes note of an event.
    ///
    /// - Parameters:
    ///   - request: What the controller shows.
    ///   - hasUnsavedChanges: Whether unsaved changes are part of the results, or may be.
    func hear(_ event: ContextEvent, _ request: ResultsRequest, hasUnsavedChanges: Bool) {
        switch event {
        case .saved(let changes), .merged(let changes):
            if request.reads(changes) { isDue = true }
            heard.append(changes)
        case .rolledBack, .processed, .failedToMerge: break
        }
        if hasUnsavedChanges { isDue = true }
    }

    /// Begins anew, when the results are what the context shows now.
    func forget() {
        heard = StoreChanges()
        isDue = false
    }
}
