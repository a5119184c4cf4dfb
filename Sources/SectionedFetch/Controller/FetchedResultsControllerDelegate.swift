public import ObjectStorage

/// Supplies a controller's index titles, and hears of changes.
///
/// Each method has a default, so a delegate has those that it needs. For one change,
/// ``controllerWillChangeContent(_:)`` comes first: the results are still the old ones. Then come the events
/// of sections and rows, in the order of ``ResultsChange/events``, then ``controllerDidChangeContent(_:)``
/// and the change as a whole; from the first event on the results are the new ones.
///
/// All methods are called in the context's isolation, in the middle of the save, merge or other call that
/// changed something. They may fetch, change objects, save, and release the controller. What changes
/// meanwhile is reported afterwards.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the controller's objects.
    associatedtype Object: ManagedObject

    /// Whether the controller should follow changes for this delegate. False for one that only supplies index
    /// titles.
    var tracksChanges: Bool { get }

    /// The title of a section in an index bar, or nil for the default, the first character of its name.
    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?

    /// The results are about to change. They are still the old ones.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// Something happened to a section.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent)

    /// Something happened to a row. What it shows, ``FetchedResultsController/object(at:)`` has at the
    /// event's new path.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent)

    /// All events of the change were told.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

    /// The results changed, once more as one value, after ``controllerDidChangeContent(_:)``.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange)

    /// The results changed, with what they are now as a value and marks at the rows to show anew; the last of
    /// all.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>)

    /// The controller could not find out what changed, or the context could not merge what others committed,
    /// and the results are still the last ones. Any next event of the context makes the controller try again;
    /// the context tries again by itself.
    func controller(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError)
}

extension FetchedResultsControllerDelegate {
    /// True.
    public var tracksChanges: Bool { true }

    /// The default title.
    public func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? { nil }

    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError
    ) {}
}
