/// A change to many objects of a context at once, reported to its observers.
public enum ContextEvent: Hashable, Sendable {
    /// A save wrote the context's changes to the store.
    case saved(StoreChanges)
    /// Changes that were committed elsewhere were merged into the context.
    case merged(StoreChanges)
    /// The unsaved changes were discarded.
    case rolledBack
    /// An action that made unsaved changes is complete: ``ManagedObjectContext/processPendingChanges()`` was
    /// called, something was undone or redone, or a child context saved.
    case processed
    /// ``ManagedObjectContext/reset()`` removed all objects from the context.
    case reset
    /// A continuous merge of changes that were committed elsewhere failed. It is retried.
    case failedToMerge(ObjectStorageError)
}

/// An observer of a context's events, held weakly.
struct ContextObserver {
    weak var observer: AnyObject?
    let body: (ContextEvent) -> Void
}
