import BenchmarkSupport

/// All results.
struct Results {
    /// A kind of change in a list with a certain order.
    struct Case: Hashable {
        let order: ListOrder
        let kind: ChangeKind
        let isBatch: Bool
    }

    /// The times of followed changes.
    struct Following {
        let change: Case
        var first = FollowingLine.Times()
        var steady = FollowingLine.Times()
    }

    /// The times of starts of one kind.
    struct Openings {
        let order: ListOrder
        let opening: Opening
        /// The milliseconds from opening the store to twenty objects, and until the cache is current as well.
        var answered: [Double] = []
        var finished: [Double] = []
        var steps: [[String: Double]] = []
    }

    /// The times of fetching and comparing whole lists.
    struct Comparison {
        let difference: ListDifference
        let isBatch: Bool
        var milliseconds: [Double] = []
    }

    private(set) var followings: [Following] = []
    private(set) var openings: [Openings] = []
    private(set) var comparisons: [Comparison] = []
    /// The peak memory in MiB of processes that fetched a list, and of those that followed it as well.
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
        let index = followings.firstIndex { $0.change == change } ?? followings.endIndex
        if index == followings.endIndex { followings.append(Following(change: change)) }
        followings[index].first.append(first)
        followings[index].steady.append(steady)
    }

    mutating func append(_ sample: Sample, _ order: ListOrder, _ opening: Opening) {
        append([sample.answered], [sample.inside], [sample.steps], order, opening)
    }

    private mutating func append(
        _ answered: [Double], _ finished: [Double], _ steps: [[String: Double]], _ order: ListOrder,
        _ opening: Opening
    ) {
        let index =
            openings.firstIndex { $0.order == order && $0.opening == opening } ?? openings.endIndex
        if index == openings.endIndex { openings.append(Openings(order: order, opening: opening)) }
        openings[index].answered += answered
        openings[index].finished += finished
        openings[index].steps += steps
    }

    mutating func append(_ milliseconds: [Double], _ difference: ListDifference, isBatch: Bool) {
        let index =
            comparisons.firstIndex { $0.difference == difference && $0.isBatch == isBatch }
            ?? comparisons.endIndex
        if index == comparisons.endIndex {
            comparisons.append(Comparison(difference: difference, isBatch: isBatch))
        }
        comparisons[index].milliseconds += milliseconds
    }

    /// Adds the results of another round.
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
    /// Returns the kind of change with the greatest median above the bare commit.
    private func worst(_ order: ListOrder, isBatch: Bool) -> (kind: ChangeKind, milliseconds: Double)? {
        followings.filter { $0.change.order == order && $0.change.isBatch == isBatch }
            .map { ($0.change.kind, Spread($0.steady.aboveBare).median) }
            .max { $0.1 < $1.1 }
    }

    /// Returns the median milliseconds of starts.
    func median(_ order: ListOrder, _ opening: Opening) -> Double? {
        openings.first { $0.order == order && $0.opening == opening }.map { Spread($0.answered).median }
    }

    /// Returns the faster method of comparing whole lists, and its median milliseconds.
    func bestComparison(isBatch: Bool) -> (difference: ListDifference, milliseconds: Double)? {
        comparisons.filter { $0.isBatch == isBatch }
            .map { ($0.difference, Spread($0.milliseconds).median) }
            .min { $0.1 < $1.1 }
    }

    /// Returns the ratio of fetching and comparing whole lists to following them, for moved rows, from the
    /// commit to the known changes. It is for the order of an index, in which fetching is fastest.
    func comparisonRatio(isBatch: Bool) -> Double? {
        let change = Case(order: .indexed, kind: .move, isBatch: isBatch)
        guard let best = bestComparison(isBatch: isBatch),
            let followed = followings.first(where: { $0.change == change })
        else { return nil }
        return best.milliseconds / Spread(followed.steady.followed).median
    }

    /// Returns the figures for a list in one order.
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

    /// Returns the part of a figure's title that names the kind of change.
    private static func naming(_ kind: ChangeKind?) -> String {
        kind.map { " (worst: \($0.title))" } ?? ""
    }
}
