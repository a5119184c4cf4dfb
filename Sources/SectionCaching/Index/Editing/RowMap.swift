/// A map from row IDs to the chunks that hold them and their approximate positions.
///
/// An entry is a hint: an ID that left the index keeps its entry, and is then not found in the chunk; rows
/// that are inserted into or removed from a chunk shift the others. So an edit writes entries only for
/// inserted rows and for rows that change their chunk. Each chunk has a slot number, which stays the same
/// when chunks before it are inserted or removed.
struct RowMap {
    /// The last known location of a row: the slot of its chunk, and the position within the chunk.
    private struct Hint {
        var slot: UInt16
        /// Clamped to sixteen bits.
        var position: UInt16

        init(slot: Slot, position: Int) {
            self.slot = slot
            self.position = UInt16(clamping: position)
        }

        static let none = Hint(slot: .max, position: 0)
    }

    private typealias Slot = UInt16

    /// The hints of the IDs from `firstID` on. They take four bytes per row if IDs have no gaps, as in the
    /// library's tables.
    private var near: [Hint]
    private let firstID: Int64
    /// The hints of all other IDs. Those of new objects are near the smallest integer.
    private var far: [Int64: Hint] = [:]
    /// The slot of each chunk.
    private var slots: [Slot]
    /// The position of each slot's chunk, or −1.
    private var chunkPositions: [Int32] = []
    private let mostFar: Int

    /// Returns whether the chunks are few enough to have slots.
    static func fits(_ chunks: ChunkList) -> Bool { chunks.chunks.count < 1 << 15 }

    /// Reads all chunks; returns nil if some can no longer be read.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    init?(_ chunks: ChunkList) {
        slots = Array(0..<Slot(chunks.chunks.count))
        guard let range = Self.denseRange(chunks) else { return nil }
        firstID = range.lowerBound
        near = Array(repeating: .none, count: range.count)
        mostFar = 4_096 + chunks.numberOfRows + chunks.numberOfRows / 4
        if near.isEmpty { far.reserveCapacity(chunks.numberOfRows) }
        for (chunk, slot) in zip(chunks.chunks, slots) {
            guard fill(chunk, slot: slot) else { return nil }
        }
        updateChunkPositions()
    }

    /// Returns the range of IDs that have an element of the array: all from zero up, or all below zero,
    /// whichever are more, if their range is not much larger than their number. Nil if a chunk cannot be
    /// read.
    private static func denseRange(_ chunks: ChunkList) -> Range<Int64>? {
        var (negatives, smallestNegative, largestNegative) = (0, Int64(-1), Int64.min)
        var (smallest, largest) = (Int64.max, Int64(0))
        for chunk in chunks.chunks {
            let isRead = chunk.forEachPiece { rows, _ in
                for rowID in rows {
                    if rowID < 0 {
                        negatives += 1
                        smallestNegative = min(smallestNegative, rowID)
                        largestNegative = max(largestNegative, rowID)
                    } else {
                        smallest = min(smallest, rowID)
                        largest = max(largest, rowID)
                    }
                }
                return true
            }
            guard isRead else { return nil }
        }
        let others = chunks.numberOfRows - negatives
        let isNegative = negatives > others
        let count = isNegative ? negatives : others
        guard count > 0 else { return 0..<0 }
        let (low, high) = isNegative ? (smallestNegative, largestNegative) : (smallest, largest)
        // The upper bound of the range is the largest ID plus one, which `Int64` cannot represent for
        // `Int64.max`.
        guard high < .max, high - low < 4 * Int64(count) else { return 0..<0 }
        return low..<high + 1
    }

    /// Returns the position of the chunk that holds a row, if any does, and the row's approximate position in
    /// it.
    func hint(of rowID: Int64) -> (chunk: Int, row: Int)? {
        let distance = UInt64(bitPattern: rowID &- firstID)
        let hint = distance < UInt64(near.count) ? near[Int(distance)] : far[rowID] ?? .none
        guard hint.slot != Hint.none.slot, chunkPositions[Int(hint.slot)] >= 0 else { return nil }
        return (Int(chunkPositions[Int(hint.slot)]), Int(hint.position))
    }

    /// Updates the map for an edit.
    ///
    /// - Returns: Whether the map can still be used; if not, a new one must be made.
    /// - Complexity: O(*c* + *k*) in the number of chunks, and of rows that changed their chunk.
    mutating func update(for edited: ChunkList.Edited, inserted: [SectionIndexEdit.Row]) -> Bool {
        let list = edited.list
        guard Self.fits(list), far.count <= mostFar else { return false }
        let old = slots
        slots = edited.origins.map { $0.map { old[$0] } ?? Hint.none.slot }
        var isUsed = [Bool](repeating: false, count: chunkPositions.count)
        for slot in slots where slot != Hint.none.slot { isUsed[Int(slot)] = true }
        var next = 0
        for position in slots.indices where slots[position] == Hint.none.slot {
            while next < isUsed.count, isUsed[next] { next += 1 }
            slots[position] = Slot(next)
            next += 1
            guard fill(list.chunks[position], slot: slots[position]) else { return false }
        }
        var position = 0
        for row in inserted {
            while list.starts[position + 1] <= row.position { position += 1 }
            set(Hint(slot: slots[position], position: row.position - list.starts[position]), for: row.id)
        }
        updateChunkPositions()
        return true
    }

    private mutating func updateChunkPositions() {
        let count = Int(slots.max().map { $0 + 1 } ?? 0)
        chunkPositions = Array(repeating: -1, count: max(count, chunkPositions.count))
        for (position, slot) in slots.enumerated() { chunkPositions[Int(slot)] = Int32(position) }
    }

    private mutating func fill(_ chunk: IndexChunk, slot: Slot) -> Bool {
        chunk.forEachPiece { rows, first in
            for (position, rowID) in rows.enumerated() {
                set(Hint(slot: slot, position: first + position), for: rowID)
            }
            return true
        }
    }

    @inline(__always)
    private mutating func set(_ hint: Hint, for rowID: Int64) {
        let distance = UInt64(bitPattern: rowID &- firstID)
        if distance < UInt64(near.count) {
            near[Int(distance)] = hint
        } else {
            setFar(hint, for: rowID, distance: distance)
        }
    }

    private mutating func setFar(_ hint: Hint, for rowID: Int64, distance: UInt64) {
        // IDs grow as rows are added, so the array grows by more than one element; a distant ID does not
        // enlarge it.
        if !near.isEmpty, distance < UInt64(near.count + near.count / 4 + 1_024) {
            near += Array(repeating: .none, count: near.count / 4 + 1_024)
            near[Int(distance)] = hint
            bringNear()
        } else {
            far[rowID] = hint
        }
    }

    /// Moves IDs that now have an element of the array out of the dictionary, because they are no longer
    /// looked up there.
    private mutating func bringNear() {
        far = far.filter { rowID, hint in
            let distance = UInt64(bitPattern: rowID &- firstID)
            guard distance < UInt64(near.count) else { return true }
            near[Int(distance)] = hint
            return false
        }
    }
}
