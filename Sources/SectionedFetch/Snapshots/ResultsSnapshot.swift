public import Foundation
public import ObjectStorage
import SectionCaching

/// A controller's results at one moment: an immutable value with sections of object IDs.
///
/// A snapshot may be used on any thread. Object IDs are read when they are accessed; ``objects(in:)`` returns
/// the objects in a context of the caller.
///
/// A row never becomes another row, but it can be lost. The rows of a list that came from the cache are read
/// into memory soon after the fetch. If another program replaces or deletes the cache entry before that and
/// the data change, the rows have an ID that no object has, and ``readError`` has the reason.
///
/// ```swift
/// func controller(_ controller: FetchedResultsController<Song>, didChangeContentWith snapshot:
/// ResultsSnapshot<Song>) {
///     for (position, section) in snapshot.enumerated() { show(section.name, section.count, at: position) }
///     reload(snapshot.reloadedObjectIDs)
/// }
/// ```
public struct ResultsSnapshot<Object: ManagedObject>: RandomAccessCollection, Sendable {
    let sections: ShownSections
    let identities: SnapshotIdentities
    private let lookup: SectionLookup
    private let fetchRequest: FetchRequest<Object>
    /// The IDs of updated and moved objects, whose rows must be shown anew because they may differ from those
    /// in the snapshot before. Empty in a snapshot that was not delivered with a change.
    public private(set) var reloadedObjectIDs: Set<ObjectID>
    /// The identities of the sections whose name differs from that in the snapshot before.
    public private(set) var reloadedSectionIdentities: Set<[UInt8]>
    /// Whether the rows could not be compared with those of the snapshot before, so that everything must be
    /// shown anew.
    public private(set) var isReload: Bool

    init(
        _ sections: ShownSections, _ identities: SnapshotIdentities, of fetchRequest: FetchRequest<Object>,
        after change: ResultsChange?
    ) {
        self.sections = sections
        lookup = SectionLookup(sections)
        self.identities = identities
        self.fetchRequest = fetchRequest
        var objectIDs: Set<ObjectID> = []
        for event in change?.rowEvents ?? [] where event.kind == .update || event.kind == .move {
            objectIDs.insert(event.objectID)
        }
        reloadedObjectIDs = objectIDs
        var sections: Set<[UInt8]> = []
        for event in change?.sectionEvents ?? [] where event.kind == .update {
            sections.insert(event.identity)
        }
        reloadedSectionIdentities = sections
        isReload = change?.isReload ?? false
    }

    /// Returns the snapshot with other marks.
    func marked(
        _ objectIDs: Set<ObjectID>, _ sectionIdentities: Set<[UInt8]>, isReload: Bool
    ) -> ResultsSnapshot {
        var marked = self
        marked.reloadedObjectIDs = objectIDs
        marked.reloadedSectionIdentities = sectionIdentities
        marked.isReload = isReload
        return marked
    }

    /// The reason why accessed rows could not be read: their cache entry no longer exists and the data
    /// changed since (``ObjectStorage/ObjectStorageError/Code/rowsLost``), or the store could not be read.
    /// Nil if no access failed.
    public var readError: ObjectStorageError? { identities.failure }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { sections.count }
    /// The number of rows in all sections.
    public var numberOfRows: Int { sections.index.numberOfRows }

    /// The section at a position.
    ///
    /// - Parameter position: A position from 0 to the number of sections − 1. Any other traps.
    /// - Complexity: O(1), plus O(*s*) in the number of its subsections.
    public subscript(position: Int) -> Section {
        precondition(
            indices.contains(position),
            "Section \(position) is outside the \(count) sections of the snapshot.")
        var section = Section(sections.section(at: position), identities)
        if sections.isNested {
            section.subsections = sections.subsections(of: position).map {
                Section(sections.subsection(at: $0), identities)
            }
        }
        return section
    }

