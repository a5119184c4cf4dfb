import ObjectStorage

/// What a controller knows between two changes, while it follows them.
final class ChangeTracking {
    /// Whether the controller is fetching, or reporting. What is heard meanwhile waits.
    var isBusy = false
    /// Whether the results must be looked at again.
    var isDue = false
    /// Why the changes since the last report could not be found out.
    var failure: ObjectStorageError?
    /// What was heard since the results were found, as far as its objects show something else.
    private(set) var heard = StoreChanges()
    /// The objects that had unsaved changes when the results were found, and what they showed.
    private var shown: [ManagedObject: ObjectContent] = [:]
    private let context: ManagedObjectContext
    private let request: ResultsRequest
    private let includesPendingChanges: Bool

    init(of context: ManagedObjectContext, _ request: ResultsRequest, includesPendingChanges: Bool) {
        self.context = context
        self.request = request
        self.includesPendingChanges = includesPendingChanges
        forget()
    }

    /// Takes note of an event.
    func hear(_ event: ContextEvent) {
        switch event {
        case .saved(let changes), .merged(let changes):
            if request.reads(changes) { isDue = true }
            heard.append(withoutShown(changes))
        case .rolledBack, .processed, .failedToMerge: break
        }
        if request.reads(news) { isDue = true }
    }

    /// What was heard, and the unsaved changes that were made since the results were found.
    var news: StoreChanges {
        var news = heard
        guard includesPendingChanges else { return news }
        var changed: Set<ObjectID> = []
        for (object, content) in shown where !content.isShown(by: object) { changed.insert(object.objectID) }
        for object in context.contentsOfChangedObjects().keys where shown[object] == nil {
            changed.insert(object.objectID)
        }
        news.append(StoreChanges(updatedObjectIDs: changed))
        return news
    }

    /// Begins anew, when the results are what the context shows now.
    func forget() {
        heard = StoreChanges()
        shown = includesPendingChanges ? context.contentsOfChangedObjects() : [:]
    }

    /// The changes without those that the results had before they were saved.
    private func withoutShown(_ changes: StoreChanges) -> StoreChanges {
        var changes = changes
        for (object, content) in shown where content.isShown(by: object) {
            changes.insertedObjectIDs.remove(object.objectID)
            changes.updatedObjectIDs.remove(object.objectID)
        }
        return changes
    }
}

extension ResultsRequest {
    /// Whether changes may concern the answer.
    fileprivate func reads(_ changes: StoreChanges) -> Bool {
        let entities = changes.entityNames.compactMap(model.entity(named:))
        return compiled.tableNames.contains { name in
            entities.contains { $0.tableName == name } || model.entities.allSatisfy { $0.tableName != name }
        }
    }
}
