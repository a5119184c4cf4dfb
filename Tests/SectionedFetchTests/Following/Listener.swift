import SectionedFetch

/// A delegate that keeps the reports of a controller, and calls `will` before each change.
final class Listener<Object: ManagedObject>: FetchedResultsControllerDelegate {
    var will: ((FetchedResultsController<Object>) -> Void)?
    /// A controller to keep as long as the listener.
    var controller: FetchedResultsController<Object>?
    private(set) var changes: [ResultsChange] = []
    private(set) var snapshots: [ResultsSnapshot<Object>] = []
    private(set) var errors: [ObjectStorageError] = []

    /// Removes the changes so far.
    func forget() { changes = [] }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) { will?(controller) }

    func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
    ) { changes.append(change) }

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>
    ) { snapshots.append(snapshot) }

    func controller(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError
    ) { errors.append(error) }
}
