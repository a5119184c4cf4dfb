import BenchmarkSupport
import Foundation

/// A plot of times on a logarithmic axis: a track for each row, and a mark for each series.
///
/// The marks are at the medians, or at another statistic. A thick line goes from the lower to the upper
/// quartile, and a thin one from the minimum to the maximum. The titles are above the tracks, so that the
/// plot is readable on a telephone.
struct LogPlot {
    /// The number of a spread that a mark shows.
    enum Statistic: String {
        case median
        case percentile99 = "99th percentile"

        func value(of spread: Spread) -> Double {
            switch self {
            case .median: spread.median
            case .percentile99: spread.percentile99
            }
        }
    }

    /// A row of the plot.
    struct Track {
        let title: String
        /// A spread for each series; nil if it was not measured.
        let spreads: [Spread?]
    }

    /// The prefix of the identifiers in the drawing, which is unique in the page.
    let identifier: String
    let title: String
    let series: [String]
    let tracks: [Track]
    var statistic = Statistic.median

    private static let (width, left, right) = (640.0, 14.0, 616.0)
    private static let lineSpacing = 8.0

    private var top: Double { series.count > 1 ? 44 : 8 }
    private var trackHeight: Double { marksTop + 10 + Double(series.count) * Self.lineSpacing }
    /// The first line of marks in a track, below its title and its numbers.
    private var marksTop: Double { areNumbersBelowTitles ? 60 : 36 }

    /// Whether a title and the numbers beside it would be wider than the plot on a telephone.
    private var areNumbersBelowTitles: Bool {
        tracks.contains { $0.title.count + numbers(of: $0).joined(separator: " · ").count > 52 }
    }
    private var bottom: Double { top + Double(tracks.count) * trackHeight + 4 }

    /// The powers of ten at both ends of the axis, in milliseconds.
    private var powers: ClosedRange<Int> {
        let spreads = tracks.flatMap(\.spreads).compactMap { $0 }
        let least = spreads.map(\.minimum).filter { $0 > 0 }.min() ?? 1
        let greatest = max(spreads.map(\.maximum).max() ?? 10, least)
        let lower = Int(log10(least).rounded(.down))
        return lower...max(Int(log10(greatest).rounded(.up)), lower + 1)
    }

