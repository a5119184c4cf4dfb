import InternalUtilities

/// The rows of an edited index: chunks in order, and the number of rows before each.
///
/// A flat array: a million rows are some hundred chunks, and copying this many references takes less time
/// than walking a tree.
struct ChunkList: Sendable {
    private(set) var chunks: [IndexChunk]
    /// The position of the first row of each chunk, and at the end the number of rows.
    private(set) var starts: [Int]
    /// The number of rows that a chunk is meant to hold. No chunk holds more than twice as many.
    let rowsPerChunk: Int

    init(_ chunks: [IndexChunk], rowsPerChunk: Int) {
        self.chunks = chunks
        self.rowsPerChunk = rowsPerChunk
        starts = [0]
        starts.reserveCapacity(chunks.count + 1)
        var end = 0
        for chunk in chunks {
            end += chunk.count
            starts.append(end)
        }
    }

    var numberOfRows: Int { starts[chunks.count] }

    /// Returns the position of the chunk that holds a row.
    ///
    /// - Complexity: O(log *c*) in the number of chunks.
    func chunkPosition(containing row: Int) -> Int {
        chunks.indices.dropFirst().partitioningIndex { starts[$0] > row } - 1
    }

    /// Returns the IDs of the rows at some positions; nil if some can no longer be read.
    func rowIDs(in rows: Range<Int>) -> [Int64]? {
        guard !rows.isEmpty else { return [] }
        var rowIDs: [Int64] = []
        rowIDs.reserveCapacity(rows.count)
        var position = chunkPosition(containing: rows.lowerBound)
        while rowIDs.count < rows.count {
            let first = starts[position]
            let wanted = rows.clamped(to: first..<starts[position + 1])
            let part = chunks[position][wanted.lowerBound - first..<wanted.upperBound - first]
            guard let part else { return nil }
            rowIDs += part
            position += 1
        }
        return rowIDs
    }

    /// Returns the ID of one row; nil if it can no longer be read.
    func rowID(at position: Int) -> Int64? {
        let number = chunkPosition(containing: position)
        return chunks[number][position - starts[number]]
    }

    /// Returns the position of an ID by scanning chunk by chunk.
    func position(ofRowID id: Int64) -> SectionIndex.RowPosition {
        for (chunk, start) in zip(chunks, starts) {
            guard let position = chunk.position(of: id) else { return .lost }
            if position >= 0 { return .found(start + position) }
        }
        return .absent
    }
}
