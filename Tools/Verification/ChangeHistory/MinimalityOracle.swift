/// Computes how many elements can keep their order at most, by an algorithm in O(*n*²) that is plain enough
/// to be an oracle.
package enum MinimalityOracle {
    /// Returns the greatest number of elements that can keep their order.
    ///
    /// - Parameters:
    ///   - positions: Each element's old position, in the new order.
    ///   - mustStay: Whether each element is unchanged.
    package static func greatestNumberOfKept(_ positions: [Int], mustStay: [Bool]) -> Int {
        let fixed = positions.indices.filter { mustStay[$0] }.map { positions[$0] }
        let isConsistent = fixed == fixed.sorted()
        // An unchanged element weighs more than all changed ones together.
        let weight = mustStay.map { isConsistent && $0 ? positions.count + 1 : 1 }
        var best: [(weight: Int, count: Int)] = []
        for index in positions.indices {
            var longest = (weight: 0, count: 0)
            for earlier in 0..<index
            where positions[earlier] < positions[index] && best[earlier].weight > longest.weight {
                longest = best[earlier]
            }
            best.append((longest.weight + weight[index], longest.count + 1))
        }
        return best.max { $0.weight < $1.weight }?.count ?? 0
    }
}
