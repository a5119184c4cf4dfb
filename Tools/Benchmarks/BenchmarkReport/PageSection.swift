import BenchmarkSupport

/// A section of the page.
struct PageSection {
    /// The identifier, to which the list of sections links.
    let identifier: String
    let title: String
    private var parts: [Markup] = []
    /// The names of the quantities that were not measured, or the reasons.
    private(set) var missing: [String] = []

    init(_ identifier: String, _ title: String) {
        self.identifier = identifier
        self.title = title
    }

    var markup: Markup {
        .element("section", ["id": identifier], [.element("h2", [:], title)] + parts)
    }

    mutating func addParagraph(_ text: String) { parts.append(.element("p", [:], text)) }

    mutating func addHeading(_ text: String) { parts.append(.element("h3", [:], text)) }

    mutating func add(_ plot: LogPlot) { parts.append(plot.markup) }

    mutating func add(_ table: QuantityTable) {
        parts.append(table.markup)
        missing += table.missing
    }

    /// Adds the reason why a benchmark has no results.
    mutating func addProblem(_ reason: String) {
        parts.append(.element("p", ["class": "warning missing"], "Not measured: \(reason)."))
        missing.append(reason)
    }

    /// Adds a table of ratios, with the words for each.
    mutating func addRatios(
        _ results: ResultSet, _ source: ResultSet.Source, _ ratios: KeyValuePairs<String, String>
    ) {
        add(
            QuantityTable(
                caption: "Ratios within this run", columns: ["ratios within this run", ""],
                rows: ratios.map { name, title in
                    .cells(title: title, [results.ratioCell(source, name)])
                }))
    }
}
