public import ObjectStorage
import SectionCaching

/// One section of a controller's results.
public struct SectionInfo<Object: ManagedObject> {
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
}

/// The sections of a controller's results in order. Each is decoded when it is accessed.
public struct SectionList<Object: ManagedObject>: RandomAccessCollection {
    private let index: SectionIndex
    private let allObjects: FetchedObjects<Object>
    private let indexTitle: (String) -> String?

    init(index: SectionIndex, allObjects: FetchedObjects<Object>, indexTitle: @escaping (String) -> String?) {
        self.index = index
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
}
