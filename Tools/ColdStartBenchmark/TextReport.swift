import Foundation

/// The results as text for a terminal.
struct TextReport {
    let results: Results
    let figures: [Figure]

    var text: String {
        var lines = [
            "Each sample is a fresh process. Medians in milliseconds, in parentheses minimum … 95th percentile."
        ]
        if let warning = results.load?.warning { lines.append(warning) }
        for store in results.stores { lines += table(of: store) }
        lines += steps
        lines += imports
        lines += ["", figuresTitle]
        lines += figures.map(Self.line)
        lines += ["", "A hit, a miss, and the GROUP BY that needs neither:"]
        lines += comparisons
        return lines.joined(separator: "\n")
    }

    private func table(of store: Store) -> [String] {
        var lines = ["", "\(Self.grouped(store.rows)) songs in \(Self.grouped(store.sections)) sections"]
        lines.append(
            Self.row("", ["in the process", "whole process", "CPU", "peak MiB", "samples"]))
        var question = Question.plain
        for measurement in results.measurements where measurement.variant.store == store {
            if measurement.variant.question != question {
                question = measurement.variant.question
                lines.append("  \(question.title)")
            }
            lines.append(
                Self.row(
                    measurement.variant.title,
                    [
                        Self.spread(measurement.inside), Self.spread(measurement.whole),
                        Self.number(measurement.processor.median),
                        String(format: "%.1f", measurement.peakKiB.median / 1_024),
                        String(measurement.samples.count),
                    ]))
            if measurement.variant.way == .miss {
                lines.append(
                    Self.row("  … answered after", [Self.spread(measurement.answered)]))
            }
        }
        return lines
    }

    /// Where the time of a hit goes.
    private var steps: [String] {
        guard let hit = results.find(.hit, over: results.mainStore) else { return [] }
        let steps = hit.steps.map { "\($0.name) \(Self.number($0.milliseconds))" }
        return ["", "Steps of a hit at \(Self.grouped(hit.variant.store.rows)) songs, ms:"]
            + ["  " + steps.joined(separator: ", ")]
    }

    private var imports: [String] {
        guard let imports = results.imports else { return ["", "The import was not measured."] }
        return [
            "",
            "Import of \(Self.grouped(imports.rows)) songs from CSV: \(Self.grouped(Int(imports.tool.median))) rows/s; "
                + "C loop over parsed rows: \(Self.grouped(Int(imports.loop.median))) rows/s",
        ]
    }

    private var figuresTitle: String {
        let rows = results.mainStore?.rows ?? 0
        let note = rows == 1_000_000 ? "" : ", though they are meant for 1,000,000"
        return "Figures at \(Self.grouped(rows)) songs\(note):"
    }

    private static func line(_ figure: Figure) -> String {
        let bound =
            switch figure.bound {
            case .atMost(let bound): "at most \(number(bound))\(figure.unit)"
            case .atLeast(let bound): "at least \(number(bound))\(figure.unit)"
            }
        guard let value = figure.value, let isReached = figure.isReached else {
            return "  not measured  \(figure.title) (\(bound))"
        }
        let verdict = isReached ? "reached     " : "not reached "
        return "  \(verdict)  \(figure.title): \(number(value)) of \(bound)"
    }

    /// Where the plain query is as fast as we are, said plainly.
    private var comparisons: [String] {
        results.stores.compactMap { store in
            guard let hit = results.find(.hit, over: store)?.inside.median,
                let groupBy = results.find(.groupBy, over: store)?.inside.median,
                let miss = results.find(.miss, over: store)?.inside.median
            else { return nil }
            let verdict =
                groupBy < hit
                ? "GROUP BY is \(Self.number(hit / groupBy))× faster than a hit: no cache is needed here"
                : "a hit is \(Self.number(groupBy / hit))× faster than GROUP BY"
            let cost =
                groupBy < miss
                ? "GROUP BY is \(Self.number(miss / groupBy))× faster than a miss"
                : "a miss is \(Self.number(groupBy / miss))× faster than GROUP BY"
            return
                "  \(Self.grouped(store.rows)) songs, \(Self.grouped(store.sections)) sections: \(verdict); \(cost)"
        }
    }

    private static func row(_ title: String, _ cells: [String]) -> String {
        let widths = [26, 26, 8, 10, 9]
        return "  " + padded(title, 34) + zip(cells, widths).map { aligned($0, $1) }.joined()
    }

    private static func spread(_ spread: Spread) -> String {
        "\(number(spread.median)) (\(number(spread.minimum)) … \(number(spread.percentile95)))"
    }

    /// Three significant digits.
    static func number(_ value: Double) -> String {
        if value >= 1_000 { return grouped(Int(value.rounded())) }
        if value >= 100 { return String(Int(value.rounded())) }
        return String(format: value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value)
    }

    /// A number with commas between thousands.
    static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return digits
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
