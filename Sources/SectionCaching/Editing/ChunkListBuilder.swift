/// Puts chunks one after the other, splitting those that are too large and merging those that are too small.
struct ChunkListBuilder {
    private let rowsPerChunk: Int
    private var chunks: [IndexChunk] = []
    private var origins: [Int?] = []
    /// The last rows that were added, which what follows may still be merged with.
    private var pending: Pending?

    private enum Pending {
        /// A chunk that the edit does not touch.
        case chunk(IndexChunk, position: Int)
        /// Rows for a new chunk.
        case rows([Int64], origin: Int?)
    }

    init(rowsPerChunk: Int) { self.rowsPerChunk = rowsPerChunk }

    /// Adds a chunk that the edit does not touch.
    ///
    /// - Returns: Whether all rows could be read that had to be.
    mutating func append(_ chunk: IndexChunk, position: Int) -> Bool {
        if case .rows(let rows, _) = pending, rows.count + chunk.count <= rowsPerChunk {
            guard let added = chunk.load() else { return false }
            merge(with: added)
        } else {
            flush()
            pending = .chunk(chunk, position: position)
        }
        return true
    }

    /// Adds rows of a chunk that the edit touches; none for one that becomes empty.
    mutating func append(_ rows: [Int64], origin: Int?) -> Bool {
        guard !rows.isEmpty else { return true }
        switch pending {
        case .rows(let before, _) where before.count + rows.count <= rowsPerChunk: merge(with: rows[...])
        case .chunk(let chunk, _) where chunk.count + rows.count <= rowsPerChunk:
            guard let before = chunk.load() else { return false }
            pending = .rows(Array(before), origin: nil)
            merge(with: rows[...])
        default:
            flush()
            pending = .rows(rows, origin: origin)
        }
        return true
    }

    consuming func finish() -> ChunkList.Edited {
        flush()
        return ChunkList.Edited(list: ChunkList(chunks, rowsPerChunk: rowsPerChunk), origins: origins)
    }

    /// Adds rows to those that are pending, in place.
    private mutating func merge(with added: ArraySlice<Int64>) {
        guard case .rows(var rows, _) = pending else { return }
        pending = nil
        rows += added
        pending = .rows(rows, origin: nil)
    }

    private mutating func flush() {
        switch pending {
        case .chunk(let chunk, let position):
            chunks.append(chunk)
            origins.append(position)
        case .rows(let rows, let origin): cut(rows, origin: origin)
        case nil: break
        }
        pending = nil
    }

    /// Makes chunks of about one size.
    private mutating func cut(_ rows: [Int64], origin: Int?) {
        let pieces = rows.count > 2 * rowsPerChunk ? (rows.count + rowsPerChunk - 1) / rowsPerChunk : 1
        for piece in 0..<pieces {
            let bounds = rows.count * piece / pieces..<rows.count * (piece + 1) / pieces
            chunks.append(IndexChunk(rows[bounds]))
            origins.append(piece == 0 ? origin : nil)
        }
    }
}
