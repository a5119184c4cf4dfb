import SectionedFetch

/// A delegate that counts the changes.
final class CountingListener: FetchedResultsControllerDelegate {
    typealias Object = ManagedObject
    private(set) var changes = 0

    func controller(
        _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith change: ResultsChange
    ) { changes += 1 }
}
