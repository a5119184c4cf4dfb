import BenchmarkSupport
import Foundation

/// The medians inside the process as a drawing, with a row for each way, a logarithmic time axis, and a mark
/// for each store.
struct Plot {
    private struct Row {
        let title: String
        let measurements: [Measurement]
    }

    private let results: Results
    private let sizes: [Int]
    private let groups: [(title: String, rows: [Row])]

    private static let left = 300.0
    private static let right = 70.0
    private static let width = 760.0
    private static let top = 112.0
    private static let rowHeight = 26.0
    /// The powers of ten on the axis, in milliseconds: from 0.1 ms to 10 s.
    private static let powers = -1...4
    private static let colours = ["#5aa9e6", "#f0a202", "#d1495b", "#3d405b", "#6a994e"]

    init(_ results: Results) {
        self.results = results
        sizes = Set(results.stores.map(\.rows)).sorted()
        groups = Question.allCases.compactMap { question in
            let rows = Way.allCases.compactMap { way -> Row? in
                let found = results.measurements.filter {
                    $0.variant.way == way && $0.variant.question == question
                }
                return found.isEmpty ? nil : Row(title: way.title(for: question), measurements: found)
            }
            return rows.isEmpty ? nil : (question.title, rows)
        }
    }

    /// The drawing as SVG.
    var svg: String {
        let lines = groups.reduce(0) { $0 + $1.rows.count + 1 }
        let bottom = Self.top + Double(lines) * Self.rowHeight
        let size = (width: Int(Self.left + Self.width + Self.right), height: Int(bottom + 56))
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" \
            viewBox="0 0 \(size.width) \(size.height)" font-family="sans-serif" font-size="13" fill="#222">
            """,
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            Self.text(
                24, 30, "Cold start: from opening the store to sections and 20 readable rows", size: 17),
            Self.text(
                24, 52,
                "Median time inside a fresh process; the bar goes from the minimum to the 95th percentile"),
        ]
        parts += legend
        parts += axis(bottom: bottom)
        var y = Self.top + Self.rowHeight / 2
        for group in groups {
            parts.append(Self.text(24, y + 5, group.title, weight: "bold"))
            y += Self.rowHeight
            for row in group.rows {
                parts += drawing(of: row, y: y)
                y += Self.rowHeight
            }
        }
        return (parts + ["</svg>", ""]).joined(separator: "\n")
    }

    private func colour(_ rows: Int) -> String {
        Self.colours[(sizes.firstIndex(of: rows) ?? 0) % Self.colours.count]
    }

    private var legend: [String] {
        var parts: [String] = []
        var x = 30.0
        for size in sizes {
            parts.append("<circle cx=\"\(x)\" cy=\"76\" r=\"6\" fill=\"\(colour(size))\"/>")
            parts.append(Self.text(x + 12, 81, "\(size.grouped) songs"))
            x += 150
        }
        let counts = Set(results.stores.map(\.sections)).sorted()
        for (position, count) in counts.enumerated() {
            let fill = position == 0 ? "#888" : "white"
            parts.append(
                "<circle cx=\"\(x)\" cy=\"76\" r=\"5\" fill=\"\(fill)\" stroke=\"#888\" stroke-width=\"2\"/>")
            parts.append(Self.text(x + 12, 81, "\(count.grouped) sections"))
            x += 140
        }
        return parts
    }

    private func axis(bottom: Double) -> [String] {
        var parts: [String] = []
        for power in Self.powers {
            let x = Self.x(pow(10, Double(power)))
            parts.append(Self.line(x, Self.top - 6, x, bottom, colour: "#bbb"))
            for digit in 2...9 where power < Self.powers.upperBound {
                let x = Self.x(Double(digit) * pow(10, Double(power)))
                parts.append(Self.line(x, Self.top, x, bottom, colour: "#eee"))
            }
            let label =
                power < 3
                ? "\(power < 0 ? "0.1" : String(Int(pow(10, Double(power))))) ms" : "\(power == 3 ? 1 : 10) s"
            parts.append(Self.text(x, bottom + 20, label, anchor: "middle"))
        }
        let bound = Self.x(1)
        parts.append(
            "<line x1=\"\(bound)\" y1=\"\(Self.top - 6)\" x2=\"\(bound)\" y2=\"\(bottom)\" stroke=\"#2a9d8f\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\"/>"
        )
        parts.append(
            Self.text(bound, bottom + 40, "the limit for a hit", anchor: "middle", colour: "#2a9d8f"))
        return parts
    }

    private func drawing(of row: Row, y: Double) -> [String] {
        var parts = [Self.text(Self.left - 16, y + 5, row.title, anchor: "end")]
        let fewest = results.stores.map(\.sections).min()
        // Stores with more sections come first, so that the others are drawn over them.
        for measurement in row.measurements.sorted(by: {
            $0.variant.store.sections > $1.variant.store.sections
        }) {
            let store = measurement.variant.store
            let colour = colour(store.rows)
            let spread = measurement.inside
            let isMain = store.sections == fewest
            let center = Self.x(spread.median)
            let line = y + (isMain ? -3 : 4)
            parts.append(
                Self.line(Self.x(spread.minimum), line, Self.x(spread.percentile95), line, colour: colour))
            parts.append(
                "<circle cx=\"\(center)\" cy=\"\(line)\" r=\"\(isMain ? 5.5 : 4)\" fill=\"\(isMain ? colour : "white")\" stroke=\"\(colour)\" stroke-width=\"2\"/>"
            )
        }
        if let slowest = row.measurements.max(by: { $0.inside.median < $1.inside.median }) {
            let end = row.measurements.map(\.inside.percentile95).max() ?? slowest.inside.percentile95
            parts.append(
                Self.text(
                    Self.x(end) + 9, y + 5, Self.duration(slowest.inside.median), size: 12, colour: "#555"))
        }
        return parts
    }

    private static func x(_ milliseconds: Double) -> Double {
        let fraction = (log10(max(milliseconds, 0.1)) - Double(powers.lowerBound)) / Double(powers.count - 1)
        return (left + min(fraction, 1) * width).rounded(.toNearestOrEven)
    }

    private static func duration(_ milliseconds: Double) -> String {
        milliseconds >= 1_000
            ? "\((milliseconds / 1_000).threeDigits) s" : "\(milliseconds.threeDigits) ms"
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, colour: String) -> String
    {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" stroke=\"\(colour)\" stroke-width=\"\(y1 == y2 ? 2 : 1)\"/>"
    }

    private static func text(
        _ x: Double, _ y: Double, _ text: String, anchor: String = "start", size: Int = 13,
        weight: String = "normal", colour: String = "#222"
    ) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return
            "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" font-size=\"\(size)\" font-weight=\"\(weight)\" fill=\"\(colour)\">\(escaped)</text>"
    }
}
