/// A plot of numbers as horizontal bars with names. Many numbers are summed in groups of neighbours.
package struct BarPlot {
    private var bars: [(first: String, last: String, count: Int, sum: Int)] = []
    private let groupSize: Int
    private var number = 0

    /// The largest number of bars that are easily compared.
    package static let usualCount = 40

    /// Creates a plot.
    ///
    /// - Parameters:
    ///   - count: The number of values that will be added.
    ///   - maximumCount: The largest number of bars.
    package init(count: Int, maximumCount: Int) {
        groupSize = max(1, (count + maximumCount - 1) / max(1, maximumCount))
    }

    /// Adds the next value.
    package mutating func add(_ name: String, _ value: Int) {
        if number.isMultiple(of: groupSize) {
            bars.append((name, name, 1, value))
        } else {
            bars[bars.count - 1].last = name
            bars[bars.count - 1].count += 1
            bars[bars.count - 1].sum += value
        }
        number += 1
    }

    /// Returns a line for each bar: its name, its value, and the bar, the longest of which fills the width.
    ///
    /// - Parameter width: The width of the lines, in columns of the terminal.
    package func lines(width: Int) -> [String] {
        let names = bars.map { bar in
            let first = TerminalText.escaped(ValueText.shown(bar.first))
            guard bar.count > 1 else { return first }
            let half = max(4, (width / 3 - 3) / 2)
            let last = TerminalText.escaped(ValueText.shown(bar.last))
            return TerminalText.shortened(first, to: half) + " … " + TerminalText.shortened(last, to: half)
        }
        let values = bars.map { Quantity.count($0.sum) }
        let nameWidth = min(max(8, width / 3), names.map { TerminalText.width(of: $0) }.max() ?? 0)
        let valueWidth = values.map(\.count).max() ?? 0
        let barWidth = max(4, width - nameWidth - valueWidth - 4)
        let largest = bars.map(\.sum).max() ?? 0
        return zip(zip(names, values), bars).map { texts, bar in
            let line =
                TerminalText.fitted(texts.0, to: nameWidth) + "  "
                + TerminalText.padded(texts.1, to: valueWidth, atEnd: false)
            let drawn = Self.bar(bar.sum, of: largest, width: barWidth)
            return drawn.isEmpty ? line : line + "  " + drawn
        }
    }

    /// Returns a bar in eighths of a column. A value that is not zero has a bar.
    private static func bar(_ value: Int, of largest: Int, width: Int) -> String {
        guard largest > 0, value > 0 else { return "" }
        let eighths = max(1, Int((Double(value) / Double(largest) * Double(width * 8)).rounded()))
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }
}
