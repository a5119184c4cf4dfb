import Crypto
import LMDB
import Synchronization

/// The rows of an index that is in a cache: read chunk by chunk, each checked against the directory when it
/// is first touched.
///
/// Reads are short transactions, so nothing is pinned between them. An entry that was replaced meanwhile
/// shows by its chunks' generation, and the index is lost; it never mixes old and new rows.
final class CachedIndex: Sendable {
    let directory: SectionDirectory
    private let environment: Environment
    private let database: NamedDatabase
    private let fingerprint: RequestFingerprint
    /// Which chunks were found to be as the directory says.
    private let verified: Mutex<[Bool]>

    init(
        _ directory: SectionDirectory, environment: Environment, database: NamedDatabase,
        fingerprint: RequestFingerprint
    ) {
        self.directory = directory
        self.environment = environment
        self.database = database
        self.fingerprint = fingerprint
        verified = Mutex(Array(repeating: false, count: directory.numberOfChunks))
    }

    /// The IDs of the rows at some positions, or nil if the index is lost.
    func rowIDs(in rows: Range<Int>) -> [Int64]? {
        guard !rows.isEmpty else { return [] }
        let perChunk = directory.layout.rowsPerChunk
        var rowIDs: [Int64] = []
        rowIDs.reserveCapacity(rows.count)
        for number in rows.lowerBound / perChunk...(rows.upperBound - 1) / perChunk {
            let chunkRows = directory.rows(ofChunk: number)
            let wanted = rows.clamped(to: chunkRows)
            let part = withChunk(number) { chunk in
                ChunkCoding.decode(
                    chunk,
                    rows: wanted.lowerBound - chunkRows.lowerBound..<wanted.upperBound - chunkRows.lowerBound,
                    rowCount: chunkRows.count)
            }
            guard let part else { return nil }
            rowIDs += part
        }
        return rowIDs
    }

    /// The position of an ID: a scan, chunk by chunk.
    func position(ofRowID id: Int64) -> SectionIndex.RowPosition {
        for number in 0..<directory.numberOfChunks {
            let rows = directory.rows(ofChunk: number)
            let position = withChunk(number) { ChunkCoding.position(of: id, in: $0, rowCount: rows.count) }
            guard let position else { return .lost }
            if position >= 0 { return .found(rows.lowerBound + position) }
        }
        return .absent
    }

    /// Whether every chunk is as the directory says.
    func isWhole() -> Bool {
        (0..<directory.numberOfChunks).allSatisfy { withChunk($0) { _ in true } ?? false }
    }

    private func withChunk<Result>(_ number: Int, _ body: (RawSpan) -> Result?) -> Result? {
        guard environment.isUsable else { return nil }
        let key = CacheFormat.chunkKey(fingerprint, store: directory.storeIdentity, number: number)
        do throws(LMDBError) {
            return try environment.read { (transaction) throws(LMDBError) -> Result? in
                let result = try transaction.withValue(of: key, in: database) { chunk -> Result? in
                    isGenuine(chunk, number) ? body(chunk) : nil
                }
                return result ?? nil
            }
        } catch {
            return nil
        }
    }

    private func isGenuine(_ chunk: RawSpan, _ number: Int) -> Bool {
        guard ChunkCoding.generation(of: chunk).elementsEqual(directory.generation) else { return false }
        if verified.withLock({ $0[number] }) { return true }
        let isGenuine = chunk.withUnsafeBytes { bytes in
            SHA256.hash(data: bytes).elementsEqual(directory.digest(ofChunk: number))
        }
        if isGenuine { verified.withLock { $0[number] = true } }
        return isGenuine
    }
}
