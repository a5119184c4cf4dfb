import Foundation

/// Shows what was measured.
enum Report {
    /// The results as text for a terminal.
    static func text(_ results: Results, _ figures: [Figure]) -> String {
        var lines = [
            pad("variant", 34) + right("rows", 10) + right("sections", 9) + right("in-process ms", 15)
                + right("(min … p95)", 20) + right("process ms", 12) + right("peak MiB", 10)
        ]
        for measurement in results.measurements {
            let variant = measurement.variant
            let inside = measurement.inside
            lines.append(
                pad(variant.name, 34) + right(String(variant.rows), 10) + right(String(variant.sections), 9)
                    + right(number(inside.median), 15)
                    + right("\(number(inside.minimum)) … \(number(inside.percentile95))", 20)
                    + right(number(measurement.whole.median), 12)
                    + right(number(measurement.peakKiB / 1_024), 10))
        }
        if let rates = results.rates {
            lines.append("")
            lines.append(
                "import of \(rates.rows) songs: library-import \(Int(rates.tool.median)) rows/s, C loop \(Int(rates.loop.median)) rows/s"
            )
        }
        lines.append("")
        for figure in figures {
            let bound = "\(figure.isAtLeast ? "at least" : "at most") \(number(figure.bound)) \(figure.unit)"
            lines.append(
                "\(figure.isReached ? "reached    " : "NOT REACHED")  \(figure.text): \(number(figure.value)) \(figure.unit) (\(bound))"
            )
        }
        lines += comparisons(results)
        return lines.joined(separator: "\n")
    }

    /// Where the plain query is as fast as we are, said plainly.
    private static func comparisons(_ results: Results) -> [String] {
        results.measurements.filter { $0.variant.name == "hit" }.compactMap { hit in
            guard
                let groupBy = results.find(
                    "SQL: GROUP BY, first page", hit.variant.rows, hit.variant.sections),
                let miss = results.find("miss", hit.variant.rows, hit.variant.sections)
            else { return nil }
            let gain = groupBy.inside.median / hit.inside.median
            let cost = miss.inside.median / groupBy.inside.median
            let verdict =
                gain < 1
                ? "GROUP BY is faster than a hit (\(number(1 / gain)) ×): no cache is needed here"
                : "a hit is \(number(gain)) × faster than GROUP BY"
            return
                "\(hit.variant.rows) rows, \(hit.variant.sections) sections: \(verdict); a miss takes \(number(cost)) × GROUP BY"
        }
    }

    /// Three significant digits.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value >= 100 { return String(Int(value.rounded())) }
        return String(format: value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value)
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
