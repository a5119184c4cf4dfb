import LMDB

/// An encoder of an index as an entry: a directory and chunks. As much as possible is encoded before the
/// write transaction begins, because other processes may wait for its end.
struct EntryEncoder {
    private let request: SectionCacheRequest
    private let directory: DirectoryEncoder
    private let chunks: [IndexChunk]
    /// Whether the index was computed, and so replaces any stored entry.
    let isComputed: Bool
    /// The bytes of each chunk, if they have to be written or have been encoded before.
    private var encoded: [EncodedChunk?]
    /// The generation with which all written chunks begin.
    private let generation = ChunkRecord.newGeneration()

    private typealias EncodedChunk = (bytes: [UInt8], record: ChunkRecord)

    /// The reason why nothing is written.
    enum Failure: Error {
        /// The stored entry has the token already.
        case alreadyStored
        /// Rows that were never in memory can no longer be read.
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

    /// The number of bytes of the whole entry.
    var byteCount: Int {
        zip(chunks, encoded).reduce(directory.byteCount(numberOfChunks: chunks.count)) { total, next in
            total + ((next.1?.record ?? next.0.record)?.byteCount ?? 0)
        }
    }

    /// The number of bytes to write if all other chunks are still stored.
    var newByteCount: Int {
        encoded.reduce(directory.byteCount(numberOfChunks: chunks.count)) { $0 + ($1?.bytes.count ?? 0) }
    }

    /// Encodes all chunks, so that the entry needs no stored one.
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
    /// The changes to the stored entry.
    struct Plan {
        /// The value of the directory.
        let directory: [UInt8]
        /// The chunks that are written, with their records.
        fileprivate(set) var written: [(chunk: IndexChunk, record: ChunkRecord, bytes: [UInt8])] = []
        /// The numbers of all chunks that exist afterwards.
        let numbers: Set<UInt32>

        /// The number of bytes of all values that are written.
        var byteCount: Int { written.reduce(directory.count) { $0 + $1.bytes.count } }

        /// Sets the records of the written chunks. Called when the transaction was committed.
        func wasCommitted() { for chunk in written { chunk.chunk.wasStored(as: chunk.record) } }
    }

    /// Determines which chunks are written, and which of the stored ones are kept.
    ///
    /// A chunk is kept if the stored directory lists it with the same number, generation and digest,
    /// regardless of which program wrote the entry, and from which state. Chunks that the directory lists and
    /// the index does not contain are retired: they stay until the entry is advanced again, for readers that
    /// are one advance behind.
    ///
    /// - Parameters:
    ///   - stored: The stored directory; nil if none is authentic.
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
                // The chunk is compared with its digest once, so that damage is not passed on from one
                // advance to the next.
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
