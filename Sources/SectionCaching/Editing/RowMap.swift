/// For each row ID the chunk that holds it, if any does, and about where.
///
/// It is a hint: an ID that left the index keeps its place, and is then not found in the chunk; and rows that
/// come or go in a chunk move the others of it by as many. So an edit writes only for the rows that come and
/// for those that change their chunk. A chunk has a number that stays while chunks come and go before it.
struct RowMap {
    /// Where a row was put: the number of the chunk, and the position within it.
    private struct Place {
        var slot: UInt16
        /// As far as it can be told in sixteen bits.
        var position: UInt16

        init(slot: Slot, position: Int) {
            self.slot = slot
            self.position = UInt16(clamping: position)
        }

        static let none = Place(slot: .max, position: 0)
    }

    private typealias Slot = UInt16

    /// The places of the IDs from `firstID` on. Four bytes a row if IDs have no gaps, as in a table of our
    /// own.
    private var near: [Place]
    private let firstID: Int64
    /// The places of all other IDs: those of new objects are near the smallest number that there is.
    private var far: [Int64: Place] = [:]
    /// For each chunk its slot.
    private var slots: [Slot]
    /// For each slot the position of its chunk, or −1.
    private var chunkPositions: [Int32] = []
    private let mostFar: Int

    /// Whether the chunks are few enough to be told apart.
    static func fits(_ chunks: ChunkList) -> Bool { chunks.chunks.count < 1 << 15 }

    /// Reads all chunks; nil if some cannot be read any more.
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

    /// The IDs for which a place is kept each: all from zero up, or all below zero, whichever are more, if
    /// their range is not much larger than their number. Nil if some chunk cannot be read.
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
        // The end of a range is one more than the largest ID, of which there is none for the largest number.
        guard high < .max, high - low < 4 * Int64(count) else { return 0..<0 }
        return low..<high + 1
    }

    /// The position of the chunk in which a row is, if it is anywhere, and about where it is in that.
    func place(of rowID: Int64) -> (chunk: Int, row: Int)? {
        let distance = UInt64(bitPattern: rowID &- firstID)
        let place = distance < UInt64(near.count) ? near[Int(distance)] : far[rowID] ?? .none
        guard place.slot != Place.none.slot, chunkPositions[Int(place.slot)] >= 0 else { return nil }
        return (Int(chunkPositions[Int(place.slot)]), Int(place.position))
    }

    /// Follows an edit.
    ///
    /// - Returns: Whether the map is still of use; if not, it should be made anew.
    /// - Complexity: O(*c* + *k*) in the number of chunks and of rows that changed their chunk.
    mutating func update(for edited: ChunkList.Edited, inserted: [SectionIndexEdit.Row]) -> Bool {
        let list = edited.list
        guard Self.fits(list), far.count <= mostFar else { return false }
        let old = slots
        slots = edited.origins.map { $0.map { old[$0] } ?? Place.none.slot }
        var isUsed = [Bool](repeating: false, count: chunkPositions.count)
        for slot in slots where slot != Place.none.slot { isUsed[Int(slot)] = true }
        var next = 0
        for position in slots.indices where slots[position] == Place.none.slot {
            while next < isUsed.count, isUsed[next] { next += 1 }
            slots[position] = Slot(next)
            next += 1
            guard fill(list.chunks[position], slot: slots[position]) else { return false }
        }
        var position = 0
        for row in inserted {
            while list.starts[position + 1] <= row.position { position += 1 }
            set(Place(slot: slots[position], position: row.position - list.starts[position]), for: row.id)
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
                set(Place(slot: slot, position: first + position), for: rowID)
            }
            return true
        }
    }

    @inline(__always)
    private mutating func set(_ place: Place, for rowID: Int64) {
        let distance = UInt64(bitPattern: rowID &- firstID)
        if distance < UInt64(near.count) {
            near[Int(distance)] = place
        } else {
            setFar(place, for: rowID, distance: distance)
        }
    }

    private mutating func setFar(_ place: Place, for rowID: Int64, distance: UInt64) {
        // IDs rise as rows are added, so there is room for more; not for one that is far away.
        if !near.isEmpty, distance < UInt64(near.count + near.count / 4 + 1_024) {
            near += Array(repeating: .none, count: near.count / 4 + 1_024)
            near[Int(distance)] = place
            bringNear()
        } else {
            far[rowID] = place
        }
    }

    /// Moves those IDs that have become near, because no near one is looked for among the far.
    private mutating func bringNear() {
        far = far.filter { rowID, place in
            let distance = UInt64(bitPattern: rowID &- firstID)
            guard distance < UInt64(near.count) else { return true }
            near[Int(distance)] = place
            return false
        }
    }
}
