import InternalUtilities

/// Position numbers for the elements of an ordered list, chosen so that a change of the list changes few of
/// them.
package enum OrderPositions {
    /// The distances of new position numbers.
    struct Spacing {
        /// The number of the first element of a new list.
        let first: Int64
        /// The distance between new numbers, which leaves room for later insertions.
        let step: Int64
        /// The numbers that may be used.
        let allowed: ClosedRange<Int64>
        /// Whether new pairs are inserted without a position, and positions are assigned afterwards. The
        /// column of positions may then be NULL.
        let assignsPositionsLast: Bool

        /// The spacing of the library's own tables.
        static let usual = Spacing(
            first: 1 << 20, step: 1 << 20, allowed: Int64.min / 2...Int64.max / 2,
            assignsPositionsLast: false)
        /// The spacing of Core Data: 2048, 3072, 4096 … as in stores that it wrote. Numbers of 32 bits
        /// suffice.
        static let coreData = Spacing(
            first: 2_048, step: 1_024, allowed: 1...Int64(Int32.max),
            assignsPositionsLast: true)
    }

    /// Returns increasing position numbers for the elements of a list.
    ///
    /// - Parameters:
    ///   - current: The current position numbers of the elements, in the list's order; nil for none.
    ///   - spacing: The distances of new numbers.
    /// - Returns: Position numbers that keep as many current ones as possible; all are new only if there is
    ///   no room between neighbours.
    /// - Complexity: O(*n* log *n*).
    static func assign(current: [Int64?], spacing: Spacing = .usual) -> [Int64] {
        var positions = current.map { $0 ?? 0 }
        let kept = positions.longestAscendingRun(
            among: current.indices.lazy.filter { current[$0] != nil })
        var start = 0
        for end in kept + [current.count] {
            let low = start > 0 ? positions[start - 1] : nil
            let high = end < current.count ? positions[end] : nil
            guard let room = spread(count: end - start, between: low, and: high, spacing) else {
                return current.indices.map { spacing.first + Int64($0) * spacing.step }
            }
            for (offset, position) in room.enumerated() { positions[start + offset] = position }
            start = end + 1
        }
        return positions
    }

    /// Returns increasing position numbers in the spacing of Core Data. As many current ones as possible are
    /// kept.
    package static func coreDataPositions(current: [Int64?]) -> [Int64] {
        assign(current: current, spacing: .coreData)
    }

    /// Returns position numbers for new elements between two that are kept; nil if there is no room.
    private static func spread(
        count: Int, between low: Int64?, and high: Int64?, _ spacing: Spacing
    ) -> [Int64]? {
        guard count > 0 else { return [] }
        let count = Int64(count)
        let step = spacing.step
        switch (low, high) {
        case (nil, nil): return (0..<count).map { spacing.first + $0 * step }
        case (let low?, nil):
            guard low < spacing.allowed.upperBound - count * step else { return nil }
            return (1...count).map { low + $0 * step }
        case (nil, let high?):
            guard high < spacing.allowed.lowerBound + count * step else {
                return (1...count).map { high - (count + 1 - $0) * step }
            }
            guard spacing.allowed.lowerBound > 0 else { return nil }
            return spread(count: Int(count), between: 0, and: high, spacing)
        case (let low?, let high?):
            let (distance, overflows) = high.subtractingReportingOverflow(low)
            guard !overflows, distance > count else { return nil }
            let step = distance / (count + 1)
            return (1...count).map { low + $0 * step }
        }
    }
}
