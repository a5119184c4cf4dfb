import ObjectStorage

/// A shared delegate as the delegate of one controller, for the duration of a report.
final class SharedDelegateForwarder<Object: ManagedObject>: FetchedResultsControllerDelegate {
    private let shared: any SharedResultsDelegate

    init(_ shared: any SharedResultsDelegate) { self.shared = shared }

    var tracksChanges: Bool { shared.tracksChanges }

    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? { shared.controller(controller, sectionIndexTitleForSectionName: name) }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
        shared.controllerWillChangeContent(controller)
    }

    func controller(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent
    ) { shared.controller(controller, didChangeSection: event) }

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeSubsection event: ResultsChange.SubsectionEvent
    ) { shared.controller(controller, didChangeSubsection: event) }

    func controller(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent
    ) { shared.controller(controller, didChangeObject: event) }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
        shared.controllerDidChangeContent(controller)
    }

    func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
    ) { shared.controller(controller, didChangeContentWith: change) }

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>
    ) { shared.controller(controller, didChangeContentWith: snapshot) }

    func controller(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError
    ) { shared.controller(controller, didFailToFollowChanges: error) }
}
