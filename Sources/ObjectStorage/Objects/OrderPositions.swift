import InternalUtilities

/// Position numbers for the elements of an ordered list, chosen so that a change of the list changes few of
/// them.
enum OrderPositions {
    /// The distance between new position numbers, which leaves room for later insertions.
    private static let step: Int64 = 1 << 20

    /// Returns increasing position numbers for the elements of a list.
    ///
    /// - Parameter current: The current position numbers of the elements, in the list's order; nil for none.
    /// - Returns: Position numbers that keep as many current ones as possible; all are new only if there is
    ///   no room between neighbours.
    /// - Complexity: O(*n* log *n*).
    static func assign(current: [Int64?]) -> [Int64] {
        var positions = current.map { $0 ?? 0 }
        let kept = positions.longestAscendingRun(
            among: current.indices.lazy.filter { current[$0] != nil })
        var start = 0
        for end in kept + [current.count] {
            let low = start > 0 ? positions[start - 1] : nil
            let high = end < current.count ? positions[end] : nil
            guard let room = spread(count: end - start, between: low, and: high) else {
                return current.indices.map { Int64($0 + 1) * step }
            }
            for (offset, position) in room.enumerated() { positions[start + offset] = position }
            start = end + 1
        }
        return positions
    }

    /// Returns position numbers for new elements between two that are kept; nil if there is no room.
    private static func spread(count: Int, between low: Int64?, and high: Int64?) -> [Int64]? {
        guard count > 0 else { return [] }
        let count = Int64(count)
        switch (low, high) {
        case (nil, nil): return (1...count).map { $0 * step }
        case (let low?, nil):
            guard low < .max / 2 else { return nil }
            return (1...count).map { low + $0 * step }
        case (nil, let high?):
            guard high > .min / 2 else { return nil }
            return (1...count).map { high - (count + 1 - $0) * step }
        case (let low?, let high?):
            let (distance, overflows) = high.subtractingReportingOverflow(low)
            guard !overflows, distance > count else { return nil }
            let step = distance / (count + 1)
            return (1...count).map { low + $0 * step }
        }
    }
}
