import BenchmarkSupport

/// The report as a page that needs no other file.
struct Page {
    let results: ResultSet
    let machine: MachineDescription

    private let sections: [PageSection]

    init(results: ResultSet, machine: MachineDescription) {
        self.results = results
        self.machine = machine
        sections = [
            .coldStart(results), .imports(results), .changes(results), .windows(results),
            .mainActor(results), .memory(results), .machine(results, machine),
        ]
    }

    private static let title = "Sectioned lists: cold start, and following changes"

    /// The names of the quantities that were not measured, and the reasons, in the order of the page.
    var missing: [String] {
        var names: [String] = []
        for name in sections.flatMap(\.missing) where !names.contains(name) { names.append(name) }
        return names
    }

    /// The page as HTML that is also XML.
    var source: String {
        let head = Markup.element(
            "head", [:],
            [
                .element("meta", ["charset": "utf-8"]),
                .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
                .element("title", [:], Self.title), .styleSheet(StyleSheet.text),
            ])
        let body = Markup.element("body", [:], [header] + sections.map(\.markup) + [footer])
        return "<!DOCTYPE html>"
            + Markup.element("html", ["xmlns": "http://www.w3.org/1999/xhtml", "lang": "en"], [head, body])
            .source + "\n"
    }

    private var header: Markup {
        let unknown = "unknown"
        let origin =
            "Measured by Tools/benchmark --report on \(machine["date"] ?? unknown), with "
            + "\(machine["processor"] ?? unknown), commit \(machine["commit"] ?? unknown)."
        let links = sections.flatMap { section -> [Markup] in
            [.element("a", ["href": "#\(section.identifier)"], section.title), .text(" · ")]
        }
        return .element(
            "header", [:],
            [
                .element("h1", [:], Self.title), .element("p", ["class": "of"], origin),
                .element("p", ["class": "lead"], Self.introduction),
            ] + warnings + [.element("p", [:], links.dropLast())])
    }

    private static let introduction = """
        How soon an app has a long list in sections after it starts: from a cache (a hit), without a cache, and with \
        SQL or GRDB alone; and how much the list costs while rows change. Each start is measured in a fresh process. \
        The variants take turns, in another order in each round, so that changes of the machine's speed affect all \
        of them, and their answers are compared. A cell has the median, and below it the minimum, the maximum and the \
        number n of samples. A ratio is the quotient of two measurements of one run.
        """

    /// The warnings about a busy machine and about missing results.
    private var warnings: [Markup] {
        var warnings: [Markup] = []
        let loads = ResultSet.Source.allCases.compactMap { source -> String? in
            guard let document = results.documents[source], document.load?.warning != nil else { return nil }
            return document.program
        }
        if !loads.isEmpty {
            let text =
                "Other programs used the machine during these runs, so minima say more than medians: "
                + "\(loads.joined(separator: ", ")). The loads are in the last table."
            warnings.append(.element("p", ["class": "warning"], text))
        }
        if !missing.isEmpty {
            warnings.append(
                .element(
                    "div", ["class": "warning"],
                    [
                        .element("p", [:], "This report is not complete. These results are missing:"),
                        .element("ul", [:], missing.map { .element("li", [:], $0) }),
                    ]))
        }
        return warnings
    }

    private var footer: Markup {
        let files = ResultSet.Source.allCases.filter { results.documents[$0] != nil }.map(\.file)
        return .element(
            "footer", [:],
            [
                .element(
                    "p", ["class": "of"],
                    """
                    All numbers of this page are in the files beside it, with every sample: \
                    \((files + [MachineDescription.file]).joined(separator: ", ")).
                    """)
            ])
    }
}
