import InternalUtilities
import Synchronization

/// A run of an index's rows, shared by all versions of the index that contain it.
///
/// Its rows never change. They are in memory, or stored, or both. Rows of a cache are read into memory when
/// an edit touches them and stay there, so that earlier versions remain readable if the entry changes. Rows
/// in memory are stored when the index is saved; the chunk then has their record, so that saving a later
/// version need not write them again. An edit may be deferred until its rows are first read.
final class IndexChunk: Sendable {
    /// The number of rows, at least one.
    let count: Int
    /// The reader of the chunk if it came from a cache.
    private let reader: ChunkReader?
    private let state: Mutex<State>

    /// Rows in memory.
    private enum Rows {
        /// A part of a computed index.
        case computed(ArraySlice<Int64>)
        /// Rows that were read from a cache or made by an edit.
        case packed(PackedRows)
    }

    /// An edit that was not carried out yet.
    private struct Edit {
        let previous: IndexChunk
        let pieces: [PackedRows.Piece]
    }

    private struct State {
        /// The rows, if they are in memory.
        var rows: Rows?
        /// The edit that makes the rows, if it was not carried out yet.
        var edit: Edit?
        /// The record under which the rows are stored, or were stored last.
        var record: ChunkRecord?
        /// Whether the stored bytes were compared with the digest.
        var isVerified = false
    }

    /// Creates a chunk of rows in memory. A slice of a larger array is kept without being copied.
    init(_ rows: ArraySlice<Int64>) {
        count = rows.count
        reader = nil
        state = Mutex(State(rows: .computed(rows)))
    }

    /// Creates a chunk of packed rows in memory.
    init(_ rows: PackedRows) {
        count = rows.count
        reader = nil
        state = Mutex(State(rows: .packed(rows)))
    }

    /// Creates a chunk whose rows an edit makes from another chunk's when they are first read.
    init(editing previous: IndexChunk, _ pieces: [PackedRows.Piece], count: Int) {
        self.count = count
        reader = nil
        state = Mutex(State(edit: Edit(previous: previous, pieces: pieces)))
    }

    /// Creates a chunk whose rows are stored.
    init(_ record: ChunkRecord, reader: ChunkReader) {
        count = record.rowCount
        self.reader = reader
        state = Mutex(State(record: record))
    }

    /// The record under which the chunk is stored, or was stored last; nil if it never was.
    var record: ChunkRecord? { state.withLock { $0.record } }

    /// Sets the record under which the chunk was stored.
    func wasStored(as record: ChunkRecord) {
        state.withLock { state in
            // A chunk that is read from the cache keeps the record from which it is read.
            if state.rows != nil { state.record = record }
        }
    }

    /// Returns all rows, packed; nil if they can no longer be read.
    ///
    /// - Parameter isKept: Whether rows that come from a cache stay in memory from now on.
    func packed(isKept: Bool) -> PackedRows? {
        switch rowsInMemory() {
        case .computed(let rows): return PackedRows(rows)
        case .packed(let rows): return rows
        case nil: break
        }
        guard let rows = readStored({ PackedRows($0, count: count) }) else { return nil }
        guard isKept else { return rows }
        return state.withLock { state in
            // Another thread may have been faster; then both use its bytes.
            if case .packed(let others) = state.rows { return others }
            state.rows = .packed(rows)
            return rows
        }
    }

    /// Returns the rows after an edit; nil if they can no longer be read.
    ///
    /// - Parameters:
    ///   - pieces: The remaining and the inserted rows.
    ///   - isKept: Whether the chunk's own rows stay in memory from now on if they come from a cache.
    func edited(_ pieces: [PackedRows.Piece], isKept: Bool) -> PackedRows? {
        guard !isKept || keep() else { return nil }
        return read(
            computed: { rows in PackedRows(rows).read { PackedRows.edited(pieces, of: $0) } },
            packed: { PackedRows.edited(pieces, of: $0) })
    }

    /// Keeps the rows in memory from now on.
    ///
    /// - Returns: Whether they can be read.
    func keep() -> Bool {
        rowsInMemory() != nil || packed(isKept: true) != nil
    }

    /// Some of the rows; nil if they can no longer be read.
    subscript(positions: Range<Int>) -> [Int64]? {
        read(computed: { Array($0[positions]) }, packed: { $0.rowIDs(in: positions) })
    }

    /// One of the rows; nil if it can no longer be read.
    subscript(position: Int) -> Int64? { read(computed: { $0[position] }, packed: { $0[position] }) }

    /// Returns whether the rows can be read.
    func isReadable() -> Bool { read(computed: { _ in true }, packed: { _ in true }) ?? false }

    /// Lends all rows to a closure, piece by piece until the closure returns false.
    ///
    /// - Parameter body: Receives rows and the position of the first in the chunk, and returns whether to
    ///   continue.
    /// - Returns: Whether the rows could be read.
    func forEachPiece(_ body: (UnsafeBufferPointer<Int64>, Int) -> Bool) -> Bool {
        let isRead: Void? = read(computed: { _ = body($0, 0) }, packed: { $0.forEachPiece(body) })
        return isRead != nil
    }

