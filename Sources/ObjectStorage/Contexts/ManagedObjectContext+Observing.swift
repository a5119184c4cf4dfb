/// What happened to the objects of a context all at once.
public enum ContextEvent: Hashable, Sendable {
    /// The context's changes are in the store.
    case saved(StoreChanges)
    /// Changes of others are in the context.
    case merged(StoreChanges)
    /// The unsaved changes were forgotten.
    case rolledBack
    /// There are unsaved changes, and an action that made some is over:
    /// ``ManagedObjectContext/processPendingChanges()`` was called, something was undone or redone, or a
    /// child context saved.
    case processed
    /// The context forgot all its objects: ``ManagedObjectContext/reset()``.
    case reset
    /// Changes of others could not be merged while the context merges continuously. They are tried again.
    case failedToMerge(ObjectStorageError)
}

/// Somebody who wants to hear of a context's events.
struct ContextObserver {
    weak var observer: AnyObject?
    let body: (ContextEvent) -> Void
}

extension ManagedObjectContext {
    /// Has `body` called after each save, merge, rollback and reset, and whenever unsaved changes were
    /// processed, in the context's isolation, as long as `observer` lives.
    ///
    /// - Parameters:
    ///   - observer: Whose interest it is. Held weakly, so `body` should hold it weakly, too.
    ///   - body: Called when the objects are as the event says. It may fetch and change objects.
    public func addObserver(_ observer: AnyObject, _ body: @escaping (ContextEvent) -> Void) {
        observers.removeAll { $0.observer == nil }
        observers.append(ContextObserver(observer: observer, body: body))
    }

    /// Calls nothing of `observer` any more.
    public func removeObserver(_ observer: AnyObject) {
        observers.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Tells all observers.
    func notify(_ event: ContextEvent) {
        for observer in observers where observer.observer != nil { observer.body(event) }
    }
}
