import InternalUtilities

/// A search for rows in the chunks of an index.
///
/// All rows are searched for together: one bit for each value of an ID's lowest sixteen bits excludes nearly
/// all other rows without unpacking them. If the IDs of a list have these bits in common, such as multiples
/// of 65,536, each row costs a search.
struct RowSearch: Sendable {
    /// The IDs to search for, in ascending order.
    private let rowIDs: [Int64]
    /// For each of them, its index in the order in which they were given.
    private let numbers: [Int]
    private let lowBits: [UInt64]

    /// A row that was found.
    struct Found: Sendable {
        /// The index of the row in the order in which the IDs were given.
        let number: Int
        let position: Int
    }

    /// - Parameter rowIDs: The IDs to search for.
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

    /// Searches a chunk, and compares it with its digest if any row is found.
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

    /// Records the position of a row if its ID is searched for, once for each occurrence of the ID.
    ///
    /// - Returns: Whether the ID is searched for.
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
