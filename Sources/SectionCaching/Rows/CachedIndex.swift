import LMDB
import InternalUtilities
import Synchronization

/// The rows of an index that is in a cache: read chunk by chunk, each checked against the directory when it
/// is first touched.
///
/// Reads are short transactions, so nothing is pinned between them. A chunk that was replaced meanwhile shows
/// by its generation, and the index is lost; it never mixes old and new rows. Chunks that were read for an
/// edit stay in memory, so that this index answers for them as long as it is used.
final class CachedIndex: Sendable {
    let directory: SectionDirectory
    /// Whose entry it is.
    let fingerprint: RequestFingerprint
    private let reader: ChunkReader
    /// The chunks, each made when it is first touched: a start touches few.
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

    /// The IDs of the rows at some positions, or nil if the index is lost.
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

    /// The ID of one row, or nil if the index is lost.
    func rowID(at position: Int) -> Int64? {
        let number = chunkPosition(containing: position)
        return chunk(at: number)[position - directory.firstRow(ofChunk: number)]
    }

    /// The position of an ID: a scan, chunk by chunk.
    func position(ofRowID id: Int64) -> SectionIndex.RowPosition {
        for number in 0..<directory.numberOfChunks {
            guard let position = chunk(at: number).position(of: id) else { return .lost }
            if position >= 0 { return .found(directory.firstRow(ofChunk: number) + position) }
        }
        return .absent
    }

    /// Whether every chunk is as the directory says.
    func isWhole() -> Bool { (0..<directory.numberOfChunks).allSatisfy { chunk(at: $0).isReadable() } }

    /// All chunks, which edited versions share.
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
