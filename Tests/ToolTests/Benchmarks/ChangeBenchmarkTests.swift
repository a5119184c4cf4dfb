import Foundation
import Testing

@Suite struct ChangeBenchmarkTests {
    @Test func `a small run measures every case and reports for each figure whether it is reached`() throws {
        let run = try ToolProcess.run(
            "change-benchmark", ["--rows", "400", "--samples", "1", "--saves", "2", "--batches", "1"],
            timeLimit: 300)
        try #require(run.status == 0, "\(run)")
        for order in [
            "an order that an index has", "a locale's order, titles indexed",
            "a locale's order, titles not indexed",
        ] {
            #expect(run.output.contains("400 songs in \(order): one row in a save"), "\(run)")
            #expect(run.output.contains("400 songs in \(order): 40 scattered rows in a save"), "\(run)")
            #expect(
                run.output.contains("Starts in \(order), after another program changed 40 rows"), "\(run)")
        }
        for (title, count) in [
            ("another attribute changed", 6), ("moved to another section", 6), ("inserted", 6),
            ("deleted", 6), ("batchUpdate, another attribute", 3), ("one row, difference(from:)", 1),
            ("40 rows, a hashed difference", 1), ("followed through 100 changes", 1),
            ("changed meanwhile: brought up to date", 3), ("no cache: computed", 3),
        ] {
            #expect(run.lines.count { $0.hasPrefix("  \(title) ") } == count, "\(title) in \(run)")
        }
        let verdicts = run.lines.filter { $0.hasPrefix("  reached ") || $0.hasPrefix("  not reached ") }
        #expect(verdicts.count == 12, "\(run)")
    }

    @Test(arguments: [["--rows", "19"], ["--samples", "0"], ["--saves", "0"], ["--batches", "0"]])
    func `numbers that cannot be measured are refused`(arguments: [String]) throws {
        let run = try ToolProcess.run("change-benchmark", arguments)
        #expect(run.status == 64 && run.output == "", "\(run)")
        #expect(run.errors.contains(arguments[0]), "\(run)")
    }
}
