import BenchmarkSupport

extension PageSection {
    private static let scenarios = ["idle", "import", "commits", "search", "order"]

    /// The times between frames of a main actor beside other work.
    static func mainActor(_ results: ResultSet) -> PageSection {
        var section = PageSection("main-actor", "Main actor")
        guard results.documents[.mainActor] != nil else {
            section.addProblem(results.problems[.mainActor] ?? "")
            return section
        }
        let rows = results.values(of: "rows", .mainActor, prefix: "main-actor.").last ?? 0
        section.addParagraph(
            """
            A main actor draws a list of \(rows.grouped) songs: each 8 milliseconds it reads twenty rows. Beside it, \
            another process imports as many songs again, a search is typed, and the order changes. The gaps between \
            the beginnings of two frames, in milliseconds; the marks are at the 99th percentile:
            """)
        let names = scenarios.map { "main-actor.gap.\($0)" }
        section.add(
            LogPlot(
                identifier: "gaps",
                title: "The 99th percentile of gaps between frames, by the work beside them", series: ["gap"],
                tracks: names.map { name in
                    LogPlot.Track(
                        title: results.title(.mainActor, name),
                        spreads: [results.find(.mainActor, name)?.spread])
                }, statistic: .percentile99))
        section.add(
            QuantityTable(
                caption: "Gaps between frames, milliseconds",
                columns: ["beside", "gaps", "median", "95th percentile", "99th percentile", "longest"],
                rows: names.map { name in
                    let spread = results.find(.mainActor, name)?.spread
                    let numbers = spread.map {
                        [$0.median, $0.percentile95, $0.percentile99, $0.maximum].map(\.threeDigits)
                    }
                    return .cells(
                        title: results.title(.mainActor, name),
                        spread.map { spread in
                            [.number(spread.count.grouped)] + (numbers ?? []).map { .number($0) }
                        } ?? [QuantityTable.Cell](repeating: .missing(name: name), count: 5))
                }))
        section.addHeading("The first screen of a list that no cache has")
        section.add(
            QuantityTable(
                caption: "First screen, milliseconds", columns: ["", "milliseconds"],
                rows: ["main-actor.first-screen", "main-actor.list"].map { name in
                    .cells(
                        title: results.title(.mainActor, name),
                        [results.cell(.mainActor, name)])
                }))
        section.addRatios(
            results, .mainActor,
            [
                "main-actor.list-to-first-screen": "the whole list, to the first screen",
                "main-actor.import-to-idle": "99th percentile beside an import, to nothing else",
                "main-actor.commits-to-idle": "99th percentile beside commits, to nothing else",
                "main-actor.search-to-idle": "99th percentile beside a search, to nothing else",
                "main-actor.order-to-idle": "99th percentile beside other orders, to nothing else",
            ])
        return section
    }
}
