import BenchmarkSupport

extension Results {
    /// Returns the results as a document for other programs.
    func document(plan: Plan, load: MachineLoad) -> BenchmarkDocument {
        BenchmarkDocument(
            program: "change-benchmark", load: load,
            quantities: followings.flatMap { quantities(of: $0, plan) } + starts(plan) + compared(plan)
                + memory(plan),
            ratios: Ratio.all(of: self), figures: ListOrder.allCases.flatMap { figures($0, plan: plan) })
    }

    /// The quantities of one kind of change: in the first change of a process, and in the later ones.
    private func quantities(of following: Following, _ plan: Plan) -> [MeasuredQuantity] {
        let change = following.change
        let name = "changes.\(change.order.rawValue).\(change.kind.rawValue)"
        let conditions = ["rows": plan.rows, "changed": change.isBatch ? plan.batchSize : 1]
        return [("", following.steady), (".first", following.first)].flatMap { part, times in
            [
                ("followed", times.followed), ("above-bare", times.aboveBare), ("alone", times.alone),
                ("bare", times.bare), ("cached", times.cached),
            ].filter { !$0.1.isEmpty }.map { way, samples in
                MeasuredQuantity(
                    "\(name)\(part).\(way)", change.kind.title, Spread(samples), under: conditions)
            }
        }
    }

    private func starts(_ plan: Plan) -> [MeasuredQuantity] {
        openings.flatMap { openings in
            let name = "changes.\(openings.order.rawValue).start.\(openings.opening.rawValue)"
            return [("answered", openings.answered), ("finished", openings.finished)].map { part, samples in
                MeasuredQuantity(
                    "\(name).\(part)", openings.opening.title, Spread(samples),
                    under: ["rows": plan.rows, "changed": plan.foreignSize])
            }
        }
    }

    private func compared(_ plan: Plan) -> [MeasuredQuantity] {
        comparisons.map { comparison in
            MeasuredQuantity(
                "changes.comparison.\(comparison.difference.rawValue)", comparison.difference.title,
                Spread(comparison.milliseconds),
                under: ["rows": plan.rows, "changed": comparison.isBatch ? plan.batchSize : 1])
        }
    }

    private func memory(_ plan: Plan) -> [MeasuredQuantity] {
        [
            MeasuredQuantity(
                "memory.fetched", "a list that is fetched", Spread(fetchedMemory), unit: "MiB",
                under: ["rows": plan.rows]),
            MeasuredQuantity(
                "memory.followed", "the list followed through \(plan.changesForMemory) changes",
                Spread(followedMemory), unit: "MiB", under: ["rows": plan.rows]),
        ]
    }
}
