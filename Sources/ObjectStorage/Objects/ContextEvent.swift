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
