import LMDB

extension SectionCacheStore {
    /// Hands an index over to be saved, and returns at once.
    ///
    /// What keeps it from being saved is recorded in ``lastProblem``; the next look-up is then a miss.
    public func save(_ index: SectionIndex, for request: SectionCacheRequest) {
        guard !options.isReadOnly, !index.isPersisted else { return }
        writer.enqueueSave(under: request.name) { [self] in write(index, for: request) }
    }

    /// The greatest size of one entry, so that a transaction stays within what LMDB can keep track of.
    private static let maximumEntrySize = 64 << 20

    private func write(_ index: SectionIndex, for request: SectionCacheRequest) {
        guard case .success(let environment) = environment(), let encoded = EncodedIndex(index, for: request)
        else {
            return
        }
        guard encoded.byteCount <= min(Self.maximumEntrySize, environment.options.mapSize / 2) else {
            return note(
                .off(.failure("the entry of \(encoded.byteCount) bytes is larger than a cache takes")))
        }
        do throws(LMDBError) {
            try environment.removeDeadReaders()
            try evict(toFit: encoded.byteCount, in: environment)
            do throws(LMDBError) {
                try put(encoded, for: request, in: environment)
            } catch  where error.code == .mapFull || error.code == .transactionFull {
                // Freed pages can be used again two commits later, so everything goes, and small commits
                // follow.
                try evictAll(in: environment)
                try put(encoded, for: request, in: environment)
            }
        } catch  where error.code == .databasesFull {
            // Names never go from a directory, so a new one has to take its place.
            let reason = MissReason.off(.failure("the directory has more than \(Self.maximumNames) names"))
            note(reason)
            leaveDamagedEnvironment(reason)
        } catch {
            _ = noteFailure(error)
        }
    }

    private func put(
        _ encoded: EncodedIndex, for request: SectionCacheRequest, in environment: Environment
    ) throws(LMDBError) {
        try environment.write { (transaction) throws(LMDBError) in
            let database = try transaction.database(creating: request.name.rawValue)
            let store = request.token.storeIdentity
            let directoryKey = CacheFormat.directoryKey(request.fingerprint, store: store)
            var staleChunks: [[UInt8]] = []
            let firstStale = CacheFormat.chunkKey(
                request.fingerprint, store: store, number: encoded.chunks.count)
            try transaction.forEach(in: database, from: firstStale) { key, _ in
                guard
                    key.prefix(CacheFormat.directoryKeySize)
                        == firstStale.prefix(CacheFormat.directoryKeySize)
                else {
                    return false
                }
                staleChunks.append(key)
                return true
            }
            for key in staleChunks { try transaction.removeValue(for: key, in: database) }
            for (number, chunk) in encoded.chunks.enumerated() {
                let key = CacheFormat.chunkKey(request.fingerprint, store: store, number: number)
                try transaction.put(chunk, for: key, in: database)
            }
            let directory = encoded.directory(
                sequence: UInt64(transaction.identifier), name: request.name, key: request.authenticationKey)
            try transaction.put(directory, for: directoryKey, in: database)
            try removeOldest(in: database, keeping: options.maximumEntriesPerName, &transaction)
        }
    }

    /// Removes the entries of a name that were saved longest ago, but for so many.
    private func removeOldest(
        in database: NamedDatabase, keeping count: Int, _ transaction: inout WriteTransaction
    ) throws(LMDBError) {
        let entries = try transaction.entries(in: database).sorted { $0.sequence > $1.sequence }
        for entry in entries.dropFirst(max(1, count)) { try transaction.remove(entry, from: database) }
    }
}

/// An entry as far as keeping house needs it.
struct StoredEntry {
    let prefix: [UInt8]
    let sequence: UInt64
    var keys: [[UInt8]]
    /// The bytes that it takes in the file, about.
    var byteCount: Int
}

extension WriteTransaction {
    /// The entries of a cache with all their keys.
    func entries(in database: NamedDatabase) throws(LMDBError) -> [StoredEntry] {
        var entries: [StoredEntry] = []
        try forEach(in: database) { key, value in
            let prefix = Array(key.prefix(48))
            if entries.last?.prefix != prefix {
                // The directory's key comes before its chunks' keys; its sequence number is at byte 16.
                let sequence: UInt64 =
                    value.byteCount >= 24 && key.count == CacheFormat.directoryKeySize
                    ? UInt64(littleEndian: value.unsafeLoadUnaligned(fromByteOffset: 16, as: UInt64.self)) : 0
                entries.append(StoredEntry(prefix: prefix, sequence: sequence, keys: [], byteCount: 0))
            }
            entries[entries.count - 1].keys.append(key)
            entries[entries.count - 1].byteCount += Self.occupiedByteCount(key: key, value: value)
            return true
        }
        return entries
    }

    /// The bytes that a value takes in the file, about: LMDB gives whole pages to those that are larger than half of one.
    private static func occupiedByteCount(key: [UInt8], value: RawSpan) -> Int {
        let pageSize = 4_096
        let byteCount = 8 + key.count + value.byteCount
        return byteCount <= pageSize / 2 ? byteCount : (byteCount / pageSize + 1) * pageSize
    }

    /// Removes an entry.
    func remove(_ entry: StoredEntry, from database: NamedDatabase) throws(LMDBError) {
        for key in entry.keys { try removeValue(for: key, in: database) }
    }
}
