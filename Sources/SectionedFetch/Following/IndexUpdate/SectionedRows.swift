import SectionCaching

/// One state of sectioned results, for comparison with another.
struct SectionedRows {
    /// The sections in order, with adjacent ranges of rows.
    let sections: [SectionIndex.Section]
    /// The keys that identify rows in both states.
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
