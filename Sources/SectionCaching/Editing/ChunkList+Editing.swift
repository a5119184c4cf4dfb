extension ChunkList {
    /// How many chunks a thread edits at least.
    private static let editsPerThread = 8

    /// A list after an edit, and where its chunks come from.
    struct Edited {
        let list: ChunkList
        /// For each chunk the position of the one before the edit of which it holds rows and besides none but
        /// what the edit brought; nil if all its rows have to be looked for anew.
        let origins: [Int?]
    }

    /// Carries an edit out.
    ///
    /// Chunks that the edit does not touch are shared. One that grows beyond twice what it is meant to hold
    /// is split, and one that fits into what its neighbour is meant to hold is merged with it, if the edit
    /// touched one of them; so two neighbours together always hold more than one is meant to, and there are
    /// never more than twice as many chunks as needed.
    ///
    /// - Parameter isKept: Whether the rows before the edit stay in memory where it touches them. If not, the
    ///   edit of a chunk is carried out when the chunk is first looked at.
    /// - Returns: Nil if rows that the edit touches cannot be read any more.
    /// - Complexity: O(*c* + *k*) in the number of chunks and of rows of chunks that are touched.
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
        precondition(changes.isEmpty, "The edit removes or inserts rows behind the last.")
        return assemble(touched, rest.inserted.map(\.id), isKept: isKept)
    }

    /// Puts the chunks together that stay and those that changed.
    ///
    /// - Parameters:
    ///   - touched: The chunks that change, in ascending order.
    ///   - rest: The rows that come behind all chunks.
    private func assemble(
        _ touched: [(position: Int, changes: ChunkChanges)], _ rest: [Int64], isKept: Bool
    ) -> Edited? {
        // Nothing is read of a chunk of which nothing stays.
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

/// The rows of an edit that are not carried out yet.
private struct RowChanges {
    private var removed: ArraySlice<Int>
    private var inserted: ArraySlice<SectionIndexEdit.Row>
    /// How many rows stay, and how many came, of all that was gone through.
    private var survivors = 0

    init(removed: ArraySlice<Int>, inserted: ArraySlice<SectionIndexEdit.Row>) {
        self.removed = removed
        self.inserted = inserted
    }

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// Goes past the next chunk if nothing concerns it.
    ///
    /// - Returns: Whether nothing does.
    mutating func skip(chunkOf count: Int, from start: Int, isLast: Bool) -> Bool {
        if let first = removed.first, first < start + count { return false }
        if let first = inserted.first {
            let before = first.position - inserted.startIndex
            if before < survivors + count || isLast && before == survivors + count { return false }
        }
        survivors += count
        return true
    }

    /// Takes out what concerns the next chunk.
    ///
    /// A row that comes between two chunks goes to the first if the edit touches that anyway, else to the
    /// second.
    mutating func next(chunkOf count: Int, from start: Int, isLast: Bool) -> ChunkChanges {
        var goes = removed.startIndex
        while goes < removed.endIndex, removed[goes] < start + count { goes += 1 }
        let removedHere = removed[..<goes]
        let end = survivors + count - removedHere.count
        var comes = inserted.startIndex
        while comes < inserted.endIndex {
            // As many rows that stay come before it.
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

/// What an edit does to one chunk.
private struct ChunkChanges: Sendable {
    /// The positions of the rows that go, in the index before.
    let removed: ArraySlice<Int>
    /// The rows that come.
    let inserted: ArraySlice<SectionIndexEdit.Row>
    let firstRow: Int
    /// How many rows that stay come before the chunk.
    let survivorsBefore: Int

    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

    /// What the chunk consists of afterwards.
    ///
    /// - Parameter count: The number of its rows.
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
            // The index of a row that comes is how many came before it.
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
