import LMDB
import InternalUtilities
import Synchronization

/// The rows of an index in a cache, read chunk by chunk. Each chunk is checked against the directory when it
/// is first read.
///
/// Reads are short transactions, so no state of the cache is pinned between them. A chunk that was replaced
/// meanwhile is recognized by its generation, and the index is lost; old and new rows are never mixed. Chunks
/// that were read for an edit stay in memory, so this index can return their rows as long as it is in use.
final class CachedIndex: Sendable {
    let directory: SectionDirectory
    /// The fingerprint of the entry's request.
    let fingerprint: RequestFingerprint
    private let reader: ChunkReader
    /// The chunks. Each is created when it is first accessed, because a start accesses few of them.
    private let chunks: Mutex<[IndexChunk?]>

    init(
        _ directory: SectionDirectory, environment: Environment, database: NamedDatabase,
        fingerprint: RequestFingerprint
    ) {
        self.directory = directory
        self.fingerprint = fingerprint
        reader = ChunkReader(
            environment: environment, database: database, fingerprint: fingerprint,
            storeIdentity: directory.storeIdentity)
        chunks = Mutex(Array(repeating: nil, count: directory.numberOfChunks))
    }

    /// Returns the IDs of the rows at some positions, or nil if the index is lost.
    func rowIDs(in rows: Range<Int>) -> [Int64]? {
        guard !rows.isEmpty else { return [] }
        var rowIDs: [Int64] = []
        rowIDs.reserveCapacity(rows.count)
        var position = chunkPosition(containing: rows.lowerBound)
        while rowIDs.count < rows.count {
            let first = directory.firstRow(ofChunk: position)
            let chunk = chunk(at: position)
            let wanted = rows.clamped(to: first..<first + chunk.count)
            guard let part = chunk[wanted.lowerBound - first..<wanted.upperBound - first] else { return nil }
            rowIDs += part
            position += 1
        }
        return rowIDs
    }

    /// Returns the ID of one row, or nil if the index is lost.
    func rowID(at position: Int) -> Int64? {
        let number = chunkPosition(containing: position)
        return chunk(at: number)[position - directory.firstRow(ofChunk: number)]
    }

    /// Returns the position of an ID by scanning chunk by chunk.
    func position(ofRowID id: Int64) -> SectionIndex.RowPosition {
        for number in 0..<directory.numberOfChunks {
            guard let position = chunk(at: number).position(of: id) else { return .lost }
            if position >= 0 { return .found(directory.firstRow(ofChunk: number) + position) }
        }
        return .absent
    }

    /// Returns whether every chunk matches the directory.
    func isWhole() -> Bool { (0..<directory.numberOfChunks).allSatisfy { chunk(at: $0).isReadable() } }

    /// All chunks, which edited versions of the index share.
    var allChunks: [IndexChunk] { (0..<directory.numberOfChunks).map(chunk(at:)) }

    private func chunk(at position: Int) -> IndexChunk {
        chunks.withLock { chunks in
            if let chunk = chunks[position] { return chunk }
            let chunk = IndexChunk(directory.chunk(at: position), reader: reader)
            chunks[position] = chunk
            return chunk
        }
    }

    private func chunkPosition(containing row: Int) -> Int {
        (1..<directory.numberOfChunks).partitioningIndex { directory.firstRow(ofChunk: $0) > row } - 1
    }
}
