import InternalUtilities

/// The rows of an index without some that are taken out.
struct RemainingRows {
    /// The positions of the rows that are taken out, in ascending order.
    let removed: [Int]
    /// How many remain.
    let count: Int

    /// - Parameters:
    ///   - numberOfRows: How many rows the index has.
    ///   - removed: The positions of those that are taken out, in ascending order.
    init(of numberOfRows: Int, without removed: [Int]) {
        self.removed = removed
        count = numberOfRows - removed.count
    }

    /// The old position of one that remains.
    func oldPosition(of number: Int) -> Int {
        number + removed.indices.partitioningIndex { removed[$0] - $0 > number }
    }

    /// How many are before an old position.
    func count(before position: Int) -> Int { position - removed.count(below: position) }
}
