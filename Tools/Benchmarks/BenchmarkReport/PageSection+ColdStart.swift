import BenchmarkSupport

extension PageSection {
    /// The ways to the sections by an attribute whose order an index has, in the order of the table.
    private static let ways = [
        "hit", "miss", "uncached", "groupBy", "sorter", "records", "scan", "floor", "twentyRows", "open",
    ]
    /// The other questions, each with its ways.
    private static let questions = [
        ("filtered", "sections by an attribute, with a filter", ["hit", "miss", "sorter"]),
        (
            "localized", "sections by first letters, in the order of a locale",
            ["hit", "miss", "uncached", "records"]
        ),
        (
            "related", "sections by an attribute of a related object", ["hit", "miss", "scan", "sorter"]
        ),
    ]

    /// A store of the benchmark.
    private struct Size {
        let rows: Int
        let sections: Int
        var conditions: [String: Int] { ["rows": rows, "sections": sections] }
        var title: String { "\(rows.grouped) songs" }
    }

    /// The start of a program, by each variant and number of songs.
    static func coldStart(_ results: ResultSet) -> PageSection {
        var section = PageSection("cold-start", "Cold start")
        guard results.documents[.coldStart] != nil else {
            section.addProblem(results.problems[.coldStart] ?? "")
            return section
        }
        let counts = results.values(of: "sections", .coldStart, prefix: "start.plain.")
        let sizes = counts.flatMap { count in
            results.values(of: "rows", .coldStart, prefix: "start.plain.").map {
                Size(rows: $0, sections: count)
            }
        }.filter { size in
            results.documents[.coldStart]?.quantities.contains { $0.conditions == size.conditions } ?? false
        }
        guard let count = counts.first, !sizes.isEmpty else {
            section.addProblem("cold-start.json has no starts")
            return section
        }
        section.addParagraph(
            """
            Milliseconds inside a fresh process, from opening the store until the names and counts of all sections \
            and the first twenty rows are readable. The songs are in \(count.grouped) sections, in an order that an \
            index of the store has. A hit reads the sections from the cache, which checks that the store is \
            unchanged. A miss computes them and saves them to the cache; “without a cache” only computes them. GROUP BY \
            is one SQL statement over a covering index and one for the first page. GRDB's records are fetched whole \
            and grouped in Swift. The C programs make the least calls that the task needs.
            """)
        for number in results.summary(of: sizes.filter { $0.sections == count }.map(\.rows), count) {
            section.addParagraph(number)
        }
        for count in counts {
            section.add(sizes: sizes.filter { $0.sections == count }, of: results)
        }
        section.addHeading("Other lists")
        section.add(
            QuantityTable(
                caption: "Other lists, milliseconds",
                columns: ["milliseconds"] + sizes.filter { $0.sections == count }.map(\.title),
                rows: questions.flatMap { question, title, ways in
                    [.heading(title)]
                        + ways.map { way in
                            let name = "start.\(question).\(way).inside"
                            // At least one size is measured.
                            let isMeasured = results.find(.coldStart, name) != nil
                            return .cells(
                                title: results.title(.coldStart, name),
                                sizes.filter { $0.sections == count }.map {
                                    results.cell(
                                        .coldStart, name, $0.conditions,
                                        isOptional: isMeasured && question == "localized")
                                })
                        }
                }))
        section.addParagraph(
            "The order of a locale is measured up to 100,000 songs, because GRDB's records take seconds there."
        )
        return section
    }

    /// Adds the plot and the tables of the stores with one number of sections.
    private mutating func add(sizes: [Size], of results: ResultSet) {
        guard let count = sizes.first?.sections else { return }
        addHeading("Songs in \(count.grouped) sections")
        add(
            LogPlot(
                identifier: "starts-\(count)",
                title: "Starts by variant and number of songs, \(count.grouped) sections",
                series: sizes.map(\.title),
                tracks: Self.ways.map { way in
                    let name = "start.plain.\(way).inside"
                    return LogPlot.Track(
                        title: results.title(.coldStart, name),
                        spreads: sizes.map { results.find(.coldStart, name, $0.conditions)?.spread })
                }))
        add(table("inside", "Time inside the process, milliseconds", sizes, results))
        addParagraph("How many times as long as a hit:")
        add(
            QuantityTable(
                caption: "Ratios of the medians to that of a hit",
                columns: ["to the hit"] + sizes.map(\.title),
                rows: Self.ways.filter { $0 != "hit" }.map { way in
                    let name = "start.plain.\(way).to-hit"
                    return .cells(
                        title: results.title(.coldStart, "start.plain.\(way).inside"),
                        sizes.map { results.ratioCell(.coldStart, name, $0.conditions) })
                }))
        addParagraph(
            """
            The whole process, from its start to its end. The C programs use shared libraries, which takes longer \
            to start than a program with its libraries inside (see “linking” below):
            """)
        add(table("process", "Time of the whole process, milliseconds", sizes, results))
    }

    private func table(
        _ part: String, _ caption: String, _ sizes: [Size], _ results: ResultSet
    ) -> QuantityTable {
        QuantityTable(
            caption: caption, columns: ["milliseconds"] + sizes.map(\.title),
            rows: Self.ways.map { way in
                let name = "start.plain.\(way).\(part)"
                return .cells(
                    title: results.title(.coldStart, name),
                    sizes.map { results.cell(.coldStart, name, $0.conditions) })
            })
    }
}

extension ResultSet {
    /// Returns sentences that compare the hit of the smallest and the largest store with the alternatives.
    fileprivate func summary(of rows: [Int], _ sections: Int) -> [String] {
        let ends = rows.count > 1 ? [rows[rows.count - 1], rows[0]] : rows
        return ends.compactMap { rows in
            let conditions = ["rows": rows, "sections": sections]
            guard let hit = find(.coldStart, "start.plain.hit.inside", conditions)?.spread.median else {
                return nil
            }
            let others = [
                ("without a cache", "uncached"), ("with GROUP BY", "groupBy"),
                ("with GRDB's records", "records"),
            ].compactMap { title, way in
                ratio(.coldStart, "start.plain.\(way).to-hit", conditions).map {
                    "\($0.threeDigits) times as long \(title)"
                }
            }
            let list = others.joined(separator: ", ")
            return "With \(rows.grouped) songs a hit takes \(hit.threeDigits) ms; the list takes \(list)."
        }
    }
}
