public import Foundation
public import ObjectStorage

/// The changes of a controller's results by one commit, one merge, or one
/// ``/ObjectStorage/ManagedObjectContext/processPendingChanges()``: the difference between two states of
/// sectioned rows.
///
/// A row or a section moves only if its order among the others changes; being shifted by others is not an
/// event. Positions of deletions, and origins of moves, are positions in the old state; positions of
/// insertions, and destinations of moves, are positions in the new state. To replay a change:
///
/// 1. remove the rows that were deleted or that moved, at their old paths, then the sections, from the end to
///    the beginning;
/// 2. insert the sections that were inserted or that moved, then the rows, from the beginning to the end, at
///    their new paths.
///
/// A section that moves takes its rows along. Subsections of nested sections are removed after rows and
/// before sections, and inserted after sections and before rows. <doc:FollowingChanges> explains the rules.
public struct ResultsChange: Hashable, Sendable {
    /// The kind of an event.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// The section or row is new.
        case insertion
        /// The section or row no longer exists in the results.
        case deletion
        /// The order among the sections or rows that stayed is another, or the row is in another section.
        case move
        /// The position among the others is the same, and the content is another: for a section, its name.
        case update
    }

    /// A section at the time of an event of a row.
    public struct Section: Hashable, Sendable {
        /// The identity of the section: ``SectionInfo/identity``.
        public let identity: [UInt8]
        /// The name of the section.
        public let name: String

        /// The value by which the rows of the section are grouped, as SQLite stores it; nil without a section
        /// key.
        public var key: StoredValue? { StoredValue(sectionIdentity: identity) }
    }

    /// The event of one section.
    public struct SectionEvent: Hashable, Sendable {
        /// The kind of the event.
        public let kind: Kind
        /// The identity of the section: ``SectionInfo/identity``.
        public let identity: [UInt8]
        /// The name of the section now; for a deleted section, its last name.
        public let name: String
        /// The name before the change; nil for an insertion.
        public let oldName: String?
        /// The title of the section in an index bar now; for a deleted section, its last title.
        public internal(set) var indexTitle: String
        /// The position before the change; nil for an insertion.
        public let oldPosition: Int?
        /// The position after the change; nil for a deletion.
        public let newPosition: Int?
        /// The number of rows before the change; nil for an insertion.
        public let oldNumberOfObjects: Int?
        /// The number of rows after the change; nil for a deletion.
        public let newNumberOfObjects: Int?

        /// The value by which the rows of the section are grouped, as SQLite stores it; nil without a section
        /// key.
        public var key: StoredValue? { StoredValue(sectionIdentity: identity) }
    }

    /// The event of one subsection of nested sections. A subsection belongs to the section of its key, so it
    /// moves only within its section.
    public struct SubsectionEvent: Hashable, Sendable {
        /// The kind of the event.
        public let kind: Kind
        /// The identity of the section that contains the subsection: ``SectionInfo/identity``.
        public let sectionIdentity: [UInt8]
        /// The identity of the subsection in its section.
        public let identity: [UInt8]
        /// The name of the subsection now; for a deleted one, its last name.
        public let name: String
        /// The name before the change; nil for an insertion.
        public let oldName: String?
        /// The title of the subsection now; for a deleted one, its last title.
        public let indexTitle: String
        /// The path before the change, of section and subsection; nil for an insertion.
        public let indexPath: IndexPath?
        /// The path after the change; nil for a deletion.
        public let newIndexPath: IndexPath?
        /// The number of rows before the change; nil for an insertion.
        public let oldNumberOfObjects: Int?
        /// The number of rows after the change; nil for a deletion.
        public let newNumberOfObjects: Int?

        /// The value by which the rows of the subsection are grouped, as SQLite stores it.
        public var key: StoredValue? { StoredValue(sectionIdentity: identity) }
    }

    /// The event of one row.
    public struct RowEvent: Hashable, Sendable {
        /// The kind of the event.
        public let kind: Kind
        /// The ID of the object. It is the permanent one if the object was saved by the change.
        public let objectID: ObjectID
        /// The path before the change; nil for an insertion.
        public let indexPath: IndexPath?
        /// The path after the change; nil for a deletion.
        public let newIndexPath: IndexPath?
        /// The section before the change, with its name at that time; nil for an insertion.
        public internal(set) var oldSection: Section?
        /// The section after the change; nil for a deletion.
        public internal(set) var newSection: Section?
        /// The difference in content; nil for an insertion.
        var difference: RowDifference?
    }

    /// An event of a section or a row.
    public enum Event: Hashable, Sendable {
        /// An event of a section.
        case section(SectionEvent)
        /// An event of a subsection.
        case subsection(SubsectionEvent)
        /// An event of a row.
        case row(RowEvent)
    }

    /// The events of sections: deletions from the end, then insertions, moves and updates from the beginning.
    /// A section that moved and has another name has two events.
    public let sectionEvents: [SectionEvent]
    /// The events of subsections in the same order; empty unless sections are nested. Subsections of deleted
    /// and inserted sections have events as well.
    public let subsectionEvents: [SubsectionEvent]
    /// The events of rows in the same order. A row has at most one. With nested sections, paths have three
    /// components: section, subsection and row.
    public let rowEvents: [RowEvent]
    /// Whether the rows could not be compared. Then all old sections are reported as deleted and all new ones
    /// as inserted, and rows have no events.
    public let isReload: Bool

    init(
        sectionEvents: [SectionEvent] = [], subsectionEvents: [SubsectionEvent] = [],
        rowEvents: [RowEvent] = [], isReload: Bool = false
    ) {
        self.sectionEvents = sectionEvents
        self.subsectionEvents = subsectionEvents
        self.rowEvents = rowEvents
        self.isReload = isReload
    }

    /// Whether nothing changed. An empty change is never delivered.
    public var isEmpty: Bool {
        sectionEvents.isEmpty && subsectionEvents.isEmpty && rowEvents.isEmpty && !isReload
    }

    /// All events, in the order in which a delegate receives them: deleted sections and deleted rows from the
    /// end; inserted sections and inserted rows from the beginning; moves; updates. Within each kind,
    /// sections come first.
    ///
    /// - Complexity: O(*n*) in the number of events.
    public var events: [Event] {
        [Kind.deletion, .insertion, .move, .update].flatMap { kind in
            sectionEvents.filter { $0.kind == kind }.map(Event.section)
                + subsectionEvents.filter { $0.kind == kind }.map(Event.subsection)
                + rowEvents.filter { $0.kind == kind }.map(Event.row)
        }
    }
}
