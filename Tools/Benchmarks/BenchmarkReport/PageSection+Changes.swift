import BenchmarkSupport

extension PageSection {
    private static let orders = [
        ("indexed", "an order that an index has"),
        ("localized-titles-indexed", "the order of a locale, titles indexed"),
        ("localized", "the order of a locale, titles not indexed"),
    ]
    private static let kinds = ["update", "move", "insertion", "deletion"]
    private static let writers = [
        ("followed", "followed list"), ("alone", "no list"), ("bare", "bare SQLite"),
    ]

    /// Saves with a followed list, and starts after changes.
    static func changes(_ results: ResultSet) -> PageSection {
        var section = PageSection("changes", "Following changes")
        guard results.documents[.changes] != nil else {
            section.addProblem(results.problems[.changes] ?? "")
            return section
        }
        let changed = results.values(of: "changed", .changes, prefix: "changes.indexed.move.")
        guard let rows = results.values(of: "rows", .changes, prefix: "changes.").last, !changed.isEmpty
        else {
            section.addProblem("changes.json has no changes")
            return section
        }
        section.addParagraph(
            """
            Milliseconds of a save of a list of \(rows.grouped) songs, until the delegate has received every change. The \
            same change is made in three ways that take turns in each process: by a context whose list is followed, by \
            a context without a list, and by prepared statements of SQLite on a table without triggers. “Above bare” \
            is the difference of the first and the last for each save.
            """)
        for count in changed { section.addSaves(of: count, results) }
        section.addStarts(results)
        section.addComparison(changed, results)
        let ratios: KeyValuePairs = [
            "changes.indexed.row-to-bare": "a save of one row with a followed list, to bare SQLite",
            "changes.indexed.rows-to-bare": "a save of many rows with a followed list, to bare SQLite",
            "changes.indexed.start-to-hit": "a start after another program's changes, to a hit",
            "changes.indexed.computing-to-start": "computing the list, to a start after changes",
            "changes.comparing-to-following.row": "comparing whole lists through GRDB, to following: one row",
            "changes.comparing-to-following.rows":
                "comparing whole lists through GRDB, to following: many rows",
        ]
        section.addParagraph("In an order that an index has:")
        section.addRatios(results, .changes, ratios)
        return section
    }

    private mutating func addSaves(of count: Int, _ results: ResultSet) {
        let title = count == 1 ? "One row in a save" : "\(count.grouped) scattered rows in a save"
        addHeading(title)
        let kinds = count == 1 ? Self.kinds : Self.kinds + ["batchUpdate"]
        func find(_ name: String) -> MeasuredQuantity? { results.find(.changes, name, ["changed": count]) }
        add(
            LogPlot(
                identifier: "changes-\(count)", title: "\(title), in an order that an index has",
                series: Self.writers.map(\.1),
                tracks: kinds.map { kind in
                    LogPlot.Track(
                        title: results.title(.changes, "changes.indexed.\(kind).followed"),
                        spreads: Self.writers.map { find("changes.indexed.\(kind).\($0.0)")?.spread })
                }))
        let columns = [Self.writers[0], ("above-bare", "above bare")] + Self.writers.dropFirst()
        add(
            QuantityTable(
                caption: "\(title), milliseconds", columns: ["milliseconds"] + columns.map(\.1),
                rows: Self.orders.flatMap { order, title in
                    [.heading(title)]
                        + kinds.map { kind in
                            .cells(
                                title: results.title(.changes, "changes.\(order).\(kind).followed"),
                                columns.map { part, _ in
                                    results.cell(
                                        .changes, "changes.\(order).\(kind).\(part)", ["changed": count])
                                })
                        }
                }))
    }

    private mutating func addStarts(_ results: ResultSet) {
        guard let count = results.values(of: "changed", .changes, prefix: "changes.indexed.start.").first
        else {
            addProblem("changes.json has no starts")
            return
        }
        addHeading("Starts after another program changed \(count.grouped) rows")
        add(
            QuantityTable(
                caption: "Starts after changes, milliseconds",
                columns: ["milliseconds to 20 objects"] + Self.orders.map(\.1),
                rows: ["hit", "advanced", "rebuilt"].map { opening in
                    let names = Self.orders.map { "changes.\($0.0).start.\(opening).answered" }
                    return .cells(
                        title: results.title(.changes, names[0]),
                        names.map { results.cell(.changes, $0) })
                }))
    }

    private mutating func addComparison(_ changed: [Int], _ results: ResultSet) {
        addHeading("Beside comparing whole lists")
        addParagraph(
            """
            From the commit of moved rows to the known changes: GRDB's ValueObservation fetches all keys and sections \
            through an index, and the two lists are compared. Following reports the same changes.
            """)
        let names = [
            "changes.indexed.move.followed", "changes.comparison.standard", "changes.comparison.hashed",
        ]
        add(
            QuantityTable(
                caption: "Following and comparing whole lists, milliseconds",
                columns: ["milliseconds"] + changed.map { $0 == 1 ? "one row" : "\($0.grouped) rows" },
                rows: names.enumerated().map { number, name in
                    .cells(
                        title: number == 0
                            ? "following" : "GRDB, then \(results.title(.changes, name))",
                        changed.map { results.cell(.changes, name, ["changed": $0]) })
                }))
    }
}
