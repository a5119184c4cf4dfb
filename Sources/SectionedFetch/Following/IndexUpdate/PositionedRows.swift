import ObjectStorage
import InternalUtilities

/// Rows of an index whose sort keys are known, in ascending order.
struct PositionedRows {
    private var positions: [Int] = []
    private var sortKeys = SortKeyArray()

    /// The maximum number of rows to remove one by one: for more rows, copying the rest moves less memory.
    private static let few = 4

    var count: Int { positions.count }

    /// Returns the positions of the last row before a sort key, and of the first row that is not before it.
    ///
    /// - Complexity: O(log *k*) comparisons for *k* rows.
    func neighbours(of sortKey: SortKey) -> (before: Int?, after: Int?) {
        neighbours(ofNumber: sortKeys.count(before: sortKey))
    }

    /// Returns the positions of the last row before a position, and of the first row that is not before it.
    func neighbours(of position: Int) -> (before: Int?, after: Int?) {
        neighbours(ofNumber: positions.count(below: position))
    }

    private func neighbours(ofNumber number: Int) -> (before: Int?, after: Int?) {
        (number > 0 ? positions[number - 1] : nil, number < positions.count ? positions[number] : nil)
    }

    /// Removes the rows at some positions, which are in ascending order.
    mutating func remove(at removed: [Int]) {
        let numbers = removed.compactMap { position -> Int? in
            let number = positions.count(below: position)
            return number < positions.count && positions[number] == position ? number : nil
        }
        if numbers.count <= Self.few {
            for number in numbers.reversed() {
                positions.remove(at: number)
                sortKeys.remove(number)
            }
            return
        }
        var kept = PositionedRows()
        kept.reserve(self)
        var next = 0
        for end in numbers + [count] {
            kept.append(self, next..<end)
            next = end + 1
        }
        self = kept
    }

    /// Shifts the positions by the rows that were removed and inserted before them: all positions between two
    /// edits by the same number.
    ///
    /// - Parameters:
    ///   - removed: The positions of the rows that were removed.
    ///   - gaps: For each inserted row, the number of remaining rows before it. Both lists are in ascending
    ///     order.
    mutating func shift(removing removed: [Int], inserting gaps: [Int]) {
        var goes = 0
        var comes = 0
        var first = 0
        while first < positions.count {
            // The old position up to which no further row is removed or inserted.
            let nextRemoved = goes < removed.count ? removed[goes] : .max
            let nextArrival = comes < gaps.count ? gaps[comes] + goes : .max
            let bound = min(nextRemoved, nextArrival)
            let end =
                bound == .max ? positions.count : first + positions[first...].count(below: bound)
            let distance = comes - goes
            if distance != 0 { for number in first..<end { positions[number] += distance } }
            first = end
            // A row inserted in place of a removed one comes before the next remaining row.
            if nextArrival <= nextRemoved { comes += 1 } else { goes += 1 }
        }
    }

    /// Inserts other rows, none of which is contained yet.
    ///
    /// - Complexity: O(*k*) in the total number of rows.
    mutating func insert(_ other: PositionedRows) {
        guard other.count > 0 else { return }
        var merged = PositionedRows()
        merged.reserve(self)
        var next = 0
        for (number, position) in other.positions.enumerated() {
            let end = next + positions[next...].count(below: position)
            merged.append(self, next..<end)
            merged.append(other, number..<number + 1)
            next = end
        }
        merged.append(self, next..<count)
        self = merged
    }

    /// Appends a row that follows all others.
    mutating func append(_ sortKey: SortKey, at position: Int) {
        positions.append(position)
        sortKeys.append(sortKey)
    }

    private mutating func append(_ other: PositionedRows, _ numbers: Range<Int>) {
        positions += other.positions[numbers]
        sortKeys.append(other.sortKeys, numbers)
    }

    private mutating func reserve(_ other: PositionedRows) {
        positions.reserveCapacity(other.count * 5 / 4)
        sortKeys.reserve(other.sortKeys)
    }
}
