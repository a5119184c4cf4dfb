import Synchronization

/// A run of an index's rows, which all versions of the index that hold it share.
///
/// Its rows never change. They are in memory, or stored, or both: rows of a cache come into memory when an edit touches them and stay
/// there, so that earlier versions can be read whatever becomes of the entry; rows in memory are stored when the index is saved, and the
/// chunk then knows as what, so that saving a later version need not write it again.
final class IndexChunk: Sendable {
    /// The number of rows, at least one.
    let count: Int
    /// Reads the chunk if it came from a cache.
    private let reader: ChunkReader?
    private let state: Mutex<State>

    private struct State {
        /// The rows, if they are in memory.
        var rows: ArraySlice<Int64>?
        /// As what they are stored, or were last.
        var record: ChunkRecord?
        /// Whether the stored bytes were compared with the digest.
        var isVerified = false
    }

    /// A chunk of rows in memory; a slice of a larger array is kept without being copied.
    init(_ rows: ArraySlice<Int64>) {
        count = rows.count
        reader = nil
        state = Mutex(State(rows: rows))
    }

    /// A chunk that is stored.
    init(_ record: ChunkRecord, reader: ChunkReader) {
        count = record.rowCount
        self.reader = reader
        state = Mutex(State(record: record))
    }

    /// As what it is stored, or was last; nil if it never was.
    var record: ChunkRecord? { state.withLock { $0.record } }

    /// Remembers as what it was stored.
    func wasStored(as record: ChunkRecord) {
        state.withLock { state in
            // Whoever reads the chunk from the cache goes on with the record that leads to where it came from.
            if state.rows != nil { state.record = record }
        }
    }

    /// All its rows, which stay in memory from now on; nil if they cannot be read any more.
    func load() -> ArraySlice<Int64>? {
        if let rows = state.withLock({ $0.rows }) { return rows }
        guard let rows = self[0..<count]?[...] else { return nil }
        return state.withLock { state in
            // Another thread may have been quicker; then both use its array.
            let loaded = state.rows ?? rows
            state.rows = loaded
            return loaded
        }
    }

    /// Some of its rows; nil if they cannot be read any more.
    subscript(positions: Range<Int>) -> [Int64]? {
        read(
            inMemory: { rows in Array(rows[positions]) },
            stored: { chunk in ChunkCoding.decode(chunk, rows: positions, rowCount: count) })
    }

    /// Whether the rows can be read.
    func isReadable() -> Bool { read(inMemory: { _ in true }, stored: { _ in true }) ?? false }

    /// Lends all its rows to a closure; nil if they cannot be read any more.
    ///
    /// Rows of a cache are unpacked for the time being: a loop over packed ones costs three times as much.
    func withRows<Result>(_ body: (UnsafeBufferPointer<Int64>) -> Result) -> Result? {
        if let rows = state.withLock({ $0.rows }) { return rows.withUnsafeBufferPointer(body) }
        return self[0..<count]?.withUnsafeBufferPointer(body)
    }

    private func read<Result>(
        inMemory: (UnsafeBufferPointer<Int64>) -> Result?, stored: (RawSpan) -> Result?
    ) -> Result? {
        let (rows, record, isVerified) = state.withLock { ($0.rows, $0.record, $0.isVerified) }
        if let rows { return rows.withUnsafeBufferPointer(inMemory) }
        guard let reader, let record else { return nil }
        let result = reader.read(record, isVerified: isVerified, stored)
        if result != nil, !isVerified { state.withLock { $0.isVerified = true } }
        return result
    }
}

extension IndexChunk {
    /// The position of a row's ID within the chunk; −1 if it is not there, nil if the rows cannot be read any more.
    ///
    /// - Complexity: O(*n*) in the number of its rows.
    func position(of rowID: Int64) -> Int? { withRows { Self.position(of: rowID, in: $0) } }

    /// Runs of 64 are compared without a branch between, which the compiler turns into vectors.
    private static func position(of rowID: Int64, in rows: UnsafeBufferPointer<Int64>) -> Int {
        guard let first = rows.baseAddress else { return -1 }
        var start = 0
        while start + 64 <= rows.count {
            var isThere: Int64 = 0
            for offset in start..<start + 64 { isThere |= first[offset] == rowID ? 1 : 0 }
            if isThere != 0 { break }
            start += 64
        }
        return rows[start...].firstIndex(of: rowID) ?? -1
    }
}