    /// The first section with a name; nil if no section has it.
    ///
    /// - Parameter name: The name of a section, possibly empty.
    /// - Complexity: O(1) on average. The first look-up in a snapshot reads the name of each section.
    public subscript(name name: String) -> Section? { lookup.position(ofName: name).map { self[$0] } }

    /// The section with an identity; nil if no section has it.
    ///
    /// - Parameter identity: The bytes that identify the section, as ``ResultsSnapshot/Section/identity`` has
    ///   them.
    /// - Complexity: As ``subscript(name:)``.
    public subscript(id identity: [UInt8]) -> Section? {
        lookup.position(ofIdentity: identity).map { self[$0] }
    }

    /// Returns the ID of the object at a path, or nil if the path is outside the snapshot.
    ///
    /// - Parameter indexPath: A path with a section and a row in it or, in nested sections, a section, a
    ///   subsection and a row.
    /// - Returns: The ID. For a lost row it is one that no object has, and ``readError`` has the reason.
    /// - Complexity: O(1), plus reading a batch of keys if they were not read yet.
    public func objectID(at indexPath: IndexPath) -> ObjectID? {
        sections.row(at: indexPath).map { identities[$0] }
    }

    /// Returns the path of an object, or nil if the object is not in the snapshot or the rows are lost.
    ///
    /// - Parameter objectID: The ID of the object. The temporary ID of an object that was unsaved in the
    ///   results is valid as well.
    /// - Complexity: O(*n*) in the number of rows: a scan of their keys.
    public func indexPath(for objectID: ObjectID) -> IndexPath? {
        guard let position = identities.position(of: objectID) else { return nil }
        let section = sections.position(containing: position)
        return IndexPath(row: position - sections.rows(of: section).lowerBound, section: section)
    }

    /// Returns the objects of all sections in order, in a context, read in batches when they are accessed.
    ///
    /// Unsaved objects that the context does not have, and objects of lost rows, have a
    /// ``/ObjectStorage/ManagedObject/readError`` with the reason.
    ///
    /// - Parameter context: A context of the same store. It need not be the controller's.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the context's model describes the entity by
    ///   another class, or the store cannot be read.
    /// - Complexity: O(*u*) in the number of unsaved objects of the results, plus reading a batch of rows
    ///   when one of its objects is accessed.
    public func objects(in context: ManagedObjectContext) throws(ObjectStorageError) -> FetchedObjects<Object>
    {
        let rows = identities.rows
        return try FetchedObjects(
            count: sections.index.numberOfRows, request: fetchRequest, context: context,
            provisionalObjects: identities.unsavedObjects(in: context), keys: rows.keys(in:))
    }
}

extension ResultsSnapshot {
    /// One section of a snapshot: the IDs of its objects.
    public struct Section: RandomAccessCollection, Identifiable, Sendable {
        /// The name of the section.
        public let name: String
        /// The section's title in an index bar, by default the first character of its name.
        public let indexTitle: String
        /// The identity of the section among all sections.
        public let identity: [UInt8]
        /// The positions of its rows among all rows of the snapshot.
        public let rows: Range<Int>
        /// The subsections in order; empty unless the section key is subdivided.
        public internal(set) var subsections: [Section] = []
        private let identities: SnapshotIdentities

        /// The identity of the section: its key as bytes.
        public var id: [UInt8] { identity }

        init(_ section: SectionIndex.Section, _ identities: SnapshotIdentities) {
            name = section.name
            indexTitle = section.indexTitle
            identity = section.identity
            rows = section.rows
            self.identities = identities
        }

        /// Zero.
        public var startIndex: Int { 0 }
        /// The number of rows.
        public var endIndex: Int { rows.count }

        /// The ID of the object at a position.
        ///
        /// - Parameter position: A position from 0 to the number of rows of the section − 1. Any other traps.
        /// - Complexity: O(1), plus reading a batch of keys if they were not read yet.
        public subscript(position: Int) -> ObjectID {
            precondition(
                indices.contains(position),
                "Row \(position) is outside the \(count) rows of section “\(name)”.")
            return identities[rows.lowerBound + position]
        }
    }
}
