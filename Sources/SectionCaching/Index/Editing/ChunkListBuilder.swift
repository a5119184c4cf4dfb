/// A builder of a list of chunks, which splits chunks that are too large and merges those that are too small.
struct ChunkListBuilder {
    private let rowsPerChunk: Int
    private var chunks: [IndexChunk] = []
    private var origins: [Int?] = []
    /// The rows that were appended last. Rows that follow may still be merged with them.
    private var pending: Pending?

    private struct Pending {
        enum Rows {
            case chunk(IndexChunk)
            case merged([Int64])
        }

        var rows: Rows
        /// The position of the chunk before the edit, if the rows were one.
        let origin: Int?
        /// Whether the edit touched it. Two chunks that the edit did not touch are never merged.
        let isNew: Bool

        var count: Int {
            switch rows {
            case .chunk(let chunk): chunk.count
            case .merged(let rowIDs): rowIDs.count
            }
        }
    }

    /// - Parameter capacity: The approximate number of chunks.
    init(rowsPerChunk: Int, capacity: Int) {
        self.rowsPerChunk = rowsPerChunk
        chunks.reserveCapacity(capacity)
        origins.reserveCapacity(capacity)
    }

    /// Appends a chunk.
    ///
    /// - Parameters:
    ///   - origin: The position of the chunk before the edit.
    ///   - isNew: Whether the edit touched it.
    /// - Returns: False if rows that had to be read could not be read.
    mutating func append(_ chunk: IndexChunk, origin: Int, isNew: Bool) -> Bool {
        add(Pending(rows: .chunk(chunk), origin: origin, isNew: isNew))
    }

    /// Appends chunks that the edit did not touch. Their indices are their positions before the edit.
    mutating func append(untouched added: ArraySlice<IndexChunk>) -> Bool {
        var rest = added
        // The first ones may be merged with rows before them.
        while pending?.isNew ?? true, let chunk = rest.popFirst() {
            guard append(chunk, origin: rest.startIndex - 1, isNew: false) else { return false }
        }
        guard let last = rest.popLast() else { return true }
        guard flush() else { return false }
        chunks += rest
        origins += rest.indices.map(Optional.init)
        pending = Pending(rows: .chunk(last), origin: rest.endIndex, isNew: false)
        return true
    }

    /// Appends inserted rows; none for a chunk that becomes empty.
    mutating func append(_ rowIDs: [Int64], origin: Int?) -> Bool {
        rowIDs.isEmpty || add(Pending(rows: .merged(rowIDs), origin: origin, isNew: true))
    }

    mutating func finish() -> ChunkList.Edited? {
        guard flush() else { return nil }
        return ChunkList.Edited(list: ChunkList(chunks, rowsPerChunk: rowsPerChunk), origins: origins)
    }

    private mutating func add(_ next: Pending) -> Bool {
        guard let last = pending, last.isNew || next.isNew, last.count + next.count <= rowsPerChunk else {
            guard flush() else { return false }
            pending = next
            return true
        }
        // No other reference to the array remains, so it grows in place.
        pending = nil
        guard var rowIDs = Self.rowIDs(of: consume last), let added = Self.rowIDs(of: next) else {
            return false
        }
        rowIDs += added
        pending = Pending(rows: .merged(rowIDs), origin: nil, isNew: true)
        return true
    }

    private static func rowIDs(of pending: consuming Pending) -> [Int64]? {
        switch pending.rows {
        case .chunk(let chunk): chunk[0..<chunk.count]
        case .merged(let rowIDs): rowIDs
        }
    }

    private mutating func flush() -> Bool {
        guard let last = pending else { return true }
        pending = nil
        switch last.rows {
        case .chunk(let chunk) where !last.isNew || chunk.count <= 2 * rowsPerChunk:
            chunks.append(chunk)
            origins.append(last.origin)
        case .chunk(let chunk):
            guard let rowIDs = chunk[0..<chunk.count] else { return false }
            cut(rowIDs, origin: last.origin)
        case .merged(let rowIDs): cut(rowIDs, origin: last.origin)
        }
        return true
    }

    /// Appends rows as chunks of about equal size.
    private mutating func cut(_ rows: [Int64], origin: Int?) {
        let pieces = rows.count > 2 * rowsPerChunk ? (rows.count + rowsPerChunk - 1) / rowsPerChunk : 1
        for piece in 0..<pieces {
            let bounds = rows.count * piece / pieces..<rows.count * (piece + 1) / pieces
            chunks.append(IndexChunk(rows[bounds]))
            origins.append(piece == 0 ? origin : nil)
        }
    }
}
