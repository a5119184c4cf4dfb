import LMDB

/// Reads the chunks of one entry, each in a short transaction, so that nothing is pinned between them.
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

    /// Lends a chunk's bytes to a closure, straight from the map.
    ///
    /// - Parameter isVerified: Whether the chunk was compared with its digest before.
    /// - Returns: Nil if the chunk is not there any more, or not as the record says.
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

    /// Lends a chunk's bytes to a closure, and compares them with the digest if it says so.
    ///
    /// - Parameter body: Looks at bytes of which only the length and the generation are known to be right,
    ///   and tells whether it is worth while to know that all are; nil if they are no chunk.
    /// - Returns: Whether they were compared. Nil if the chunk is not there any more, or not as the record
    ///   says.
    func look(_ record: ChunkRecord, _ body: (RawSpan) -> Bool?) -> Bool? {
        read(record, isVerified: true) { chunk in
            guard let isToBeCompared = body(chunk) else { return nil }
            guard isToBeCompared else { return false }
            return record.describes(chunk, isVerified: false) ? true : nil
        }
    }
}
