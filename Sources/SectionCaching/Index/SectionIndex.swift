import InternalUtilities

/// The persisted structure: ordered sections over one ordered run of object IDs.
///
/// It is either in memory, as computed, or backed by a cache: then sections are decoded when they are
/// accessed, and rows are read from the cache's chunks. An index that was made from another by an edit shares
/// the unchanged parts with it.
public struct SectionIndex: Sendable {
    /// One section.
    public struct Section: Hashable, Sendable {
        /// The identity of the section: opaque bytes, unique in an index.
        public let identity: [UInt8]
        /// The name of the section.
        public let name: String
        /// Its title in an index bar.
        public let indexTitle: String
        /// The positions of its rows.
        public let rows: Range<Int>

        /// Creates a section.
        package init(identity: [UInt8], name: String, indexTitle: String, rows: Range<Int>) {
            self.identity = identity
            self.name = name
            self.indexTitle = indexTitle
            self.rows = rows
        }

        /// Returns whether two sections are equal; their texts are compared byte for byte.
        ///
        /// - Parameters:
        ///   - first: A section.
        ///   - second: Another section.
        public static func == (first: Section, second: Section) -> Bool {
            first.identity == second.identity && first.rows == second.rows
                && first.name.hasBytes(of: second.name) && first.indexTitle.hasBytes(of: second.indexTitle)
        }
    }

    /// The result of looking for a row.
    public enum RowPosition: Hashable, Sendable {
        /// The row is at this position.
        case found(Int)
        /// The index does not contain the row.
        case absent
        /// The cache can no longer answer.
        case lost
    }

    enum Backing: Sendable {
        case memory(MemoryIndex)
        case cache(CachedIndex)
        case edited(EditedIndex)
    }

    let backing: Backing

    /// The number of rows.
    ///
    /// - Complexity: O(1).
    public var numberOfRows: Int {
        switch backing {
        case .memory(let memory): memory.rowIDs.count
        case .cache(let cached): cached.directory.numberOfRows
        case .edited(let edited): edited.chunks.numberOfRows
        }
    }

    /// The number of sections.
    ///
    /// - Complexity: O(1).
    public var numberOfSections: Int {
        switch backing {
        case .memory(let memory): memory.sections.count
        case .cache(let cached): cached.directory.numberOfSections
        case .edited(let edited): edited.sections.count
        }
    }

    /// Whether the index is a cache entry as it was looked up, not one made from it by an edit.
    package var isPersisted: Bool {
        if case .cache = backing { true } else { false }
    }

    /// Returns the section at a position.
    ///
    /// - Parameter position: A position from 0 to the number of sections − 1. Any other traps.
    /// - Complexity: O(1) in the number of sections.
    public func section(at position: Int) -> Section {
        precondition(
            (0..<numberOfSections).contains(position),
            "Section \(position) is outside the \(numberOfSections) sections.")
        switch backing {
        case .memory(let memory): return memory.sections[position]
        case .cache(let cached): return cached.directory.section(at: position)
        case .edited(let edited): return edited.section(at: position)
        }
    }

    /// Returns the positions of the rows of a section, without its texts.
    ///
    /// - Complexity: O(1).
    package func rows(ofSection position: Int) -> Range<Int> {
        let next = position + 1
        return firstRow(
            ofSection: position)..<(next < numberOfSections ? firstRow(ofSection: next) : numberOfRows)
    }

    /// Returns the identity of a section, without its other texts.
    package func identity(ofSection position: Int) -> [UInt8] {
        switch backing {
        case .memory(let memory): memory.sections[position].identity
        case .cache(let cached): cached.directory.section(at: position).identity
        case .edited(let edited): Array(edited.sections.texts(of: position).identity)
        }
    }

