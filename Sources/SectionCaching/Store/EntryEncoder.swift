import LMDB

/// An index on its way to be an entry: its directory and chunks, encoded as far as can be before the write
/// transaction begins, which other processes may be waiting for.
struct EntryEncoder {
    private let request: SectionCacheRequest
    private let directory: DirectoryEncoder
    private let chunks: [IndexChunk]
    /// Whether the index was computed, and so replaces whatever is stored.
    let isComputed: Bool
    /// For each chunk its bytes, if they have to be written or were once tried to be.
    private var encoded: [EncodedChunk?]
    /// What all chunks begin with that are written.
    private let generation = ChunkRecord.newGeneration()

    private typealias EncodedChunk = (bytes: [UInt8], record: ChunkRecord)

    /// Why nothing is written.
    enum Failure: Error {
        /// The entry is as of the token already.
        case alreadyStored
        /// Rows that were never in memory cannot be read any more.
        case lostRows
    }

    /// Encodes the chunks of an index that are not known to be stored.
    init(_ index: SectionIndex, for request: SectionCacheRequest) {
        self.request = request
        let rowsPerChunk: Int
        if case .memory(let memory) = index.backing {
            isComputed = true
            (rowsPerChunk, chunks) = (memory.chunks.rowsPerChunk, memory.chunks.chunks)
        } else {
            let list = EditedIndex(index).chunks
            isComputed = false
            (rowsPerChunk, chunks) = (list.rowsPerChunk, list.chunks)
        }
        directory = DirectoryEncoder(index, rowsPerChunk: rowsPerChunk, for: request)
        encoded = Array(repeating: nil, count: chunks.count)
        for (position, chunk) in chunks.enumerated() where isComputed || chunk.record == nil {
            // Rows without a record are in memory.
            encoded[position] = chunk.packed(isKept: false)?.stored(as: generation)
        }
    }

    /// The bytes of the whole entry.
    var byteCount: Int {
        zip(chunks, encoded).reduce(directory.byteCount(numberOfChunks: chunks.count)) { total, next in
            total + ((next.1?.record ?? next.0.record)?.byteCount ?? 0)
        }
    }

    /// The bytes that have to be written if all other chunks are still stored.
    var newByteCount: Int {
        encoded.reduce(directory.byteCount(numberOfChunks: chunks.count)) { $0 + ($1?.bytes.count ?? 0) }
    }

    /// Encodes all chunks, so that none needs to be stored.
    mutating func encodeAll() throws(Failure) {
        for position in chunks.indices { _ = try encode(position) }
    }

    private mutating func encode(_ position: Int) throws(Failure) -> EncodedChunk {
        if let chunk = encoded[position] { return chunk }
        guard let rows = chunks[position].packed(isKept: false) else { throw .lostRows }
        let chunk = rows.stored(as: generation)
        encoded[position] = chunk
        return chunk
    }
}

extension EntryEncoder {
    /// What is to be done to the entry that is stored.
    struct Plan {
        /// The directory's value.
        let directory: [UInt8]
        /// The chunks that are written, and under which keys.
        fileprivate(set) var written: [(chunk: IndexChunk, record: ChunkRecord, bytes: [UInt8])] = []
        /// The numbers under which there is a chunk afterwards.
        let numbers: Set<UInt32>

        /// The bytes of all values that are written.
        var byteCount: Int { written.reduce(directory.count) { $0 + $1.bytes.count } }

        /// Lets the chunks know as what they are stored; called when the transaction was committed.
        func wasCommitted() { for chunk in written { chunk.chunk.wasStored(as: chunk.record) } }
    }

    /// Decides which chunks are written and which of those that are stored are kept.
    ///
    /// A chunk is kept if the stored directory lists exactly it: number, generation and digest; so it does
    /// not matter who wrote the entry, or from which state. What the directory lists and the index does not
    /// have is retired: it stays until the entry is advanced again, for readers that are one advance behind.
    ///
    /// - Parameters:
    ///   - stored: The directory that is stored; nil if there is none that can be believed.
    ///   - sequence: The number of the commit.
    mutating func plan(over stored: SectionDirectory?, sequence: UInt64) throws(Failure) -> Plan {
        let stored = isComputed ? nil : stored
        if let stored, stored.isAsOf(request.token) { throw .alreadyStored }
        var available: [UInt32: ChunkRecord] = [:]
        var taken: Set<UInt32> = []
        if let stored {
            for position in 0..<stored.numberOfChunks {
                let record = stored.chunk(at: position)
                available[record.number] = record
                taken.insert(record.number)
            }
            for position in 0..<stored.numberOfRetiredChunks {
                taken.insert(stored.retiredNumber(at: position))
            }
        }
        var records: [ChunkRecord] = []
        records.reserveCapacity(chunks.count)
        var written: [(chunk: IndexChunk, record: ChunkRecord, bytes: [UInt8])] = []
        var number: UInt32 = 0
        for (position, chunk) in chunks.enumerated() {
            if let record = chunk.record, available[record.number] == record {
                // Compared with its digest once, so that damage is not handed on from one advance to the
                // next.
                guard chunk.isReadable() else { throw .lostRows }
                available[record.number] = nil
                records.append(record)
            } else {
                while taken.contains(number) { number += 1 }
                var (bytes, record) = try encode(position)
                record.number = number
                number += 1
                records.append(record)
                written.append((chunk, record, bytes))
            }
        }
        let retired = available.keys.sorted()
        return Plan(
            directory: directory.encoded(sequence: sequence, chunks: records, retired: retired),
            written: written, numbers: Set(records.map(\.number)).union(retired))
    }
}

extension WriteTransaction {
    /// Carries a plan out: writes what is new and removes what nobody reads any more.
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
