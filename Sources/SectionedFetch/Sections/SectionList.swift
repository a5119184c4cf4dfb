public import ObjectStorage
import SectionCaching

/// The sections of a controller's results in order. Each is decoded when it is accessed.
public struct SectionList<Object: ManagedObject>: RandomAccessCollection {
    private let sections: ShownSections
    private let allObjects: FetchedObjects<Object>
    private let lookup: SectionLookup
    private let collapsed: Set<[UInt8]>
    private let indexTitle: (String) -> String?

    init(
        sections: ShownSections, allObjects: FetchedObjects<Object>, lookup: SectionLookup,
        collapsed: Set<[UInt8]>,
        indexTitle: @escaping (String) -> String?
    ) {
        self.sections = sections
        self.lookup = lookup
        self.collapsed = collapsed
        self.allObjects = allObjects
        self.indexTitle = indexTitle
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { sections.count }

    /// The section at a position.
    ///
    /// - Parameter position: A position from 0 to the number of sections − 1. Any other traps.
    /// - Complexity: O(1).
    public subscript(position: Int) -> SectionInfo<Object> {
        precondition(
            indices.contains(position),
            "Section \(position) is outside the \(sections.count) sections.")
        let section = sections.section(at: position)
        let subsections =
            sections.isNested
            ? SubsectionList(sections, sections.subsections(of: position), allObjects: allObjects) : nil
        return SectionInfo(
            section, keyPath: sections.keyPath, indexTitle: indexTitle(section.name), allObjects: allObjects,
            subsections: subsections,
            isCollapsed: collapsed.contains(section.identity))
    }

    /// The first section with a name; nil if no section has it.
    ///
    /// - Parameter name: The name of a section, possibly empty.
    /// - Complexity: O(1) on average. The first look-up in the results of a fetch reads the name of each
    ///   section.
    public subscript(name name: String) -> SectionInfo<Object>? {
        lookup.position(ofName: name).map { self[$0] }
    }

    /// The section with an identity, as ``SectionInfo/id`` has it; nil if no section has it.
    ///
    /// - Parameter identity: The bytes that identify the section. They are the same in the results of every
    ///   fetch.
    /// - Complexity: As ``subscript(name:)``.
    public subscript(id identity: [UInt8]) -> SectionInfo<Object>? {
        lookup.position(ofIdentity: identity).map { self[$0] }
    }

    /// The section of the rows whose section key has a value; nil if no row has it.
    ///
    /// - Parameter value: The value as SQLite stores it: for an attribute the
    ///   ``/ObjectStorage/AttributeValue/storedValue``, for a computed key the value that is computed.
    /// - Complexity: As ``subscript(name:)``.
    public subscript(key value: StoredValue) -> SectionInfo<Object>? {
        self[id: value.sectionIdentity]
    }
}