    /// Returns the position of the section that contains a row.
    ///
    /// - Parameter row: A position among all rows, from 0 to the number of rows − 1. Any other traps.
    /// - Complexity: O(log *s*) in the number of sections.
    public func sectionPosition(containing row: Int) -> Int {
        precondition((0..<numberOfRows).contains(row), "Row \(row) is outside the \(numberOfRows) rows.")
        return (1..<numberOfSections).partitioningIndex { firstRow(ofSection: $0) > row } - 1
    }

    /// Returns the position of the section with an identity; nil if no section has it.
    ///
    /// - Parameter identity: The bytes that identify the section.
    /// - Complexity: O(*s*) in the number of sections, of which no name is decoded.
    public func firstSectionPosition(identity: [UInt8]) -> Int? {
        switch backing {
        case .memory(let memory): memory.sections.firstIndex { $0.identity == identity }
        case .cache(let cached):
            (0..<numberOfSections).first { cached.directory.hasIdentity(identity, section: $0) }
        case .edited(let edited): edited.sections.firstPosition(identity: identity)
        }
    }

    /// Returns the IDs of the rows at some positions; nil if the cache can no longer answer because the entry
    /// was deleted, replaced or damaged.
    ///
    /// - Parameter rows: Positions among all rows. A range beyond the rows traps.
    /// - Complexity: O(*n*) in the number of requested rows, plus reading each chunk that contains some of
    ///   them.
    public func rowIDs(in rows: Range<Int>) -> [Int64]? {
        precondition(
            rows.lowerBound >= 0 && rows.upperBound <= numberOfRows,
            "Rows \(rows) are outside the \(numberOfRows) rows.")
        switch backing {
        case .memory(let memory): return Array(memory.rowIDs[rows])
        case .cache(let cached): return cached.rowIDs(in: rows)
        case .edited(let edited): return edited.chunks.rowIDs(in: rows)
        }
    }

    /// Returns the position of a row's ID.
    ///
    /// - Parameter id: The ID of a row.
    /// - Complexity: O(*n*) in the number of rows.
    public func position(ofRowID id: Int64) -> RowPosition {
        switch backing {
        case .memory(let memory): return memory.rowIDs.firstIndex(of: id).map(RowPosition.found) ?? .absent
        case .cache(let cached): return cached.position(ofRowID: id)
        case .edited(let edited): return edited.chunks.position(ofRowID: id)
        }
    }
}

extension SectionIndex {
    /// Returns whether another index is identical to this one, not merely equal.
    package func isSame(as other: SectionIndex) -> Bool {
        switch (backing, other.backing) {
        case (.memory(let first), .memory(let second)): first === second
        case (.cache(let first), .cache(let second)): first === second
        case (.edited(let first), .edited(let second)): first === second
        default: false
        }
    }

    /// Returns the ID of the row at a position; nil as in ``rowIDs(in:)``.
    package func rowID(at position: Int) -> Int64? {
        switch backing {
        case .memory(let memory): memory.rowIDs[position]
        case .cache(let cached): cached.rowID(at: position)
        case .edited(let edited): edited.chunks.rowID(at: position)
        }
    }

    /// The number of chunks that contain the rows; 0 if all rows were in memory from the beginning.
    var numberOfChunks: Int {
        switch backing {
        case .memory: 0
        case .cache(let cached): cached.directory.numberOfChunks
        case .edited(let edited): edited.chunks.chunks.count
        }
    }

    /// Returns the position of the first row of a section.
    func firstRow(ofSection position: Int) -> Int {
        switch backing {
        case .memory(let memory): memory.sections[position].rows.lowerBound
        case .cache(let cached): cached.directory.firstRow(ofSection: position)
        case .edited(let edited): edited.sections.firstRow(of: position)
        }
    }

    /// Returns the texts of a section as they are stored.
    func texts(ofSection position: Int) -> SectionTexts {
        switch backing {
        case .memory(let memory):
            let section = memory.sections[position]
            return SectionTexts(
                identity: section.identity, name: section.name, indexTitle: section.indexTitle)
        case .cache(let cached): return cached.directory.texts(ofSection: position)
        case .edited(let edited): return edited.sections.texts(of: position)
        }
    }
}
