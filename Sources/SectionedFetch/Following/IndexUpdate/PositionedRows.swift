import ObjectStorage
import InternalUtilities

/// Rows of an index whose places in the order are known, in ascending order.
struct PositionedRows {
    private var positions: [Int] = []
    private var places = SortKeyArray()

    /// Taking out so few moves less memory than copying the rest.
    private static let few = 4

    var count: Int { positions.count }

    /// The positions of the last row before a place, and of the first that is not.
    ///
    /// - Complexity: O(log *k*) comparisons for *k* rows.
    func neighbours(of place: SortKey) -> (before: Int?, after: Int?) {
        neighbours(ofNumber: places.count(before: place))
    }

    /// The positions of the last row before a position, and of the first that is not.
    func neighbours(of position: Int) -> (before: Int?, after: Int?) {
        neighbours(ofNumber: positions.count(below: position))
    }

    private func neighbours(ofNumber number: Int) -> (before: Int?, after: Int?) {
        (number > 0 ? positions[number - 1] : nil, number < positions.count ? positions[number] : nil)
    }

    /// Takes out the rows that are at some positions, which ascend.
    mutating func remove(at removed: [Int]) {
        let numbers = removed.compactMap { position -> Int? in
            let number = positions.count(below: position)
            return number < positions.count && positions[number] == position ? number : nil
        }
        if numbers.count <= Self.few {
            for number in numbers.reversed() {
                positions.remove(at: number)
                places.remove(number)
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

    /// Moves the positions by the rows that went and came before them: all between two such by the same
    /// number.
    ///
    /// - Parameters:
    ///   - removed: The positions of the rows that went.
    ///   - gaps: For each row that came how many rows that stayed are before it. Both in ascending order.
    mutating func shift(removing removed: [Int], inserting gaps: [Int]) {
        var goes = 0
        var comes = 0
        var first = 0
        while first < positions.count {
            // The position before the edit up to which no other row goes or comes.
            let nextRemoved = goes < removed.count ? removed[goes] : .max
            let nextArrival = comes < gaps.count ? gaps[comes] + goes : .max
            let bound = min(nextRemoved, nextArrival)
            let end =
                bound == .max ? positions.count : first + positions[first...].count(below: bound)
            let distance = comes - goes
            if distance != 0 { for number in first..<end { positions[number] += distance } }
            first = end
            // What comes at the place of a row that goes is before the next that stays.
            if nextArrival <= nextRemoved { comes += 1 } else { goes += 1 }
        }
    }

    /// Puts in other rows, none of which is here.
    ///
    /// - Complexity: O(*k*) in the number of all rows.
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

    /// Adds a row behind all others.
    mutating func append(_ place: SortKey, at position: Int) {
        positions.append(position)
        places.append(place)
    }

    private mutating func append(_ other: PositionedRows, _ numbers: Range<Int>) {
        positions += other.positions[numbers]
        places.append(other.places, numbers)
    }

    private mutating func reserve(_ other: PositionedRows) {
        positions.reserveCapacity(other.count * 5 / 4)
        places.reserve(other.places)
    }
}
