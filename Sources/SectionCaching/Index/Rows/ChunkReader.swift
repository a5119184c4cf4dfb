import LMDB

/// A reader of the chunks of one entry. It reads each chunk in a short transaction, so that no state of the
/// cache is pinned in between.
final class ChunkReader: Sendable {
    private let environment: Environment
    private let database: NamedDatabase
    private let fingerprint: RequestFingerprint
    private let storeIdentity: [UInt8]

    init(
        environment: Environment, database: NamedDatabase, fingerprint: RequestFingerprint,
        storeIdentity: [UInt8]
    ) {
        self.environment = environment
        self.database = database
        self.fingerprint = fingerprint
        self.storeIdentity = storeIdentity
    }

    /// Lends a chunk's bytes to a closure, directly from the map.
    ///
    /// - Parameter isVerified: Whether the chunk was compared with its digest before.
    /// - Returns: Nil if the chunk no longer exists, or differs from the record.
    func read<Result>(_ record: ChunkRecord, isVerified: Bool, _ body: (RawSpan) -> Result?) -> Result? {
        guard environment.isUsable else { return nil }
        let key = CacheFormat.chunkKey(fingerprint, store: storeIdentity, number: record.number)
        do throws(LMDBError) {
            return try environment.read { (transaction) throws(LMDBError) -> Result? in
                let result = try transaction.withValue(of: key, in: database) { chunk -> Result? in
                    record.describes(chunk, isVerified: isVerified) ? body(chunk) : nil
                }
                return result ?? nil
            }
        } catch {
            return nil
        }
    }

    /// Lends a chunk's bytes to a closure, and compares them with the digest if the closure asks for it.
    ///
    /// - Parameter body: Reads bytes of which only the length and the generation are verified, and returns
    ///   whether the digest is needed; nil if they are not a chunk.
    /// - Returns: Whether they were compared. Nil if the chunk no longer exists, or differs from the record.
    func look(_ record: ChunkRecord, _ body: (RawSpan) -> Bool?) -> Bool? {
        read(record, isVerified: true) { chunk in
            guard let needsDigest = body(chunk) else { return nil }
            guard needsDigest else { return false }
            return record.describes(chunk, isVerified: false) ? true : nil
        }
    }
}
