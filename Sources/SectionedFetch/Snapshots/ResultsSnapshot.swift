public import Foundation
public import ObjectStorage
import SectionCaching

/// A controller's results at one moment: sections of object identities, which nothing changes any more.
///
/// It may go to any thread. Identities are read as they are looked at; ``objects(in:)`` gives the objects in
/// a context of whoever looks.
///
/// A row is the row that it was, or it is lost. The rows of a list that came from the cache are read into
/// memory soon after the fetch. If another program replaces or deletes the cache entry before that and the
/// data change, the rows have an identity that no object has, and ``readError`` says why.
///
/// ```swift
/// func controller(_ controller: FetchedResultsController<Song>, didChangeContentWith snapshot: ResultsSnapshot<Song>) {
///     for (position, section) in snapshot.enumerated() { show(section.name, section.count, at: position) }
///     reload(snapshot.reloadedObjectIDs)
/// }
/// ```
public struct ResultsSnapshot<Object: ManagedObject>: RandomAccessCollection, Sendable {
    let index: SectionIndex
    let identities: SnapshotIdentities
    private let fetchRequest: FetchRequest<Object>
    /// The rows that are where they were, or moved, and show something else than in the snapshot before:
    /// those to show anew. Empty in a snapshot that was not delivered with a change.
    public let reloadedObjectIDs: Set<ObjectID>
    /// The identities of the sections that are called something else than in the snapshot before.
    public let reloadedSectionIdentities: Set<[UInt8]>
    /// Whether the rows could not be compared with those of the snapshot before, so that everything is to be
    /// shown anew.
    public let isReload: Bool

    init(
        _ index: SectionIndex, _ identities: SnapshotIdentities, of fetchRequest: FetchRequest<Object>,
        after change: ResultsChange?
    ) {
        self.index = index
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

    /// Why some rows that were looked at could not be told: their cache is gone and the data changed since
    /// (``ObjectStorage/ObjectStorageError/Code/rowsLost``), or the store could not be read. Nil if none was.
    public var readError: ObjectStorageError? { identities.failure }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { index.numberOfSections }
    /// The number of rows in all sections.
    public var numberOfRows: Int { index.numberOfRows }

    /// The section at a position.
    ///
    /// - Complexity: O(1).
    public subscript(position: Int) -> Section {
        precondition(
            indices.contains(position),
            "Section \(position) is outside the \(count) sections of the snapshot.")
        return Section(index.section(at: position), identities)
    }

    /// The identity of the object at a path, or nil where there is none.
    public func objectID(at indexPath: IndexPath) -> ObjectID? {
        guard indexPath.count == 2, indices.contains(indexPath.section) else { return nil }
        let section = self[indexPath.section]
        return section.indices.contains(indexPath.row) ? section[indexPath.row] : nil
    }

    /// The path of an object, or nil if it is not in the snapshot, or the snapshot's rows are lost.
    ///
    /// - Complexity: O(*n*) in the number of rows: a scan of their keys.
    public func indexPath(for objectID: ObjectID) -> IndexPath? {
        guard let position = identities.position(of: objectID) else { return nil }
        let section = index.sectionPosition(containing: position)
        return IndexPath(row: position - index.rows(ofSection: section).lowerBound, section: section)
    }

    /// The objects of all sections in order, in some context, read in batches as they are looked at.
    ///
    /// A context that does not know of the unsaved objects among them gives objects whose
    /// ``ObjectStorage/ManagedObject/readError`` says so. So do objects of rows that are lost.
    ///
    /// - Throws: ``ObjectStorageError`` if the context's model describes the entity by another class, or the
    ///   store cannot be read.
    public func objects(in context: ManagedObjectContext) throws(ObjectStorageError) -> FetchedObjects<Object>
    {
        let rows = identities.rows
        return try FetchedObjects(
            count: index.numberOfRows, request: fetchRequest, context: context,
            provisionalObjects: identities.unsavedObjects(in: context), keys: rows.keys(in:))
    }
}

extension ResultsSnapshot {
    /// One section of a snapshot: the identities of its objects.
    public struct Section: RandomAccessCollection, Sendable {
        /// What the section is called.
        public let name: String
        /// The section's title in an index bar, by default the first character of its name.
        public let indexTitle: String
        /// What tells the section apart from all others.
        public let identity: [UInt8]
        /// The positions of its rows among all rows of the snapshot.
        public let rows: Range<Int>
        private let identities: SnapshotIdentities

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

        /// The identity of the object at a position.
        ///
        /// - Complexity: O(1), and reading a batch of keys when they were not read yet.
        public subscript(position: Int) -> ObjectID {
            precondition(
                indices.contains(position),
                "Row \(position) is outside the \(count) rows of section “\(name)”.")
            return identities[rows.lowerBound + position]
        }
    }
}
