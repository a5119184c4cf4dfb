import LMDB

extension WriteTransaction {
    /// Returns the entries of a cache with all their keys.
    func entries(in database: NamedDatabase) throws(LMDBError) -> [StoredEntry] {
        var entries: [StoredEntry] = []
        let pageSize = try statistics(of: database).pageSize
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
            entries[entries.count - 1].byteCount += Self.occupiedByteCount(
                key: key, value: value, pageSize: pageSize)
            return true
        }
        return entries
    }

    /// Returns the approximate number of bytes that a value takes in the file: LMDB gives whole pages to
    /// values that are larger than half a page, and the first page begins with LMDB's header of 16 bytes.
    private static func occupiedByteCount(key: [UInt8], value: RawSpan, pageSize: Int) -> Int {
        let byteCount = 8 + key.count + value.byteCount
        guard byteCount > pageSize / 2 else { return byteCount }
        return 16 + key.count + (16 + value.byteCount + pageSize - 1) / pageSize * pageSize
    }

    /// Removes an entry.
    func remove(_ entry: StoredEntry, from database: NamedDatabase) throws(LMDBError) {
        for key in entry.keys { try removeValue(for: key, in: database) }
    }
}

extension WriteTransaction {
    /// Carries out a plan: writes new values, and removes chunks that no reader needs.
    mutating func carryOut(
        _ plan: EntryEncoder.Plan, for request: SectionCacheRequest, in database: NamedDatabase
    ) throws(LMDBError) {
        let store = request.token.storeIdentity
        let directoryKey = CacheFormat.directoryKey(request.fingerprint, store: store)
        var stale: [[UInt8]] = []
        try forEach(in: database, from: directoryKey) { key, _ in
            guard key.starts(with: directoryKey.dropLast()) else { return false }
            if key.count == CacheFormat.chunkKeySize, key[48] == CacheFormat.Kind.chunk.rawValue,
                !plan.numbers.contains(CacheFormat.number(inChunkKey: key))
            {
                stale.append(key)
            }
            return true
        }
        for key in stale { try removeValue(for: key, in: database) }
        for chunk in plan.written {
            let key = CacheFormat.chunkKey(request.fingerprint, store: store, number: chunk.record.number)
            try put(chunk.bytes, for: key, in: database)
        }
        try put(plan.directory, for: directoryKey, in: database)
    }
}
