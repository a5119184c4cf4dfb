/// How many elements can keep their place at most, found in the slowest and plainest way.
package enum MinimalityOracle {
    /// - Parameters:
    ///   - positions: Each element's old position, in the new order.
    ///   - mustStay: Whether each element is unchanged.
    package static func greatestNumberOfKept(_ positions: [Int], mustStay: [Bool]) -> Int {
        let fixed = positions.indices.filter { mustStay[$0] }.map { positions[$0] }
        let isConsistent = fixed == fixed.sorted()
        // An unchanged element is worth more than all changed ones together.
        let worth = mustStay.map { isConsistent && $0 ? positions.count + 1 : 1 }
        var best: [(worth: Int, count: Int)] = []
        for place in positions.indices {
            var longest = (worth: 0, count: 0)
            for earlier in 0..<place
            where positions[earlier] < positions[place] && best[earlier].worth > longest.worth {
                longest = best[earlier]
            }
            best.append((longest.worth + worth[place], longest.count + 1))
        }
        return best.max { $0.worth < $1.worth }?.count ?? 0
    }
}
