/// An editor that finds rows in an index, and applies edits to it one after the other.
///
/// The index before an edit does not change, even if its cache entry is advanced: later reads return the rows
/// that it had. From the edit on, the rows of a cache that the edit touches are kept in memory, for the index
/// before the edit as well.
///
/// No ID may be in an index twice. An editor is confined to its owner; the indexes that it returns may be
/// used on any thread.
package final class SectionIndexEditor {
    /// The index after all edits.
    package private(set) var index: SectionIndex
    private let rowsPerChunk: Int?
    private let keepsPreviousRows: Bool
    private var edited: EditedIndex?
    private var map: RowMap?
    private var hasSearched = false

    /// The maximum number of rows for which the first search makes no map, for programs that advance an entry
    /// by a few changes and end.
    private static let fewRows = 1_024
    /// The minimum number of chunks that a thread searches. Searching them takes several times as long as
    /// starting the thread.
    private static let chunksPerThread = 16

    /// Creates an editor for an index. Reads nothing yet.
    ///
    /// - Parameters:
    ///   - rowsPerChunk: The number of rows that a chunk of an index in memory is meant to hold; nil for the
    ///     number with which the index is saved.
    ///   - keepsPreviousRows: Whether the index before an edit stays in use, and must remain readable if its
    ///     cache entry changes.
    package init(_ index: SectionIndex, rowsPerChunk: Int? = nil, keepsPreviousRows: Bool = true) {
        self.index = index
        self.keepsPreviousRows = keepsPreviousRows
        self.rowsPerChunk = rowsPerChunk
    }

    /// Returns the positions of rows, with nil for those that are not in the index.
    ///
    /// - Returns: The positions; nil if the rows can no longer be read from the cache.
    /// - Complexity: O(*n*) in the number of rows the first time. Later O(*k*) for *k* rows, plus for each
    ///   the number of rows that were inserted into and removed from its chunk; four bytes are kept for each
    ///   row if the IDs are dense.
    package func positions(of rowIDs: [Int64]) -> [Int?]? {
        let chunks = editable().chunks
        if map == nil {
            // One search of few rows does not pay for the map; the second search makes it.
            let isWorthMap = hasSearched || rowIDs.count > Self.fewRows
            hasSearched = true
            guard isWorthMap, RowMap.fits(chunks) else { return search(rowIDs, in: chunks) }
            guard let made = RowMap(chunks) else { return nil }
            map = made
        }
        guard let map else { return nil }
        return search(rowIDs, in: chunks, map: map)
    }

    /// Applies an edit.
    ///
    /// - Returns: Whether the rows could be read; if not, nothing was changed.
    /// - Complexity: O(*s* + *c* + *k* · *r*) in the numbers of sections, chunks and changes, where a chunk
    ///   holds *r* rows.
    package func apply(_ edit: SectionIndexEdit) -> Bool {
        let old = editable()
        guard let chunks = old.chunks.applying(edit, isKept: keepsPreviousRows) else { return false }
        let new = EditedIndex(
            chunks: chunks.list,
            sections: old.sections.applying(edit, numberOfRows: old.chunks.numberOfRows))
        // A map that can no longer be used is made again by the next search.
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

    /// Searches all chunks, and compares with their digests those in which it finds a row.
    ///
    /// A chunk that matches its digest does hold the rows that were found in it, and an ID is in an index
    /// once; so if all rows were found, the other chunks need not be compared. A row that was not found may
    /// be in any of them.
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

    /// Searches at the hints of the map.
    private func search(_ rowIDs: [Int64], in chunks: ChunkList, map: RowMap) -> [Int?]? {
        var positions: [Int?] = []
        positions.reserveCapacity(rowIDs.count)
        for rowID in rowIDs {
            guard let hint = map.hint(of: rowID) else {
                positions.append(nil)
                continue
            }
            let chunk = chunks.chunks[hint.chunk]
            // The chunk may be searched again, so its rows stay in memory.
            guard chunk.keep(), let position = chunk.position(of: rowID, near: hint.row) else { return nil }
            positions.append(position < 0 ? nil : chunks.starts[hint.chunk] + position)
        }
        return positions
    }
}
