/// Finds rows in an index, and carries edits out on it one after the other.
///
/// The index before an edit stays what it was, also while its cache entry is advanced: what is read from it
/// later is what it held. The rows of a cache that an edit touches are kept in memory from then on, for the
/// index before as well.
///
/// No ID may be in an index twice. An editor belongs to whoever made it; the indexes that it gives may go
/// anywhere.
package final class SectionIndexEditor {
    /// The index after all edits.
    package private(set) var index: SectionIndex
    private let rowsPerChunk: Int?
    private let keepsFormerRows: Bool
    private var edited: EditedIndex?
    private var map: RowMap?
    private var hasSearched = false

    /// The most rows for which it is not worth while to make the map: a program that advances an entry by a
    /// few changes and ends.
    private static let fewRows = 1_024
    /// How many chunks a thread looks through at least, in which time it could have been started several
    /// times.
    private static let chunksPerThread = 16

    /// Begins with an index. Reads nothing yet.
    ///
    /// - Parameters:
    ///   - rowsPerChunk: How many rows a chunk of an index in memory is meant to hold; nil for as many as one
    ///     in a cache.
    ///   - keepsFormerRows: Whether somebody goes on to use the index before an edit, whatever becomes of the
    ///     cache.
    package init(_ index: SectionIndex, rowsPerChunk: Int? = nil, keepsFormerRows: Bool = true) {
        self.index = index
        self.keepsFormerRows = keepsFormerRows
        self.rowsPerChunk = rowsPerChunk
    }

    /// The positions of rows, nil for those that are not in the index.
    ///
    /// - Returns: Nil if the rows cannot be read from the cache any more.
    /// - Complexity: O(*n*) in the number of rows the first time. Later O(*k*) for *k* rows, and for each the
    ///   number of rows that came and went in its chunk; and four bytes are kept for each row if their IDs
    ///   are dense.
    package func positions(of rowIDs: [Int64]) -> [Int?]? {
        let chunks = editable().chunks
        if map == nil {
            // Once is no habit; whoever asks again has a map made.
            let isWorthMap = hasSearched || rowIDs.count > Self.fewRows
            hasSearched = true
            guard isWorthMap, RowMap.fits(chunks) else { return search(rowIDs, in: chunks) }
            guard let made = RowMap(chunks) else { return nil }
            map = made
        }
        guard let map else { return nil }
        return search(rowIDs, in: chunks, map: map)
    }

    /// Carries an edit out.
    ///
    /// - Returns: Whether the rows could be read; if not, nothing was changed.
    /// - Complexity: O(*s* + *c* + *k* · *r*) in the number of sections, of chunks and of changes, where a
    ///   chunk holds *r* rows.
    package func apply(_ edit: SectionIndexEdit) -> Bool {
        let old = editable()
        guard let chunks = old.chunks.applying(edit, isKept: keepsFormerRows) else { return false }
        let new = EditedIndex(
            chunks: chunks.list,
            sections: old.sections.applying(edit, numberOfRows: old.chunks.numberOfRows))
        // Worn out, it is made again when rows are looked for.
        if map?.update(for: chunks, inserted: edit.insertedRows) == false { map = nil }
        edited = new
        index = SectionIndex(backing: .edited(new))
        return true
    }

    private func editable() -> EditedIndex {
        if let edited { return edited }
        let made = EditedIndex(index, rowsPerChunk: rowsPerChunk)
        edited = made
        return made
    }

    /// Looks through all chunks, and compares those with their digests in which it finds something.
    ///
    /// A chunk that is as its digest says does hold what was found in it, and an ID is in an index once; so
    /// if all rows were found, the other chunks need not be compared. A row that was not found may be in any
    /// of them.
    private func search(_ rowIDs: [Int64], in chunks: ChunkList) -> [Int?]? {
        let search = RowSearch(rowIDs)
        let found = Parallel.map(chunks.chunks.count, least: Self.chunksPerThread) { number in
            search.look(into: chunks.chunks[number], from: chunks.starts[number])
        }
        var positions = [Int?](repeating: nil, count: rowIDs.count)
        for rows in found {
            guard let rows else { return nil }
            for row in rows { positions[row.number] = row.position }
        }
        guard positions.contains(nil) else { return positions }
        let areReadable = Parallel.map(chunks.chunks.count, least: Self.chunksPerThread) { number in
            chunks.chunks[number].isReadable()
        }
        return areReadable.allSatisfy(\.self) ? positions : nil
    }

    /// Looks where the map says.
    private func search(_ rowIDs: [Int64], in chunks: ChunkList, map: RowMap) -> [Int?]? {
        var positions: [Int?] = []
        positions.reserveCapacity(rowIDs.count)
        for rowID in rowIDs {
            guard let place = map.place(of: rowID) else {
                positions.append(nil)
                continue
            }
            let chunk = chunks.chunks[place.chunk]
            // Rows that are looked for in a chunk may be looked for there again, so they stay in memory.
            guard chunk.keep(), let position = chunk.position(of: rowID, near: place.row) else { return nil }
            positions.append(position < 0 ? nil : chunks.starts[place.chunk] + position)
        }
        return positions
    }
}
