public import ObjectStorage
import SectionCaching

/// One section of a controller's results: a collection of its objects, which are read in batches when they
/// are accessed.
public struct SectionInfo<Object: ManagedObject>: RandomAccessCollection, Identifiable {
    /// The name of the section. Two sections may have the same name; they differ in ``identity``.
    public let name: String
    /// The section's title in an index bar.
    public let indexTitle: String
    /// The identity of the section among all sections: its key as bytes.
    public let identity: [UInt8]
    /// The positions of its rows among all rows of the results.
    public let rows: Range<Int>
    /// The subsections in order; nil unless the section key is subdivided
    /// (``SectionKey/subdivided(by:)``).
    public let subsections: SubsectionList<Object>?
    /// Whether the section is among the ``FetchedResultsController/collapsedSections``.
    public let isCollapsed: Bool
    private let allObjects: FetchedObjects<Object>
    /// The dotted key path by whose values sections are formed; nil for computed values.
    private let keyPath: String?

    init(
        _ section: SectionIndex.Section, keyPath: String?, indexTitle: String?,
        allObjects: FetchedObjects<Object>,
        subsections: SubsectionList<Object>? = nil, isCollapsed: Bool = false
    ) {
        self.isCollapsed = isCollapsed
        self.keyPath = keyPath
        self.subsections = subsections
        name = section.name
        self.indexTitle = indexTitle ?? section.indexTitle
        identity = section.identity
        rows = section.rows
        self.allObjects = allObjects
    }

    /// The value by which the rows of the section are grouped, as SQLite stores it; nil without a section
    /// key. For a relationship it is the key of the object, see ``keyObject(as:)``; for a combined key the
    /// bytes of all values.
    public var key: StoredValue? { StoredValue(sectionIdentity: identity) }

    /// Returns the value by which the rows of the section are grouped, as a value of a given type. Nil for
    /// rows without a value, and for a value of another type.
    ///
    /// - Parameter type: The type of the result. It can be omitted where the result's type is known.
    public func key<Value: AttributeValue>(as type: Value.Type = Value.self) -> Value? {
        key.flatMap { $0.isNull ? nil : Value(storedValue: $0) }
    }

    /// Returns the object by which the rows of the section are grouped, if the section key is a to-one
    /// relationship: that of the first row. Nil for rows without a related object, for an object of another
    /// class, for other keys, and for a declared section without rows.
    ///
    /// ```swift
    /// let artist = try section.keyObject(as: Artist.self)
    /// ```
    ///
    /// - Parameter type: The class of the result. It can be omitted where the result's type is known.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the first row, or a row on the way to the object,
    ///   cannot be read.
    /// - Complexity: O(1), plus reading the first row and the related ones if they were not read yet.
    public func keyObject<Related: ManagedObject>(
        as type: Related.Type = Related.self
    ) throws(ObjectStorageError) -> Related? {
        guard let keyPath, var object: ManagedObject = objects.first else { return nil }
        for name in keyPath.split(separator: ".") {
            guard object.entity.relationship(named: String(name))?.isToMany == false,
                let next = try object.relatedObject(String(name))
            else { return nil }
            object = next
        }
        return object as? Related
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
    /// - Parameter position: A position from 0 to ``numberOfObjects`` − 1. Any other traps.
    /// - Complexity: O(1), plus reading a batch of rows if the row was not read yet.
    public subscript(position: Int) -> Object {
        precondition(
            (0..<rows.count).contains(position),
            "Row \(position) is outside the \(rows.count) rows of section “\(name)”.")
        return allObjects[rows.lowerBound + position]
    }
}
