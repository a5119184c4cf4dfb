public import ObjectStorage
import SectionCaching

/// One section of a controller's results: a collection of its objects, which are read in batches when they are
/// accessed.
public struct SectionInfo<Object: ManagedObject>: RandomAccessCollection, Identifiable {
    /// The name of the section. Two sections may have the same name; they differ in ``identity``.
    public let name: String
    /// The section's title in an index bar.
    public let indexTitle: String
    /// The identity of the section among all sections: its key as bytes.
    public let identity: [UInt8]
    /// The positions of its rows among all rows of the results.
    public let rows: Range<Int>
    private let allObjects: FetchedObjects<Object>

    init(_ section: SectionIndex.Section, indexTitle: String?, allObjects: FetchedObjects<Object>) {
        name = section.name
        self.indexTitle = indexTitle ?? section.indexTitle
        identity = section.identity
        rows = section.rows
        self.allObjects = allObjects
    }

    /// The number of rows. Reads none of them.
    public var numberOfObjects: Int { rows.count }

    /// The objects of the section in order, read in batches when they are accessed.
    public var objects: FetchedObjects<Object> { allObjects.part(rows) }

    /// The identity of the section: its key as bytes, which is stable while rows come and go.
    public var id: [UInt8] { identity }
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { rows.count }

    /// The object at a position in the section.
    ///
    /// - Complexity: O(1), plus reading a batch of rows if the row was not read yet.
    public subscript(position: Int) -> Object {
        precondition(
            (0..<rows.count).contains(position),
            "Row \(position) is outside the \(rows.count) rows of section “\(name)”.")
        return allObjects[rows.lowerBound + position]
    }
}

/// The sections of a controller's results in order. Each is decoded when it is accessed.
public struct SectionList<Object: ManagedObject>: RandomAccessCollection {
    private let index: SectionIndex
    private let allObjects: FetchedObjects<Object>
    private let lookup: SectionLookup
    private let indexTitle: (String) -> String?

    init(
        index: SectionIndex, allObjects: FetchedObjects<Object>, lookup: SectionLookup,
        indexTitle: @escaping (String) -> String?
    ) {
        self.index = index
        self.lookup = lookup
        self.allObjects = allObjects
        self.indexTitle = indexTitle
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { index.numberOfSections }

    /// The section at a position.
    ///
    /// - Complexity: O(1).
    public subscript(position: Int) -> SectionInfo<Object> {
        precondition(
            indices.contains(position),
            "Section \(position) is outside the \(index.numberOfSections) sections.")
        let section = index.section(at: position)
        return SectionInfo(section, indexTitle: indexTitle(section.name), allObjects: allObjects)
    }

    /// The first section with a name; nil if no section has it.
    ///
    /// - Complexity: O(1) on average. The first look-up in the results of a fetch reads the name of each
    ///   section.
    public subscript(name name: String) -> SectionInfo<Object>? {
        lookup.position(ofName: name).map { self[$0] }
    }

    /// The section with an identity, as ``SectionInfo/id`` has it; nil if no section has it.
    ///
    /// - Complexity: As ``subscript(name:)``.
    public subscript(id identity: [UInt8]) -> SectionInfo<Object>? {
        lookup.position(ofIdentity: identity).map { self[$0] }
    }

    /// The section of the rows whose section key has a value; nil if no row has it.
    ///
    /// - Parameter value: The value as SQLite stores it: for an attribute the
    ///   ``ObjectStorage/AttributeValue/storedValue``, for a computed key the value that is computed.
    /// - Complexity: As ``subscript(name:)``.
    public subscript(key value: StoredValue) -> SectionInfo<Object>? {
        self[id: value.sectionIdentity]
    }
}
