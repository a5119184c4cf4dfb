public import ObjectStorage

/// Receives the changes of controllers of different classes of objects, and supplies their index titles.
///
/// A ``FetchedResultsControllerDelegate`` belongs to controllers of one class. One object can receive the
/// changes of any controllers as their ``FetchedResultsController/sharedDelegate``:
///
/// ```swift
/// final class Sidebar: SharedResultsDelegate {
///     func controller<Object>(
///         _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
///     ) {
///         if controller === albums { showAlbums(change) } else { showArtists(change) }
///     }
/// }
/// ```
///
/// The methods, the order of their calls and the actions allowed in them are those of
/// ``FetchedResultsControllerDelegate``. A controller's ``FetchedResultsController/delegate`` receives each
/// call first.
public protocol SharedResultsDelegate: AnyObject {
    /// Whether controllers follow changes for this delegate. False for a delegate that only supplies index
    /// titles.
    var tracksChanges: Bool { get }

    /// Returns the title of a section in an index bar, or nil for the default, the first character of its
    /// name. The controller's ``FetchedResultsController/delegate`` answers first.
    ///
    /// - Parameters:
    ///   - controller: The controller with the section.
    ///   - name: The name of the section, possibly empty.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String?

    /// Notifies the delegate that the results are about to change.
    ///
    /// - Parameter controller: The controller, which has the old results.
    func controllerWillChangeContent<Object: ManagedObject>(_ controller: FetchedResultsController<Object>)

    /// Notifies the delegate of an event of a section.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - event: The insertion, deletion, move or update of the section, with its old and new positions.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent)

    /// Notifies the delegate of an event of a subsection of nested sections.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - event: The insertion, deletion, move or update of the subsection, with its old and new paths.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>,
        didChangeSubsection event: ResultsChange.SubsectionEvent)

    /// Notifies the delegate of an event of a row. ``FetchedResultsController/object(at:)`` returns the row's
    /// object at the event's new path.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - event: The insertion, deletion, move or update of the row, with its old and new paths.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent)

    /// Notifies the delegate that all events of the change were delivered.
    ///
    /// - Parameter controller: The controller, which has the new results.
    func controllerDidChangeContent<Object: ManagedObject>(_ controller: FetchedResultsController<Object>)

    /// Delivers the change as one value, after ``controllerDidChangeContent(_:)``.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - change: All events of the change, in order.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange)

    /// Delivers the new results as a value that marks the rows to show again. This is the last call of a
    /// change.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the new results.
    ///   - snapshot: The new results.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>)

    /// Notifies the delegate that the controller could not compute the changes, or that the context could not
    /// merge commits of other contexts or programs, as
    /// ``FetchedResultsControllerDelegate/controller(_:didFailToFollowChanges:)`` does.
    ///
    /// - Parameters:
    ///   - controller: The controller, which has the last results that it could compute.
    ///   - error: The reason. ``FetchedResultsController/trackingError`` has it, or an earlier one that
    ///     persists.
    func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError)
}

extension SharedResultsDelegate {
    /// Returns true: the delegate receives changes.
    public var tracksChanges: Bool { true }

    /// Returns nil, which selects the default title.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - name: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? { nil }

    /// Does nothing.
    ///
    /// - Parameter controller: Ignored.
    public func controllerWillChangeContent<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - event: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - event: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>,
        didChangeSubsection event: ResultsChange.SubsectionEvent
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - event: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent
    ) {}

    /// Does nothing.
    ///
    /// - Parameter controller: Ignored.
    public func controllerDidChangeContent<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - change: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - snapshot: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: ResultsSnapshot<Object>
    ) {}

    /// Does nothing.
    ///
    /// - Parameters:
    ///   - controller: Ignored.
    ///   - error: Ignored.
    public func controller<Object: ManagedObject>(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError
    ) {}
}
