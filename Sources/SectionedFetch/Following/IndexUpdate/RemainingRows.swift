import InternalUtilities

/// The rows of an index without some that are removed.
struct RemainingRows {
    /// The positions of the removed rows, in ascending order.
    let removed: [Int]
    /// The number of remaining rows.
    let count: Int

    /// - Parameters:
    ///   - numberOfRows: The number of rows of the index.
    ///   - removed: The positions of the rows to remove, in ascending order.
    init(of numberOfRows: Int, without removed: [Int]) {
        self.removed = removed
        count = numberOfRows - removed.count
    }

    /// Returns the old position of a remaining row.
    func oldPosition(of number: Int) -> Int {
        number + removed.indices.partitioningIndex { removed[$0] - $0 > number }
    }

    /// Returns the number of remaining rows before an old position.
    func count(before position: Int) -> Int { position - removed.count(below: position) }
}
