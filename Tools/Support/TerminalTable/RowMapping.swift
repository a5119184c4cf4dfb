import InternalUtilities

/// The correspondence of sections before and after updates.
package struct SectionMapping: Hashable, Sendable {
    /// For each section before the updates, its position after them, or nil for a deleted section.
    package let newPositions: [Int?]
    /// For each section after the updates, its position before them, or nil for an inserted section.
    package let oldPositions: [Int?]

    /// Creates a mapping. Sections that are not deleted, inserted or moved fill the remaining positions in
    /// order.
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

/// The correspondence of rows before and after updates.
package struct RowMapping: Sendable {
    /// The correspondence of sections.
    package let sections: SectionMapping
    /// The positions of deleted and moved rows before the updates, by section before, in order.
    private let removed: [Int: [Int]]
    /// The positions of inserted and moved rows after the updates, by section after, in order.
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

    /// Returns the path of a row after the updates, moved or not, or nil if the row was deleted.
    ///
    /// - Complexity: O(log *k*) in the number of events of its section.
    package func newPath(of path: RowPath) -> RowPath? { moves[path] ?? shiftedPath(of: path) }

    /// Returns the path after the updates of a row that did not move, but may have been shifted by others, or
    /// nil if the row was moved or deleted.
    func shiftedPath(of path: RowPath) -> RowPath? {
        guard let section = sections.newPositions[path.section] else { return nil }
        let (rank, isThere) = rank(of: path)
        return isThere ? RowPath(section: section, row: position(ofRank: rank, inSection: section)) : nil
    }

    /// Returns the path after the updates of a row, or of the next row that stayed if the row was deleted or
    /// moved, or nil if no row follows.
    package func pathOfRowOrNext(_ path: RowPath) -> RowPath? {
        if let section = sections.newPositions[path.section] {
            let row = position(ofRank: rank(of: path).rank, inSection: section)
            if row < newCounts[section] { return RowPath(section: section, row: row) }
        }
        for old in sections.newPositions.indices.dropFirst(path.section + 1) {
            if let section = sections.newPositions[old], newCounts[section] > 0 {
                return RowPath(section: section, row: 0)
            }
        }
        return nil
    }

    /// Returns the number of rows before a row that stayed, and whether the row itself stayed.
    private func rank(of path: RowPath) -> (rank: Int, isThere: Bool) {
        guard let removed = removed[path.section] else { return (path.row, true) }
        let before = removed.indices.partitioningIndex { removed[$0] >= path.row }
        return (path.row - before, before == removed.count || removed[before] != path.row)
    }

    /// Returns the position of the row with `rank` rows before it that stayed.
    private func position(ofRank rank: Int, inSection section: Int) -> Int {
        guard let added = added[section] else { return rank }
        // Before the position added[j] are added[j] - j rows that stayed, a number that never descends.
        return rank + added.indices.partitioningIndex { added[$0] - $0 > rank }
    }
}
