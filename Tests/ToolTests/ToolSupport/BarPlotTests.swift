import Testing
import ToolSupport

/// Plots of numbers as bars.
@Suite struct BarPlotTests {
    @Test func `the longest bar fills the width, and the others are in proportion`() {
        var plot = BarPlot(count: 4, maximumCount: 40)
        for (name, value) in [("A", 80), ("漢", 40), ("", 1), ("none", 0)] { plot.add(name, value) }
        let lines = plot.lines(width: 40)
        #expect(lines.allSatisfy { TerminalText.width(of: $0) <= 40 })
        #expect(lines.map { $0.count { $0 == "█" } } == [30, 15, 0, 0])
        #expect(lines[0].hasPrefix("A     80  █") && lines[1].hasPrefix("漢    40  █"))
        #expect(lines[2].hasPrefix("\"\"     1  ▍") && lines[3] == "none   0")
    }

    @Test(arguments: [0, 1, 39, 40, 41, 1_000, 12_345])
    func `many values are summed in at most as many bars as wanted`(count: Int) {
        var plot = BarPlot(count: count, maximumCount: 40)
        for number in 0..<count { plot.add("S\(number)", number) }
        let lines = plot.lines(width: 80)
        #expect(lines.count <= 40 && (count == 0) == lines.isEmpty)
        let sums = lines.map { line in
            Int(
                line.drop { $0 != " " }.filter { !"▏▎▍▌▋▊▉█, ".contains($0) }.reversed().prefix {
                    $0.isNumber
                }
                .reversed().map(String.init).joined()) ?? 0
        }
        if count <= 40 { #expect(sums.reduce(0, +) == count * max(0, count - 1) / 2) }
    }
}
