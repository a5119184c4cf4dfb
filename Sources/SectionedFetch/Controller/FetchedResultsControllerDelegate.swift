public import ObjectStorage

/// Supplies a controller's index titles, and receives its changes.
///
/// Each method has a default implementation, so a delegate implements only the methods that it needs. For
/// each change, ``controllerWillChangeContent(_:)`` is called first, while the results are still the old
/// ones. Then follow the events of sections and rows, in the order of ``ResultsChange/events``, then
/// ``controllerDidChangeContent(_:)`` and the change as a whole. From the first event on, the results are the
/// new ones.
///
/// All methods are called in the context's isolation, during the save, merge or other call that changed
/// something. They may fetch, change objects, save, and release the controller. Changes that arrive meanwhile
/// are reported afterwards.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the controller's objects.
    associatedtype Object: ManagedObject

    /// Whether the controller follows changes for this delegate. False for a delegate that only supplies
    /// index titles.
    var tracksChanges: Bool { get }

    /// Returns the title of a section in an index bar, or nil for the default, the first character of its
    /// name.
    ///
    /// - Parameters:
    ///   - controller: The controller with the section.
    ///   - name: The name of the section, possibly empty.
    func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?

    /// Notifies the delegate that the results are about to change. They are still the old ones.
    ///
    /// - Parameter controller: The controller, which has the old results.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// Notifies the delegate of an event of a section.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - event: The insertion, deletion, move or update of the section, with its old and new positions.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent)

    /// Notifies the delegate of an event of a subsection of nested sections.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - event: The insertion, deletion, move or update of the subsection, with its old and new paths.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeSubsection event: ResultsChange.SubsectionEvent)

    /// Notifies the delegate of an event of a row. ``FetchedResultsController/object(at:)`` returns the row's
    /// object at the event's new path.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - event: The insertion, deletion, move or update of the row, with its old and new paths.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent)

    /// Notifies the delegate that all events of the change were delivered.
    ///
    /// - Parameter controller: The controller, which has the new results.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

    /// Delivers the change as one value, after ``controllerDidChangeContent(_:)``.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - change: All events of the change, in order.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange)

    /// Delivers the new results as a value that marks the rows to show anew. It is the last call of a change.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - snapshot: The new results.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>)

    /// Notifies the delegate that the controller could not compute the changes, or that the context could not
    /// merge commits of other contexts or programs. The results are still the last ones. Any later event of
    /// the context makes the controller try again; the context also tries again by itself.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the last results that it could compute.
    ///   - error: The reason. ``FetchedResultsController/trackingError`` has it, or an earlier one that
    ///     persists.
    func controller(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError)
}

extension FetchedResultsControllerDelegate {
    /// Returns true: the delegate receives changes.
    public var tracksChanges: Bool { true }

    /// Returns nil, which selects the default title.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - name: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? { nil }

    /// Does nothing.
    ///
    /// - Parameter controller: Ignored.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - event: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - event: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeSubsection event: ResultsChange.SubsectionEvent
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - event: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent
    ) {}

    /// Does nothing.
    ///
    /// - Parameter controller: Ignored.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - change: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - snapshot: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - error: Ignored.
    public func controller(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError
    ) {}
}
