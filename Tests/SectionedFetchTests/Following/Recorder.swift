import SectionedFetch

/// A delegate that records its calls as texts.
final class Recorder: FetchedResultsControllerDelegate {
    typealias Object = Item

    private(set) var calls: [String] = []

    /// Returns the calls recorded since this method was last called.
    func take() -> [String] {
        defer { calls = [] }
        return calls
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) { calls.append("will") }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) { calls.append("did") }

    func controller(
        _ controller: FetchedResultsController<Item>, didChangeSection event: ResultsChange.SectionEvent
    ) { calls.append("section \(event.kind)") }

    func controller(
        _ controller: FetchedResultsController<Item>, didChangeObject event: ResultsChange.RowEvent
    ) { calls.append("row \(event.kind)") }

    func controller(
        _ controller: FetchedResultsController<Item>, didChangeContentWith change: ResultsChange
    ) { calls.append("\(change.isReload ? "reload " : "")with \(change.events.count)") }

    func controller(
        _ controller: FetchedResultsController<Item>, didFailToFollowChanges error: ObjectStorageError
    ) { calls.append("error \(error.code.rawValue)") }
}
