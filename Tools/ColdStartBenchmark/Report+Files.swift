import Foundation

extension Report {
    /// The results as JSON.
    static func json(_ results: Results, _ figures: [Figure]) throws -> Data {
        struct Row: Encodable {
            let variant: String
            let rows: Int
            let sections: Int
            let samples: Int
            let inProcessMilliseconds: [String: Double]
            let processMilliseconds: [String: Double]
            let peakKiB: Double
        }
        struct Promise: Encodable {
            let text: String
            let value: Double
            let bound: Double
            let isAtLeast: Bool
            let isReached: Bool
        }
        struct Document: Encodable {
            let measurements: [Row]
            let figures: [Promise]
            let importRowsPerSecond: [String: Double]
        }
        func spread(_ spread: Spread) -> [String: Double] {
            ["minimum": spread.minimum, "median": spread.median, "percentile95": spread.percentile95]
        }
        let document = Document(
            measurements: results.measurements.map {
                Row(
                    variant: $0.variant.name, rows: $0.variant.rows, sections: $0.variant.sections,
                    samples: $0.samples.count, inProcessMilliseconds: spread($0.inside),
                    processMilliseconds: spread($0.whole), peakKiB: $0.peakKiB)
            },
            figures: figures.map {
                Promise(
                    text: $0.text, value: $0.value, bound: $0.bound, isAtLeast: $0.isAtLeast,
                    isReached: $0.isReached)
            },
            importRowsPerSecond: results.rates.map { ["tool": $0.tool.median, "loop": $0.loop.median] } ?? [:]
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(document)
    }

    /// The in-process medians as a plot: a row for each variant, time on a logarithmic axis, one mark for each store.
    static func svg(_ results: Results) -> String {
        var names: [String] = []
        for measurement in results.measurements where !names.contains(measurement.variant.name) {
            names.append(measurement.variant.name)
        }
        var stores: [[Int]] = []
        for measurement in results.measurements {
            let store = [measurement.variant.rows, measurement.variant.sections]
            if !stores.contains(store) { stores.append(store) }
        }
        stores.sort { $0.lexicographicallyPrecedes($1) }
        let colours = ["#9ecae1", "#4292c6", "#08306b", "#d94801", "#636363"]
        let (left, width, rowHeight, top) = (250.0, 620.0, 24.0, 70.0)
        let height = top + Double(names.count) * rowHeight + 40
        func x(_ milliseconds: Double) -> Double {
            // From 0.01 ms to 10 s: six powers of ten.
            left + (log10(max(milliseconds, 0.01)) + 2) / 6 * width
        }
        func text(_ x: Double, _ y: Double, _ anchor: String, _ text: String) -> String {
            let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(escaped)</text>"
        }
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Int(left + width + 40))\" height=\"\(Int(height))\" font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            text(
                left, 20, "start",
                "From opening the store to sections and 20 readable objects (median ms, logarithmic)"),
        ]
        for (position, store) in stores.enumerated() {
            let start = left + Double(position) * 150
            parts.append(
                "<circle cx=\"\(start + 5)\" cy=\"36\" r=\"5\" fill=\"\(colours[position % colours.count])\"/>"
            )
            parts.append(text(start + 15, 40, "start", "\(store[0]) rows, \(store[1]) sections"))
        }
        for power in -2...4 {
            let place = x(pow(10, Double(power)))
            parts.append(
                "<line x1=\"\(place)\" y1=\"\(top - 10)\" x2=\"\(place)\" y2=\"\(height - 35)\" stroke=\"#ddd\"/>"
            )
            parts.append(text(place, height - 18, "middle", number(pow(10, Double(power)))))
        }
        for (row, name) in names.enumerated() {
            let y = top + Double(row) * rowHeight + 8
            parts.append(text(left - 10, y + 4, "end", name))
            for measurement in results.measurements where measurement.variant.name == name {
                let store = [measurement.variant.rows, measurement.variant.sections]
                let colour = colours[(stores.firstIndex(of: store) ?? 0) % colours.count]
                let spread = measurement.inside
                parts.append(
                    "<line x1=\"\(x(spread.minimum))\" y1=\"\(y)\" x2=\"\(x(spread.percentile95))\" y2=\"\(y)\" stroke=\"\(colour)\" stroke-width=\"2\"/>"
                )
                parts.append("<circle cx=\"\(x(spread.median))\" cy=\"\(y)\" r=\"5\" fill=\"\(colour)\"/>")
            }
        }
        return (parts + ["</svg>"]).joined(separator: "\n")
    }
}
