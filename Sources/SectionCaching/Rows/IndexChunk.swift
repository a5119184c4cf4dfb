import InternalUtilities
import Synchronization

/// A run of an index's rows, which all versions of the index that hold it share.
///
/// Its rows never change. They are in memory, or stored, or both: rows of a cache come into memory when an
/// edit touches them and stay there, so that earlier versions can be read whatever becomes of the entry; rows
/// in memory are stored when the index is saved, and the chunk then knows as what, so that saving a later
/// version need not write it again. An edit of rows that nobody needs before is carried out when the rows are
/// first looked at.
final class IndexChunk: Sendable {
    /// The number of rows, at least one.
    let count: Int
    /// Reads the chunk if it came from a cache.
    private let reader: ChunkReader?
    private let state: Mutex<State>

    /// Rows in memory.
    private enum Rows {
        /// Part of an index as it was computed.
        case computed(ArraySlice<Int64>)
        /// What a cache had, or an edit made.
        case packed(PackedRows)
    }

    /// An edit that is not carried out yet.
    private struct Edit {
        let former: IndexChunk
        let pieces: [PackedRows.Piece]
    }

    private struct State {
        /// The rows, if they are in memory.
        var rows: Rows?
        /// What they are made by, if that is still to be done.
        var edit: Edit?
        /// As what they are stored, or were last.
        var record: ChunkRecord?
        /// Whether the stored bytes were compared with the digest.
        var isVerified = false
    }

    /// A chunk of rows in memory; a slice of a larger array is kept without being copied.
    init(_ rows: ArraySlice<Int64>) {
        count = rows.count
        reader = nil
        state = Mutex(State(rows: .computed(rows)))
    }

    /// A chunk of packed rows in memory.
    init(_ rows: PackedRows) {
        count = rows.count
        reader = nil
        state = Mutex(State(rows: .packed(rows)))
    }

    /// A chunk of rows that an edit makes of another's, once they are looked at.
    init(editing former: IndexChunk, _ pieces: [PackedRows.Piece], count: Int) {
        self.count = count
        reader = nil
        state = Mutex(State(edit: Edit(former: former, pieces: pieces)))
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
            // Whoever reads the chunk from the cache goes on with the record that leads to where it came
            // from.
            if state.rows != nil { state.record = record }
        }
    }

    /// All its rows, packed; nil if they cannot be read any more.
    ///
    /// - Parameter isKept: Whether those that come from a cache stay in memory from now on.
    func packed(isKept: Bool) -> PackedRows? {
        switch rowsInMemory() {
        case .computed(let rows): return PackedRows(rows)
        case .packed(let rows): return rows
        case nil: break
        }
        guard let rows = readStored({ PackedRows($0, count: count) }) else { return nil }
        guard isKept else { return rows }
        return state.withLock { state in
            // Another thread may have been quicker; then both use its bytes.
            if case .packed(let others) = state.rows { return others }
            state.rows = .packed(rows)
            return rows
        }
    }

    /// What becomes of its rows by an edit; nil if they cannot be read any more.
    ///
    /// - Parameters:
    ///   - pieces: What of them stays, and what comes.
    ///   - isKept: Whether its own rows stay in memory from now on if they come from a cache.
    func edited(_ pieces: [PackedRows.Piece], isKept: Bool) -> PackedRows? {
        guard !isKept || keep() else { return nil }
        return read(
            computed: { rows in PackedRows(rows).read { PackedRows.edited(pieces, of: $0) } },
            packed: { PackedRows.edited(pieces, of: $0) })
    }

    /// Sees to it that the rows stay in memory.
    ///
    /// - Returns: Whether they can be read.
    func keep() -> Bool {
        rowsInMemory() != nil || packed(isKept: true) != nil
    }

    /// Some of its rows; nil if they cannot be read any more.
    subscript(positions: Range<Int>) -> [Int64]? {
        read(computed: { Array($0[positions]) }, packed: { $0.rowIDs(in: positions) })
    }

    /// One of its rows; nil if it cannot be read any more.
    subscript(position: Int) -> Int64? { read(computed: { $0[position] }, packed: { $0[position] }) }

    /// Whether the rows can be read.
    func isReadable() -> Bool { read(computed: { _ in true }, packed: { _ in true }) ?? false }

    /// Lends all its rows to a closure piece by piece, until it says that it has seen enough.
    ///
    /// - Parameter body: Gets rows and the position of the first in the chunk, and tells whether to go on.
    /// - Returns: Whether the rows could be read.
    func forEachPiece(_ body: (UnsafeBufferPointer<Int64>, Int) -> Bool) -> Bool {
        let isRead: Void? = read(computed: { _ = body($0, 0) }, packed: { $0.forEachPiece(body) })
        return isRead != nil
    }

    /// Looks for rows.
    ///
    /// Stored rows are compared with their digest if one is wanted. That none is, is to be believed once they
    /// ``isReadable()``.
    ///
    /// - Parameters:
    ///   - bits: One bit for each value of an ID's lowest sixteen.
    ///   - isWanted: Gets the position and the ID of each row whose lowest bits are among these, and tells
    ///     whether it is wanted.
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

    /// The rows, if they are in memory or an edit can bring them there.
    private func rowsInMemory() -> Rows? {
        let (rows, edit) = state.withLock { ($0.rows, $0.edit) }
        guard rows == nil, let edit else { return rows }
        guard let made = edit.former.edited(edit.pieces, isKept: false) else { return nil }
        return state.withLock { state in
            // Another thread may have been quicker; then both use its bytes.
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
    /// The position of a row's ID within the chunk; −1 if it is not there, nil if the rows cannot be read any
    /// more.
    ///
    /// - Complexity: O(*n*) in the number of its rows.
    func position(of rowID: Int64) -> Int? {
        var position = -1
        let isRead = forEachPiece { rows, first in
            let place = Self.position(of: rowID, in: rows)
            if place >= 0 { position = first + place }
            return place < 0
        }
        return isRead ? position : nil
    }

    /// The same, for a row that is probably near a position.
    ///
    /// - Complexity: O(*d*) in its distance from there.
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