    /// The drawing.
    var markup: Markup {
        let (titleID, descriptionID) = ("\(identifier)-title", "\(identifier)-description")
        let description =
            "Marks: \(statistic.rawValue), on a logarithmic axis in milliseconds. Thick lines: quartiles; thin lines: minimum to "
            + "maximum. The table below has the numbers."
        let heading: [Markup] = [
            .element("title", ["id": titleID], title), .element("desc", ["id": descriptionID], description),
        ]
        let drawings: [Markup] = tracks.enumerated().map { drawing(of: $1, number: $0) }
        let picture = Markup.element(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": "0 0 \(Int(Self.width)) \(Int(bottom + 34))",
                "role": "img", "aria-labelledby": "\(titleID) \(descriptionID)",
            ], heading + legend + axis + drawings)
        return .element("figure", [:], [picture])
    }

    private var legend: [Markup] {
        guard series.count > 1 else { return [] }
        return series.enumerated().map { number, title in
            let x = Self.left + 8 + Double(number) * min(220, 600 / Double(series.count))
            return .element("g", [:], [Self.mark(number, x, 20), Self.text(x + 14, 26, title)])
        }
    }

    private var axis: [Markup] {
        powers.flatMap { power -> [Markup] in
            let x = position(pow(10, Double(power)))
            let anchor =
                power == powers.lowerBound ? "start" : power == powers.upperBound ? "end" : "middle"
            let minor = (2...9).filter { _ in power < powers.upperBound }.map { digit in
                let x = position(Double(digit) * pow(10, Double(power)))
                return Self.line(x, top, x, bottom, "minor")
            }
            return minor + [
                Self.line(x, top, x, bottom, "grid"),
                Self.text(x, bottom + 24, Self.label(power), anchor: anchor, class: "tick"),
            ]
        }
    }

    private func drawing(of track: Track, number: Int) -> Markup {
        let y = top + Double(number) * trackHeight
        let numbersLine = y + (areNumbersBelowTitles ? 46 : 22)
        var parts = [Self.text(Self.left, y + 22, track.title), label(of: track, y: numbersLine)]
        for (number, spread) in track.spreads.enumerated() {
            guard let spread else { continue }
            let line = y + marksTop + Double(number) * Self.lineSpacing
            let name = series.count > 1 ? "\(track.title), \(series[number])" : track.title
            let numbers =
                "\(statistic.rawValue) \(statistic.value(of: spread).threeDigits) ms, \(spread.minimum.threeDigits) to "
                + "\(spread.maximum.threeDigits) ms, \(spread.count.grouped) samples"
            parts.append(
                .element(
                    "g", ["class": "s\(number)"],
                    [
                        .element("title", [:], "\(name): \(numbers)"),
                        Self.line(position(spread.minimum), line, position(spread.maximum), line),
                        Self.line(
                            position(spread.lowerQuartile), line, position(spread.upperQuartile), line,
                            width: 4), Self.mark(number, position(statistic.value(of: spread)), line),
                    ]))
        }
        return .element("g", [:], parts)
    }

    /// Returns the numbers that the marks of a track show.
    private func numbers(of track: Track) -> [String] {
        track.spreads.map { $0.map { statistic.value(of: $0).threeDigits } ?? "not measured" }
    }

    /// Returns the numbers of a track, at its right end in the colours of the series.
    private func label(of track: Track, y: Double) -> Markup {
        var parts: [Markup] = []
        for (number, text) in numbers(of: track).enumerated() {
            if number > 0 { parts.append(.text(" · ")) }
            parts.append(.element("tspan", ["class": series.count > 1 ? "s\(number)" : "single"], text))
        }
        return .element(
            "text", ["x": Self.number(Self.right + 10), "y": Self.number(y), "text-anchor": "end"],
            parts + [.text(" ms")])
    }

    private func position(_ milliseconds: Double) -> Double {
        let (first, last) = (Double(powers.lowerBound), Double(powers.upperBound))
        let fraction = milliseconds > 0 ? (log10(milliseconds) - first) / (last - first) : 0
        return Self.left + min(max(fraction, 0), 1) * (Self.right - Self.left)
    }

    private static func label(_ power: Int) -> String {
        if power >= 3 { return "\(Int(pow(10, Double(power - 3))).grouped) s" }
        if power >= 0 { return "\(Int(pow(10, Double(power)))) ms" }
        return String(format: "%.\(-power)f ms", pow(10, Double(power)))
    }

    /// Returns the mark of a series: a circle, a square or a diamond.
    private static func mark(_ series: Int, _ x: Double, _ y: Double) -> Markup {
        let (x, y, name) = (number(x), number(y), "s\(series)")
        switch series {
        case 0: return .element("circle", ["class": name, "cx": x, "cy": y, "r": "5"])
        case 1: return .element("path", ["class": name, "d": "M\(x) \(y)m-5 -5h10v10h-10z"])
        default: return .element("path", ["class": name, "d": "M\(x) \(y)m-7 0l7 -7l7 7l-7 7z"])
        }
    }

    private static func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ name: String = "range", width: Int = 1
    ) -> Markup {
        .element(
            "line",
            [
                "class": name, "x1": number(x1), "y1": number(y1), "x2": number(x2), "y2": number(y2),
                "stroke-width": String(width),
            ])
    }

    private static func text(
        _ x: Double, _ y: Double, _ text: String, anchor: String = "start", class name: String = "label"
    ) -> Markup {
        .element(
            "text", ["class": name, "x": number(x), "y": number(y), "text-anchor": anchor], text)
    }

    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
