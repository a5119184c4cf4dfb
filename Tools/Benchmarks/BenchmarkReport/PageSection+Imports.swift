import BenchmarkSupport

extension PageSection {
    private static let importers = ["shell", "python", "tool", "again", "related"]

    /// Imports of a CSV file by different programs.
    static func imports(_ results: ResultSet) -> PageSection {
        var section = PageSection("import", "Import")
        guard results.documents[.coldStart] != nil else {
            section.addProblem(results.problems[.coldStart] ?? "")
            return section
        }
        guard let rows = results.values(of: "rows", .coldStart, prefix: "import.").last else {
            section.addProblem("cold-start.json has no imports")
            return section
        }
        section.addParagraph(
            """
            A CSV file of \(rows.grouped) songs is imported by whole processes that take turns. library-import \
            proposes types and a key, checks every row, and tracks the changes; the other two check nothing and track \
            nothing.
            """)
        let names = importers.map { "import.\($0)" }
        section.add(
            LogPlot(
                identifier: "imports", title: "Imports of \(rows.grouped) songs, by program",
                series: ["import"],
                tracks: names.map { name in
                    LogPlot.Track(
                        title: results.title(.coldStart, name),
                        spreads: [results.find(.coldStart, name)?.spread])
                }))
        section.add(
            QuantityTable(
                caption: "Imports of \(rows.grouped) songs, milliseconds",
                columns: ["whole process", "milliseconds"],
                rows: names.map { name in
                    .cells(
                        title: results.title(.coldStart, name),
                        [results.cell(.coldStart, name)])
                }))
        section.add(
            QuantityTable(
                caption: "Rates of imports, rows per second", columns: ["", "rows per second"],
                rows: ["import.rate.tool", "import.rate.loop"].map { name in
                    .cells(
                        title: results.title(.coldStart, name),
                        [results.cell(.coldStart, name)])
                }))
        section.addRatios(
            results, .coldStart,
            [
                "import.tool-to-shell": "library-import, to sqlite3 .import",
                "import.tool-to-python": "library-import, to Python",
                "import.again-to-tool": "the same file again, to the first import",
                "import.related-to-tool": "with two relationships, to the first import",
                "import.rows-to-loop": "rows per second of library-import, to the C loop",
            ])
        return section
    }
}
