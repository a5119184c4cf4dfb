import SectionCaching

/// One state of sectioned results, to be compared with another.
struct SectionedRows {
    /// The sections in order, whose rows are one after the other.
    let sections: [SectionIndex.Section]
    /// What tells rows apart in both states.
    var keys: [Int64]

    /// - Parameter keys: The keys of all rows of `index`.
    init(_ index: SectionIndex, keys: [Int64]) {
        sections = (0..<index.numberOfSections).map(index.section(at:))
        self.keys = keys
    }

    /// The position of each row's section.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    var sectionPositions: [Int] {
        var positions: [Int] = []
        positions.reserveCapacity(keys.count)
        for (position, section) in sections.enumerated() {
            for _ in section.rows { positions.append(position) }
        }
        return positions
    }
}
