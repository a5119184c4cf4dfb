import InternalUtilities

/// Looks for some rows in the chunks of an index.
///
/// All are looked for together: a bit for each value of an ID's lowest sixteen bits tells nearly all other
/// rows apart without unpacking them. A list of IDs that have these bits in common, such as multiples of
/// 65,536, costs a search for each row.
struct RowSearch: Sendable {
    /// What is looked for, in ascending order.
    private let rowIDs: [Int64]
    /// For each which it is in the order in which they were given.
    private let numbers: [Int]
    private let lowBits: [UInt64]

    /// A row that was found.
    struct Found: Sendable {
        /// Which of the rows it is.
        let number: Int
        let position: Int
    }

    /// - Parameter rowIDs: What is looked for.
    init(_ rowIDs: [Int64]) {
        numbers = rowIDs.indices.sorted { rowIDs[$0] < rowIDs[$1] }
        self.rowIDs = numbers.map { rowIDs[$0] }
        var lowBits = [UInt64](repeating: 0, count: 1 << 10)
        for rowID in rowIDs {
            let low = UInt16(truncatingIfNeeded: rowID)
            lowBits[Int(low >> 6)] |= 1 << UInt64(low & 63)
        }
        self.lowBits = lowBits
    }

    /// Looks through a chunk, and compares it with its digest if anything is found.
    ///
    /// - Parameter start: The position of the chunk's first row.
    /// - Returns: Nil if the chunk could not be read.
    func look(into chunk: IndexChunk, from start: Int) -> [Found]? {
        var found: [Found] = []
        let isRead = lowBits.withUnsafeBufferPointer { bits in
            chunk.look(forLowBitsAmong: bits) { note($1, at: start + $0, &found) }
        }
        return isRead ? found : nil
    }

    /// Records the position of a row if it is looked for, as often as it is.
    ///
    /// - Returns: Whether it is.
    private func note(_ rowID: Int64, at position: Int, _ found: inout [Found]) -> Bool {
        let first = rowIDs.indices.partitioningIndex { rowIDs[$0] >= rowID }
        var end = first
        while end < rowIDs.count, rowIDs[end] == rowID {
            found.append(Found(number: numbers[end], position: position))
            end += 1
        }
        return end > first
    }
}
