/// Looks for some rows in one chunk after the other.
///
/// Few are looked for one by one. More are looked for together: a bit for each of 65,536 values of a hash tells nearly all other rows
/// apart with a multiplication.
struct RowSearch {
    /// What is looked for, in ascending order.
    private let rowIDs: [Int64]
    /// For each where its position is wanted.
    private let numbers: [Int]
    /// One bit a value of the hash; empty if the rows are looked for one by one.
    private let filter: [UInt64]
    private var found = 0

    /// The most rows that are looked for one by one.
    private static let fewRows = 3

    /// - Parameters:
    ///   - rowIDs: What is looked for.
    ///   - numbers: For each which of the positions is its.
    init(_ rowIDs: [Int64], numbers: [Int]) {
        let order = rowIDs.indices.sorted { rowIDs[$0] < rowIDs[$1] }
        self.rowIDs = order.map { rowIDs[$0] }
        self.numbers = order.map { numbers[$0] }
        guard rowIDs.count > Self.fewRows else {
            filter = []
            return
        }
        var filter = [UInt64](repeating: 0, count: 1 << 10)
        for rowID in rowIDs {
            let hash = Self.hash(rowID)
            filter[hash >> 6] |= 1 << UInt64(hash & 63)
        }
        self.filter = filter
    }

    /// Whether nothing is left to be looked for.
    var hasFoundAll: Bool { found == rowIDs.count }

    /// Looks through a chunk.
    ///
    /// - Parameters:
    ///   - start: The position of the chunk's first row.
    ///   - positions: Where the positions of what is found are put.
    /// - Returns: Whether the chunk could be read.
    mutating func look(into chunk: IndexChunk, from start: Int, _ positions: inout [Int?]) -> Bool {
        if filter.isEmpty {
            for (rowID, number) in zip(rowIDs, numbers) where positions[number] == nil {
                guard let position = chunk.position(of: rowID) else { return false }
                guard position >= 0 else { continue }
                positions[number] = start + position
                found += 1
            }
            return true
        }
        var candidates: [(rowID: Int64, position: Int)] = []
        let isRead = filter.withUnsafeBufferPointer { filter in
            chunk.forEachPiece { rows, first in
                for (position, rowID) in rows.enumerated() {
                    let hash = Self.hash(rowID)
                    if filter[hash >> 6] >> UInt64(hash & 63) & 1 != 0 {
                        candidates.append((rowID, start + first + position))
                    }
                }
                return true
            }
        }
        guard isRead else { return false }
        for candidate in candidates { note(candidate.rowID, at: candidate.position, &positions) }
        return true
    }

    /// Records the position of a row if it is looked for, as often as it is.
    private mutating func note(_ rowID: Int64, at position: Int, _ positions: inout [Int?]) {
        var low = 0
        var high = rowIDs.count
        while low < high {
            let middle = (low + high) / 2
            if rowIDs[middle] < rowID { low = middle + 1 } else { high = middle }
        }
        while low < rowIDs.count, rowIDs[low] == rowID {
            if positions[numbers[low]] == nil { found += 1 }
            positions[numbers[low]] = position
            low += 1
        }
    }

    /// Sixteen bits of a product with an odd number (Knuth's multiplicative hashing, by the golden ratio).
    @inline(__always)
    private static func hash(_ rowID: Int64) -> Int {
        Int(truncatingIfNeeded: (UInt64(bitPattern: rowID) &* 0x9E37_79B9_7F4A_7C15) >> 48)
    }
}
