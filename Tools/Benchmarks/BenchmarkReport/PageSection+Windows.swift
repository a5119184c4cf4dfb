import BenchmarkSupport

extension PageSection {
    /// Saves with a followed list of a limit and an offset.
    static func windows(_ results: ResultSet) -> PageSection {
        var section = PageSection("windows", "Windows")
        guard results.documents[.windows] != nil else {
            section.addProblem(results.problems[.windows] ?? "")
            return section
        }
        let prefix = "windows."
        let changed = results.values(of: "changed", .windows, prefix: prefix)
        let offsets = results.values(of: "offset", .windows, prefix: prefix)
        guard let rows = results.values(of: "rows", .windows, prefix: prefix).last,
            let limit = results.values(of: "limit", .windows, prefix: prefix).last, !changed.isEmpty
        else {
            section.addProblem("windows.json has no windows")
            return section
        }
        section.addParagraph(
            """
            Milliseconds of a save while a window of \(limit.grouped) rows of \(rows.grouped) songs is followed, and of a \
            save without a list. The two take turns. The changed rows are scattered over the whole list.
            """)
        let orders = ["indexed", "localized"]
        for count in changed {
            section.addHeading(count == 1 ? "One row in a save" : "\(count.grouped) rows in a save")
            let windows = orders.flatMap { order in offsets.map { (order, offset: $0) } }
            func name(_ order: String, _ part: String) -> String { "windows.\(order).\(part)" }
            func find(_ order: String, _ part: String, _ offset: Int) -> MeasuredQuantity? {
                results.find(.windows, name(order, part), ["changed": count, "offset": offset])
            }
            func title(_ order: String, _ offset: Int) -> String {
                "\(results.title(.windows, name(order, "followed"))), from row \(offset.grouped)"
            }
            section.add(
                LogPlot(
                    identifier: "windows-\(count)", title: "Saves of \(count.grouped) rows with a window",
                    series: ["followed window", "no list"],
                    tracks: windows.map { order, offset in
                        LogPlot.Track(
                            title: title(order, offset),
                            spreads: ["followed", "bare"].map { find(order, $0, offset)?.spread })
                    }))
            section.add(
                QuantityTable(
                    caption: "Saves of \(count.grouped) rows with a window, milliseconds",
                    columns: ["milliseconds", "followed window", "no list", "ratio"],
                    rows: windows.map { order, offset in
                        let ratio = "windows.\(order).\(count == 1 ? "row" : "rows")-to-save"
                        return .cells(
                            title: title(order, offset),
                            ["followed", "bare"].map { part in
                                results.cell(
                                    .windows, name(order, part), ["changed": count, "offset": offset])
                            } + [
                                results.ratioCell(.windows, ratio, ["changed": count, "offset": offset])
                            ])
                    }))
        }
        return section
    }
}
