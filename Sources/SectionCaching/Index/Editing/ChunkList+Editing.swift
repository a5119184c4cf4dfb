extension ChunkList {
    /// The minimum number of chunks that a thread edits.
    private static let editsPerThread = 8

    /// A list after an edit, with the origins of its chunks.
    struct Edited {
        let list: ChunkList
        /// For each chunk, the position of the chunk before the edit whose rows it holds, besides rows that
        /// the edit inserted; nil if all its rows must be mapped anew.
        let origins: [Int?]
    }

    /// Applies an edit.
    ///
    /// Chunks that the edit does not touch are shared. A chunk that grows beyond twice its intended size is
    /// split. Two neighbours that together do not exceed the intended size of one chunk are merged if the
    /// edit touched one of them. So two neighbours together always hold more rows than one chunk is meant to
    /// hold, and the number of chunks is never more than twice the number needed.
    ///
    /// - Parameter isKept: Whether the rows before the edit stay in memory where the edit touches them. If
    ///   not, the edit of a chunk is carried out when the chunk is first read.
    /// - Returns: Nil if rows that the edit touches can no longer be read.
    /// - Complexity: O(*c* + *k*) in the number of chunks, and of rows of the touched chunks.
    func applying(_ edit: SectionIndexEdit, isKept: Bool) -> Edited? {
        var changes = RowChanges(removed: edit.removedRows[...], inserted: edit.insertedRows[...])
        var touched: [(position: Int, changes: ChunkChanges)] = []
        for position in chunks.indices {
            let count = starts[position + 1] - starts[position]
            let isLast = position == chunks.count - 1
            if changes.skip(chunkOf: count, from: starts[position], isLast: isLast) { continue }
            touched.append((position, changes.next(chunkOf: count, from: starts[position], isLast: isLast)))
        }
        let rest = changes.next(chunkOf: 0, from: numberOfRows, isLast: true)
        precondition(changes.isEmpty, "The edit removes or inserts rows after the last.")
        return assemble(touched, rest.inserted.map(\.id), isKept: isKept)
    }

    /// Joins the chunks that stay and those that changed.
    ///
    /// - Parameters:
    ///   - touched: The changed chunks, in ascending order.
    ///   - rest: The rows that are inserted after all chunks.
    private func assemble(
        _ touched: [(position: Int, changes: ChunkChanges)], _ rest: [Int64], isKept: Bool
    ) -> Edited? {
        // A chunk of which no row remains is not read.
        let least = isKept ? Self.editsPerThread : .max
        let edited = Parallel.map(touched.count, least: least) { number -> IndexChunk? in
            let (position, changes) = touched[number]
            let chunk = chunks[position]
            guard changes.removed.count < chunk.count else { return nil }
            let pieces = changes.pieces(of: chunk.count)
            guard isKept else {
                let count = chunk.count - changes.removed.count + changes.inserted.count
                return IndexChunk(editing: chunk, pieces, count: count)
            }
            return chunk.edited(pieces, isKept: true).map(IndexChunk.init)
        }
        var result = ChunkListBuilder(rowsPerChunk: rowsPerChunk, capacity: chunks.count + touched.count)
        var next = 0
        for ((position, changes), chunk) in zip(touched, edited) {
            guard result.append(untouched: chunks[next..<position]) else { return nil }
            let isAppended: Bool
            if let chunk {
                isAppended = result.append(chunk, origin: position, isNew: true)
            } else {
                isAppended =
                    changes.removed.count == chunks[position].count
                    && result.append(changes.inserted.map(\.id), origin: position)
            }
            guard isAppended else { return nil }
            next = position + 1
        }
        guard result.append(untouched: chunks[next...]) else { return nil }
        guard result.append(rest, origin: nil) else { return nil }
        return result.finish()
    }
}

/// The changes of rows in an edit that are not assigned to a chunk yet.
private struct RowChanges {
    private var removed: ArraySlice<Int>
    private var inserted: ArraySlice<SectionIndexEdit.Row>
    /// The number of remaining rows in the chunks that were passed.
    private var survivors = 0

    init(removed: ArraySlice<Int>, inserted: ArraySlice<SectionIndexEdit.Row>) {
        self.removed = removed
        self.inserted = inserted
    }

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// Skips the next chunk if no change concerns it.
    ///
    /// - Returns: Whether the chunk was skipped.
    mutating func skip(chunkOf count: Int, from start: Int, isLast: Bool) -> Bool {
        if let first = removed.first, first < start + count { return false }
        if let first = inserted.first {
            let before = first.position - inserted.startIndex
            if before < survivors + count || isLast && before == survivors + count { return false }
        }
        survivors += count
        return true
    }

    /// Removes and returns the changes of the next chunk.
    ///
    /// A row that is inserted between two chunks goes to the first if the edit touches that anyway, otherwise
    /// to the second.
    mutating func next(chunkOf count: Int, from start: Int, isLast: Bool) -> ChunkChanges {
        var goes = removed.startIndex
        while goes < removed.endIndex, removed[goes] < start + count { goes += 1 }
        let removedHere = removed[..<goes]
        let end = survivors + count - removedHere.count
        var comes = inserted.startIndex
        while comes < inserted.endIndex {
            // The number of remaining rows before it.
            let before = inserted[comes].position - comes
            let isTouched = !removedHere.isEmpty || comes > inserted.startIndex
            guard before < end || before == end && (isTouched || isLast) else { break }
            comes += 1
        }
        let changes = ChunkChanges(
            removed: removedHere, inserted: inserted[..<comes], firstRow: start, survivorsBefore: survivors)
        removed = removed[goes...]
        inserted = inserted[comes...]
        survivors = end
        return changes
    }
}

/// The changes of an edit to one chunk.
private struct ChunkChanges: Sendable {
    /// The positions of the removed rows, in the index before the edit.
    let removed: ArraySlice<Int>
    /// The inserted rows.
    let inserted: ArraySlice<SectionIndexEdit.Row>
    let firstRow: Int
    /// The number of remaining rows before the chunk.
    let survivorsBefore: Int

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// Returns the pieces of which the chunk consists after the edit.
    ///
    /// - Parameter count: The number of its rows before the edit.
    func pieces(of count: Int) -> [PackedRows.Piece] {
        var pieces: [PackedRows.Piece] = []
        var next = 0
        var survivors = survivorsBefore
        func keep(_ count: Int) {
            precondition(count >= 0, "The rows of an edit are not in ascending order.")
            guard count > 0 else { return }
            pieces.append(.kept(next..<next + count))
            next += count
            survivors += count
        }
        var goes = removed.startIndex
        var comes = inserted.startIndex
        while goes < removed.endIndex || comes < inserted.endIndex {
            let untilRemoval = goes < removed.endIndex ? removed[goes] - firstRow - next : Int.max
            // The index of an inserted row is the number of rows that are inserted before it.
            let untilInsertion =
                comes < inserted.endIndex ? inserted[comes].position - comes - survivors : Int.max
            if untilInsertion <= untilRemoval {
                keep(untilInsertion)
                pieces.append(.new(inserted[comes].id))
                comes += 1
            } else {
                keep(untilRemoval)
                next += 1
                goes += 1
            }
        }
        keep(count - next)
        return pieces
    }
}
