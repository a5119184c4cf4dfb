import BenchmarkSupport

extension Ratio {
    /// Returns the ratios that `Tools/benchmark` compares.
    static func all(of results: Results) -> [Ratio] {
        let orders = ListOrder.allCases.flatMap { order in
            [
                Ratio("changes.\(order.rawValue).row-to-bare", results.followedToBare(order, isBatch: false)),
                Ratio("changes.\(order.rawValue).rows-to-bare", results.followedToBare(order, isBatch: true)),
                Ratio(
                    "changes.\(order.rawValue).start-to-hit", results.median(order, .advanced),
                    by: results.median(order, .hit)),
                Ratio(
                    "changes.\(order.rawValue).computing-to-start", results.median(order, .rebuilt),
                    by: results.median(order, .advanced)),
            ]
        }
        return orders + [
            Ratio("changes.comparing-to-following.row", results.comparisonRatio(isBatch: false)),
            Ratio("changes.comparing-to-following.rows", results.comparisonRatio(isBatch: true)),
        ]
    }
}

extension Results {
    /// Returns the ratio of saves with a followed list to bare commits of the same changes, as the sums of
    /// the medians of all kinds.
    func followedToBare(_ order: ListOrder, isBatch: Bool) -> Double? {
        let times = followings.filter { $0.change.order == order && $0.change.isBatch == isBatch }
            .map(\.steady)
        guard !times.isEmpty else { return nil }
        let followed = times.reduce(0) { $0 + Spread($1.followed).median }
        return followed / times.reduce(0) { $0 + Spread($1.bare).median }
    }
}
