import InternalUtilities

/// Which section is which before and after updates.
package struct SectionMapping: Hashable, Sendable {
    /// For each section before, its position after; nil for a deleted one.
    package let newPositions: [Int?]
    /// For each section after, its position before; nil for an inserted one.
    package let oldPositions: [Int?]

    /// Sections that neither leave their place nor are told to come fill the places that remain, in order.
    init(
        oldCount: Int, newCount: Int, isLeaving: (Int) -> Bool, isComing: (Int) -> Bool,
        moves: [(from: Int, to: Int)]
    ) {
        var newPositions: [Int?] = Array(repeating: nil, count: oldCount)
        var oldPositions: [Int?] = Array(repeating: nil, count: newCount)
        for (old, new) in zip(
            (0..<oldCount).filter { !isLeaving($0) }, (0..<newCount).filter { !isComing($0) })
        {
            newPositions[old] = new
            oldPositions[new] = old
        }
        for move in moves {
            newPositions[move.from] = move.to
            oldPositions[move.to] = move.from
        }
        self.newPositions = newPositions
        self.oldPositions = oldPositions
    }
}

/// Where each row is after updates.
package struct RowMapping: Sendable {
    /// Where each section is.
    package let sections: SectionMapping
    /// The rows that left their places, by section before, in order.
    private let removed: [Int: [Int]]
    /// The places that others took, by section after, in order.
    private let added: [Int: [Int]]
    private let newCounts: [Int]
    private let moves: [RowPath: RowPath]

    init(
        sections: SectionMapping, removed: [Int: [Int]], added: [Int: [Int]], newCounts: [Int],
        moves: [(RowPath, RowPath)]
    ) {
        self.sections = sections
        self.removed = removed
        self.added = added
        self.newCounts = newCounts
        self.moves = Dictionary(moves, uniquingKeysWith: { first, _ in first })
    }

    /// Where a row is now, moved or not; nil if it is gone.
    ///
    /// - Complexity: O(log *k*) in the number of events of its section.
    package func newPath(of path: RowPath) -> RowPath? { moves[path] ?? shiftedPath(of: path) }

    /// Where a row is now if it did not move, but was shifted by others at most.
    func shiftedPath(of path: RowPath) -> RowPath? {
        guard let section = sections.newPositions[path.section] else { return nil }
        let (rank, isThere) = rank(of: path)
        return isThere ? RowPath(section: section, row: place(ofRank: rank, inSection: section)) : nil
    }

    /// Where a row is now, or if it is gone or moved, where the next row after it is that stayed; nil where
    /// none is.
    package func pathOfRowOrNext(_ path: RowPath) -> RowPath? {
        if let section = sections.newPositions[path.section] {
            let row = place(ofRank: rank(of: path).rank, inSection: section)
            if row < newCounts[section] { return RowPath(section: section, row: row) }
        }
        for old in sections.newPositions.indices.dropFirst(path.section + 1) {
            if let section = sections.newPositions[old], newCounts[section] > 0 {
                return RowPath(section: section, row: 0)
            }
        }
        return nil
    }

    /// How many of the rows before a row stayed, and whether it did itself.
    private func rank(of path: RowPath) -> (rank: Int, isThere: Bool) {
        guard let removed = removed[path.section] else { return (path.row, true) }
        let before = removed.indices.partitioningIndex { removed[$0] >= path.row }
        return (path.row - before, before == removed.count || removed[before] != path.row)
    }

    /// The place of the row that has so many before it that stayed.
    private func place(ofRank rank: Int, inSection section: Int) -> Int {
        guard let added = added[section] else { return rank }
        // added[j] - j rows that stayed are before the place added[j], and that never falls.
        return rank + added.indices.partitioningIndex { added[$0] - $0 > rank }
    }
}
