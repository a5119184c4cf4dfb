import BenchmarkSupport

extension PageSection {
    /// The peak memory of processes.
    static func memory(_ results: ResultSet) -> PageSection {
        var section = PageSection("memory", "Memory")
        section.addParagraph("The peak of a process's resident memory, in MiB, as the system reports it.")
        section.addStartMemory(results)
        section.addHeading("Lists and objects")
        let quantities: [(source: ResultSet.Source, name: String)] = [
            (.objects, "memory.empty"), (.objects, "memory.list"), (.objects, "memory.objects"),
            (.objects, "memory.records"), (.changes, "memory.fetched"), (.changes, "memory.followed"),
        ]
        for source in [ResultSet.Source.objects, .changes] {
            if let problem = results.problems[source] { section.addProblem(problem) }
        }
        section.add(
            QuantityTable(
                caption: "Peak memory of lists and objects, MiB", columns: ["MiB", "rows", "peak memory"],
                rows: quantities.filter { results.documents[$0.source] != nil }.map { source, name in
                    let quantity = results.find(source, name)
                    let rows = quantity?.conditions["rows"]
                    return .cells(
                        title: results.title(source, name),
                        [rows.map { .number($0.grouped) } ?? .none, results.cell(source, name)])
                }))
        return section
    }

    private mutating func addStartMemory(_ results: ResultSet) {
        addHeading("Starts")
        guard results.documents[.coldStart] != nil else {
            addProblem(results.problems[.coldStart] ?? "")
            return
        }
        let sizes = results.values(of: "rows", .coldStart, prefix: "start.plain.")
        guard let count = results.values(of: "sections", .coldStart, prefix: "start.plain.").first else {
            return
        }
        add(
            QuantityTable(
                caption: "Peak memory of starts, MiB", columns: ["MiB"] + sizes.map { "\($0.grouped) songs" },
                rows: ["hit", "miss", "uncached", "groupBy", "records", "twentyRows"].map { way in
                    let name = "start.plain.\(way).memory"
                    return .cells(
                        title: results.title(.coldStart, name),
                        sizes.map { rows in
                            results.cell(.coldStart, name, ["rows": rows, "sections": count])
                        })
                }))
    }
}
