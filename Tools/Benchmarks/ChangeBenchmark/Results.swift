import BenchmarkSupport

/// Everything that was measured.
struct Results: Encodable {
    /// One kind of change of a list in an order.
    struct Case: Hashable, Encodable {
        let order: ListOrder
        let kind: ChangeKind
        let isBatch: Bool
    }

    /// Changes that were followed.
    struct Following: Encodable {
        let change: Case
        var first = FollowingLine.Times()
        var steady = FollowingLine.Times()
    }

    /// Starts of one kind.
    struct Openings: Encodable {
        let order: ListOrder
        let opening: Opening
        /// Milliseconds from opening the store to twenty objects, and until the cache is up to date as well.
        var answered: [Double] = []
        var finished: [Double] = []
        var steps: [[String: Double]] = []
    }

    /// Whole lists that were fetched and compared.
    struct Comparison: Encodable {
        let difference: ListDifference
        let isBatch: Bool
        var milliseconds: [Double] = []
    }

    private(set) var followings: [Following] = []
    private(set) var openings: [Openings] = []
    private(set) var comparisons: [Comparison] = []
    /// The peak MiB of processes that fetched a list, and of those that followed it as well.
    var fetchedMemory: [Double] = []
    var followedMemory: [Double] = []

    mutating func append(_ line: FollowingLine, _ order: ListOrder, isBatch: Bool) {
        for kind in ChangeKind.allCases {
            guard let first = line.first[kind], let steady = line.steady[kind] else { continue }
            append(first, steady, Case(order: order, kind: kind, isBatch: isBatch))
        }
    }

    private mutating func append(
        _ first: FollowingLine.Times, _ steady: FollowingLine.Times, _ change: Case
    ) {
        let place = followings.firstIndex { $0.change == change } ?? followings.endIndex
        if place == followings.endIndex { followings.append(Following(change: change)) }
        followings[place].first.append(first)
        followings[place].steady.append(steady)
    }

    mutating func append(_ sample: Sample, _ order: ListOrder, _ opening: Opening) {
        append([sample.answered], [sample.inside], [sample.steps], order, opening)
    }

    private mutating func append(
        _ answered: [Double], _ finished: [Double], _ steps: [[String: Double]], _ order: ListOrder,
        _ opening: Opening
    ) {
        let place =
            openings.firstIndex { $0.order == order && $0.opening == opening } ?? openings.endIndex
        if place == openings.endIndex { openings.append(Openings(order: order, opening: opening)) }
        openings[place].answered += answered
        openings[place].finished += finished
        openings[place].steps += steps
    }

    mutating func append(_ milliseconds: [Double], _ difference: ListDifference, isBatch: Bool) {
        let place =
            comparisons.firstIndex { $0.difference == difference && $0.isBatch == isBatch }
            ?? comparisons.endIndex
        if place == comparisons.endIndex {
            comparisons.append(Comparison(difference: difference, isBatch: isBatch))
        }
        comparisons[place].milliseconds += milliseconds
    }

    /// Adds what another round measured.
    mutating func append(_ round: Results) {
        for following in round.followings { append(following.first, following.steady, following.change) }
        for openings in round.openings {
            append(openings.answered, openings.finished, openings.steps, openings.order, openings.opening)
        }
        for comparison in round.comparisons {
            append(comparison.milliseconds, comparison.difference, isBatch: comparison.isBatch)
        }
        fetchedMemory += round.fetchedMemory
        followedMemory += round.followedMemory
    }
}

extension Results {
    /// The kind of change that takes the most above the bare commit, by the median.
    private func worst(_ order: ListOrder, isBatch: Bool) -> (kind: ChangeKind, milliseconds: Double)? {
        followings.filter { $0.change.order == order && $0.change.isBatch == isBatch }
            .map { ($0.change.kind, Spread($0.steady.aboveBare).median) }
            .max { $0.1 < $1.1 }
    }

    /// The median milliseconds of starts.
    func median(_ order: ListOrder, _ opening: Opening) -> Double? {
        openings.first { $0.order == order && $0.opening == opening }.map { Spread($0.answered).median }
    }

    /// The quicker way to compare whole lists, and its median milliseconds.
    func bestComparison(isBatch: Bool) -> (difference: ListDifference, milliseconds: Double)? {
        comparisons.filter { $0.isBatch == isBatch }
            .map { ($0.difference, Spread($0.milliseconds).median) }
            .min { $0.1 < $1.1 }
    }

    /// How much longer it takes to fetch and compare whole lists after rows moved than to follow them, from
    /// the commit to what changed. In the order that an index has, which is the better one for fetching.
    func comparisonRatio(isBatch: Bool) -> Double? {
        let change = Case(order: .indexed, kind: .move, isBatch: isBatch)
        guard let best = bestComparison(isBatch: isBatch),
            let followed = followings.first(where: { $0.change == change })
        else { return nil }
        return best.milliseconds / Spread(followed.steady.followed).median
    }

    /// The promises, for a list in one order.
    func figures(_ order: ListOrder, plan: Plan) -> [Figure] {
        let single = worst(order, isBatch: false)
        let batch = worst(order, isBatch: true)
        let rebuilt = median(order, .rebuilt)
        let advanced = median(order, .advanced)
        return [
            Figure(
                title: "save of one row, above the bare commit\(Self.naming(single?.kind))",
                bound: .atMost(300), unit: " µs", value: single.map { $0.milliseconds * 1e3 }),
            Figure(
                title:
                    "save of \(plan.batchSize.grouped) rows, above the bare commit\(Self.naming(batch?.kind))",
                bound: .atMost(30), unit: " ms", value: batch?.milliseconds),
            Figure(
                title: "start after another program changed \(plan.foreignSize) rows", bound: .atMost(10),
                unit: " ms", value: advanced),
            Figure(
                title: "computing the list, to that start", bound: .atLeast(50), unit: "×",
                value: rebuilt.flatMap { rebuilt in advanced.map { rebuilt / $0 } }),
        ]
    }

    /// Which kind of change a figure is about.
    private static func naming(_ kind: ChangeKind?) -> String {
        kind.map { " (the worst: \($0.title))" } ?? ""
    }
}
