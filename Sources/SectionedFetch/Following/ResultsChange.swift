public import Foundation
public import ObjectStorage

/// What changed in a controller's results by one commit, one merge, or one
/// ``ObjectStorage/ManagedObjectContext/processPendingChanges()``: the difference between two states of
/// sectioned rows.
///
/// A row or a section is where it was relative to its neighbours, or it moved: being shifted by others is no
/// event. Positions of deletions, and those from which something moved, are positions of the old state;
/// positions of insertions, and those to which something moved, are positions of the new state. To replay a
/// change:
///
/// 1. remove the rows that were deleted or that moved, at their old paths, then the sections, from the end to
///    the beginning;
/// 2. insert the sections that were inserted or that moved, then the rows, from the beginning to the end, at
///    their new paths.
///
/// A section that moves takes its rows along. <doc:Changes> has the rules with their reasons.
public struct ResultsChange: Hashable, Sendable {
    /// What happened to a section or a row.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// It is new.
        case insertion
        /// It is gone.
        case deletion
        /// It has another place among those that stayed, or a row has another section.
        case move
        /// It has its place, and other content: of a section, another name.
        case update
    }

    /// What happened to one section.
    public struct SectionEvent: Hashable, Sendable {
        /// What happened.
        public let kind: Kind
        /// What tells the section apart: ``SectionInfo/identity``.
        public let identity: [UInt8]
        /// What it is called now; of a deleted section, what it was called.
        public let name: String
        /// Its position before; nil for an insertion.
        public let oldPosition: Int?
        /// Its position now; nil for a deletion.
        public let newPosition: Int?
    }

    /// What happened to one row.
    public struct RowEvent: Hashable, Sendable {
        /// What happened.
        public let kind: Kind
        /// The object. One that was saved meanwhile has its permanent identity.
        public let objectID: ObjectID
        /// Its path before; nil for an insertion.
        public let indexPath: IndexPath?
        /// Its path now; nil for a deletion.
        public let newIndexPath: IndexPath?
    }

    /// A section's or a row's event.
    public enum Event: Hashable, Sendable {
        /// Something happened to a section.
        case section(SectionEvent)
        /// Something happened to a row.
        case row(RowEvent)
    }

    /// The sections' events: deletions from the end, insertions, moves and updates from the beginning. A
    /// section that moved and has another name has two.
    public let sectionEvents: [SectionEvent]
    /// The rows' events in the same order. A row has one at most.
    public let rowEvents: [RowEvent]
    /// Whether the rows could not be compared. Then all old sections are reported as deleted and all new ones
    /// as inserted, and no row is reported by itself.
    public let isReload: Bool

    init(sectionEvents: [SectionEvent] = [], rowEvents: [RowEvent] = [], isReload: Bool = false) {
        self.sectionEvents = sectionEvents
        self.rowEvents = rowEvents
        self.isReload = isReload
    }

    /// Whether nothing changed. An empty change is never delivered.
    public var isEmpty: Bool { sectionEvents.isEmpty && rowEvents.isEmpty && !isReload }

    /// All events, in the order in which a delegate hears of them: deleted sections and deleted rows from the
    /// end; inserted sections and inserted rows from the beginning; moves; updates; of each kind the sections
    /// first.
    ///
    /// - Complexity: O(*n*) in the number of events.
    public var events: [Event] {
        [Kind.deletion, .insertion, .move, .update].flatMap { kind in
            sectionEvents.filter { $0.kind == kind }.map(Event.section)
                + rowEvents.filter { $0.kind == kind }.map(Event.row)
        }
    }
}