    /// Searches for rows.
    ///
    /// Stored rows are compared with their digest if one of them is wanted. The result that none is wanted is
    /// certain only if ``isReadable()`` returns true.
    ///
    /// - Parameters:
    ///   - bits: One bit for each value of an ID's lowest sixteen bits.
    ///   - isWanted: Receives the position and the ID of each row whose lowest bits are among these, and
    ///     returns whether the row is wanted.
    /// - Returns: Whether the rows could be read.
    func look(
        forLowBitsAmong bits: UnsafeBufferPointer<UInt64>, _ isWanted: (Int, Int64) -> Bool
    ) -> Bool {
        switch rowsInMemory() {
        case .computed(let rows):
            for (position, rowID) in zip(0..., rows) {
                let low = UInt16(truncatingIfNeeded: rowID)
                if bits[Int(low >> 6)] >> UInt64(low & 63) & 1 != 0 { _ = isWanted(position, rowID) }
            }
            return true
        case .packed(let rows):
            rows.read { $0.forEach(withLowBitsAmong: bits) { _ = isWanted($0, $1) } }
            return true
        case nil: break
        }
        let (record, wasVerified) = state.withLock { ($0.record, $0.isVerified) }
        guard let reader, let record else { return false }
        let isCompared = reader.look(record) { chunk in
            guard PackedView.isChunk(chunk, count: count) else { return nil }
            var isAnyWanted = false
            chunk.withUnsafeBytes { bytes in
                PackedView(bytes, count: count).forEach(withLowBitsAmong: bits) {
                    if isWanted($0, $1) { isAnyWanted = true }
                }
            }
            return isAnyWanted && !wasVerified
        }
        if isCompared == true { state.withLock { $0.isVerified = true } }
        return isCompared != nil
    }

    private func read<Result>(
        computed: (UnsafeBufferPointer<Int64>) -> Result, packed: (PackedView) -> Result
    ) -> Result? {
        switch rowsInMemory() {
        case .computed(let rows): return rows.withUnsafeBufferPointer(computed)
        case .packed(let rows): return rows.read(packed)
        case nil: break
        }
        return readStored { chunk in
            guard PackedView.isChunk(chunk, count: count) else { return nil }
            return chunk.withUnsafeBytes { packed(PackedView($0, count: count)) }
        }
    }

    /// Returns the rows if they are in memory, or an edit can bring them there.
    private func rowsInMemory() -> Rows? {
        let (rows, edit) = state.withLock { ($0.rows, $0.edit) }
        guard rows == nil, let edit else { return rows }
        guard let made = edit.previous.edited(edit.pieces, isKept: false) else { return nil }
        return state.withLock { state in
            // Another thread may have been faster; then both use its bytes.
            let rows = state.rows ?? .packed(made)
            (state.rows, state.edit) = (rows, nil)
            return rows
        }
    }

    private func readStored<Result>(_ body: (RawSpan) -> Result?) -> Result? {
        let (record, isVerified) = state.withLock { ($0.record, $0.isVerified) }
        guard let reader, let record else { return nil }
        let result = reader.read(record, isVerified: isVerified, body)
        if result != nil, !isVerified { state.withLock { $0.isVerified = true } }
        return result
    }
}

extension IndexChunk {
    /// Returns the position of a row's ID within the chunk; −1 if it is not in the chunk, nil if the rows can
    /// no longer be read.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    func position(of rowID: Int64) -> Int? {
        var position = -1
        let isRead = forEachPiece { rows, first in
            let index = Self.position(of: rowID, in: rows)
            if index >= 0 { position = first + index }
            return index < 0
        }
        return isRead ? position : nil
    }

    /// Returns the position of a row's ID that is probably near a given position; −1 or nil as in
    /// ``position(of:)``.
    ///
    /// - Complexity: O(*d*) in the distance from the given position.
    func position(of rowID: Int64, near hint: Int) -> Int? {
        read(
            computed: { rows in Self.position(of: rowID, near: hint, count: count) { rows[$0] } },
            packed: { rows in Self.position(of: rowID, near: hint, count: count) { rows[$0] } })
    }

    @inline(__always)
    private static func position(of rowID: Int64, near hint: Int, count: Int, _ row: (Int) -> Int64) -> Int {
        var below = min(hint, count - 1)
        var above = below + 1
        while below >= 0 || above < count {
            if below >= 0 {
                if row(below) == rowID { return below }
                below -= 1
            }
            if above < count {
                if row(above) == rowID { return above }
                above += 1
            }
        }
        return -1
    }

    /// Returns the index of an ID among rows; −1 if it is not there. Runs of 64 rows are compared without
    /// branches in between, which the compiler turns into vector instructions.
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
