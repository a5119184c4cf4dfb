import BenchmarkSupport
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
        lines += figures.map(\.line)
        lines += ["", "A hit and a miss, compared with GROUP BY without a cache:"]
        lines += comparisons
        return lines.joined(separator: "\n")
    }

    private func table(of store: Store) -> [String] {
        var lines = ["", "\(store.rows.grouped) songs in \(store.sections.grouped) sections"]
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
                        measurement.inside.description, measurement.whole.description,
                        measurement.processor.median.threeDigits,
                        String(format: "%.1f", measurement.peakKiB.median / 1_024),
                        String(measurement.samples.count),
                    ]))
            if measurement.variant.way == .miss {
                lines.append(
                    Self.row("  … answered after", [measurement.answered.description]))
            }
        }
        return lines
    }

    /// The median time of each step of a hit.
    private var steps: [String] {
        guard let hit = results.find(.hit, over: results.mainStore) else { return [] }
        let steps = hit.steps.map { "\($0.name) \(($0.milliseconds).threeDigits)" }
        return ["", "Steps of a hit at \(hit.variant.store.rows.grouped) songs, ms:"]
            + ["  " + steps.joined(separator: ", ")]
    }

    private var imports: [String] {
        guard let imports = results.imports else { return ["", "The import was not measured."] }
        return [
            "",
            "Import of \(imports.rows.grouped) songs from CSV: \(Int(imports.tool.median).grouped) rows/s; "
                + "C loop over parsed rows: \(Int(imports.loop.median).grouped) rows/s",
            "Whole processes over the file with its header, in milliseconds:",
        ]
            + WholeImport.allCases.compactMap { way in
                results.wholeImports[way].map { Self.row("  " + way.title, [$0.description]) }
            }
    }

    private var figuresTitle: String {
        let rows = results.mainStore?.rows ?? 0
        let note = rows == 1_000_000 ? "" : ", which are meant for 1,000,000"
        return "Figures at \(rows.grouped) songs\(note):"
    }

    /// The comparison with a plain GROUP BY, including the cases in which it is faster.
    private var comparisons: [String] {
        results.stores.compactMap { store in
            guard let hit = results.find(.hit, over: store)?.inside.median,
                let groupBy = results.find(.groupBy, over: store)?.inside.median,
                let miss = results.find(.miss, over: store)?.inside.median
            else { return nil }
            let verdict =
                groupBy < hit
                ? "GROUP BY is \((hit / groupBy).threeDigits)× faster than a hit: no cache is needed here"
                : "a hit is \((groupBy / hit).threeDigits)× faster than GROUP BY"
            let cost =
                groupBy < miss
                ? "GROUP BY is \((miss / groupBy).threeDigits)× faster than a miss"
                : "a miss is \((groupBy / miss).threeDigits)× faster than GROUP BY"
            return
                "  \(store.rows.grouped) songs, \(store.sections.grouped) sections: \(verdict); \(cost)"
        }
    }

    private static func row(_ title: String, _ cells: [String]) -> String {
        let widths = [26, 26, 8, 10, 9]
        return "  " + padded(title, 34) + zip(cells, widths).map { aligned($0, $1) }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
