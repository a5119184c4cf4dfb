import BenchmarkSupport

/// The results as text for a terminal.
struct Report {
    let results: Results
    let plan: Plan
    let load: MachineLoad

    var text: String {
        var lines = [
            "Each sample is a fresh process. Medians in milliseconds, in parentheses minimum … 95th percentile."
        ]
        if let warning = load.warning { lines.append(warning) }
        for order in ListOrder.allCases {
            for isBatch in [false, true] { lines += following(order, isBatch) }
        }
        lines += first + starts + comparisons + memory
        let note = plan.rows == 1_000_000 ? "" : ", which are meant for 1,000,000"
        for order in ListOrder.allCases {
            lines += ["", "Figures at \(plan.rows.grouped) songs in \(order.title)\(note):"]
            lines += results.figures(order, plan: plan).map(\.line)
        }
        return lines.joined(separator: "\n")
    }

    private func following(_ order: ListOrder, _ isBatch: Bool) -> [String] {
        let size = isBatch ? "\(plan.batchSize.grouped) scattered rows" : "one row"
        let followings = results.followings.filter {
            $0.change.order == order && $0.change.isBatch == isBatch
        }
        return [
            "", "\(plan.rows.grouped) songs in \(order.title): \(size) in a save",
            Self.row("", ["followed", "above bare", "no controller", "bare SQLite", "cache after"]),
        ]
            + followings.map { following in
                let times = following.steady
                return Self.row(
                    following.change.kind.title,
                    [times.followed, times.aboveBare, times.alone, times.bare, times.cached].map {
                        Spread($0).description
                    })
            }
    }

    /// The times of the first change in each process, which is an update.
    private var first: [String] {
        let followings = results.followings.filter { $0.change.kind == .update }
        return [
            "",
            "The first change of a process: opens the writing connection, and reads the order of all rows",
        ]
            + followings.map { following in
                let size = following.change.isBatch ? "\(plan.batchSize.grouped) rows" : "one row"
                return Self.row(
                    "\(following.change.order.rawValue), \(size)",
                    [following.first.followed, following.first.aboveBare].map { Spread($0).description })
            }
    }

    private var starts: [String] {
        ListOrder.allCases.flatMap { order in
            [
                "",
                "Starts in \(order.title), after another program changed \(plan.foreignSize) rows",
                Self.row("", ["to 20 objects", "to a saved cache"]),
            ]
                + results.openings.filter { $0.order == order }.map { openings in
                    Self.row(
                        openings.opening.title,
                        [openings.answered, openings.finished].map { Spread($0).description })
                }
                + [Self.steps(results.openings.first { $0.order == order && $0.opening == .advanced })]
                + ratio(order)
        }
    }

    private func ratio(_ order: ListOrder) -> [String] {
        guard let rebuilt = results.median(order, .rebuilt), let advanced = results.median(order, .advanced)
        else { return [] }
        return ["  computing takes \((rebuilt / advanced).threeDigits)× as long as advancing the entry"]
    }

    /// Returns the median time of each step of a start.
    private static func steps(_ openings: Results.Openings?) -> String {
        guard let openings, let first = openings.steps.first else { return "" }
        let steps = first.keys.map { name in
            (name: name, milliseconds: Spread(openings.steps.compactMap { $0[name] }).median)
        }
        return "  steps: "
            + steps.sorted { ($1.milliseconds, $0.name) < ($0.milliseconds, $1.name) }
            .map { "\($0.name) \($0.milliseconds.threeDigits)" }.joined(separator: ", ")
    }

    private var comparisons: [String] {
        var lines = [
            "",
            "GRDB's ValueObservation of all keys and sections by an index, moved rows: commit to difference",
        ]
        for comparison in results.comparisons {
            let size = comparison.isBatch ? "\(plan.batchSize.grouped) rows" : "one row"
            lines.append(
                Self.row(
                    "\(size), \(comparison.difference.title)", [Spread(comparison.milliseconds).description]))
        }
        for isBatch in [false, true] {
            guard let best = results.bestComparison(isBatch: isBatch),
                let ratio = results.comparisonRatio(isBatch: isBatch)
            else { continue }
            let size = isBatch ? "\(plan.batchSize.grouped) rows" : "one row"
            lines.append(
                "  \(size): with \(best.difference.title) comparing takes \(ratio.threeDigits)× as long as following"
            )
        }
        return lines
    }

    private var memory: [String] {
        let fetched = Spread(results.fetchedMemory)
        let followed = Spread(results.followedMemory)
        return [
            "", "Peak MiB of a process that fetches the list by an index, and follows changes of one row",
            Self.row("fetched", [fetched.description]),
            Self.row("followed through \(plan.changesForMemory) changes", [followed.description]),
            "  difference: \((followed.median - fetched.median).threeDigits)",
        ]
    }

    private static func row(_ title: String, _ cells: [String]) -> String {
        let padding = String(repeating: " ", count: max(0, 42 - title.count))
        let aligned = cells.map { String(repeating: " ", count: max(1, 26 - $0.count)) + $0 }
        return "  " + title + padding + aligned.joined()
    }
}
