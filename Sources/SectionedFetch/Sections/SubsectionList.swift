public import ObjectStorage

/// The subsections of one section in order. Each is decoded when it is accessed.
public struct SubsectionList<Object: ManagedObject>: RandomAccessCollection {
    private let sections: ShownSections
    private let positions: Range<Int>
    private let allObjects: FetchedObjects<Object>

    init(_ sections: ShownSections, _ positions: Range<Int>, allObjects: FetchedObjects<Object>) {
        self.sections = sections
        self.positions = positions
        self.allObjects = allObjects
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of subsections.
    public var endIndex: Int { positions.count }

    /// The subsection at a position in the section.
    ///
    /// - Parameter position: A position from 0 to the number of subsections − 1. Any other traps.
    /// - Complexity: O(1).
    public subscript(position: Int) -> SectionInfo<Object> {
        precondition(
            indices.contains(position), "Subsection \(position) is outside the \(count) subsections.")
        return SectionInfo(
            sections.subsection(at: positions.lowerBound + position), keyPath: sections.subsectionKeyPath,
            indexTitle: nil, allObjects: allObjects)
    }

    /// The first subsection with a name; nil if none has it.
    ///
    /// - Parameter name: The name of a subsection, without that of its section.
    /// - Complexity: O(*s*) in the number of subsections.
    public subscript(name name: String) -> SectionInfo<Object>? { first { $0.name == name } }
}
