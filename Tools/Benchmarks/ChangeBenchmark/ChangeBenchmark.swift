import ArgumentParser
import BenchmarkSupport
import Foundation

/// The tool that measures what it costs to follow changes, beside a bare commit and beside comparing whole
/// lists.
@main
struct ChangeBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-benchmark",
        abstract:
            "Measures following changes of a long list beside bare commits and GRDB's ValueObservation.",
        discussion: """
            Each sample is a fresh process. In it the same changes are made in three ways in turn: by a context whose
            controller has a delegate and a cache, by a context alone, and by prepared statements of SQLite over the same
            table without triggers. Build it for release first:

              Tools/build change-benchmark
              .build/release/change-benchmark

            Exit status: 0 when everything was measured, whether or not the figures are reached; 2 when something failed,
            a delegate did not hear of each change, or two ways to the same answer differ.
            """,
        subcommands: [Measure.self, SampleCommand.self], defaultSubcommand: Measure.self)
}

/// Measures everything and prints the figures.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures everything and prints the figures (the default).")

    @Option(help: "How many rows the list has.")
    var rows = 1_000_000

    @Option(help: "Processes of each kind.")
    var samples = 5

    @Option(help: "Saves of one row, of each kind of change, in a process.")
    var saves = 40

    @Option(help: "Saves of 1,000 rows, of each kind of change, in a process.")
    var batches = 5

    @Option(help: "Also write the results to this file as JSON.")
    var json: String?

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    func validate() throws {
        guard samples > 0 else { throw ValidationError("--samples must be at least 1.") }
        guard saves > 0, batches > 0 else {
            throw ValidationError("--saves and --batches must be at least 1.")
        }
        guard (20...10_000_000).contains(rows) else {
            throw ValidationError("--rows takes numbers from 20 to 10000000.")
        }
    }

    func run() throws {
        do {
            let folder = try WorkFolder(path: nil, isKept: false, name: "change-benchmark")
            defer { folder.removeIfTemporary() }
            let loadBefore = MachineLoad.now
            let plan = Plan(rows: rows, samples: samples, saves: saves, batches: batches)
            var measurement = try Measurement(folder: folder, plan: plan)
            let results = try measurement.run()
            let load = MachineLoad(before: loadBefore, after: MachineLoad.now)
            print(Report(results: results, plan: plan, load: load).text)
            if let ratios { try Ratio.write(Ratio.all(of: results), to: ratios) }
            if let json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                try encoder.encode(results).write(to: URL(filePath: json))
            }
        } catch {
            Progress.note("change-benchmark: \(error)")
            throw ExitCode(2)
        }
    }
}

/// How much is measured.
struct Plan {
    let rows: Int
    let samples: Int
    let saves: Int
    let batches: Int

    /// The rows of a batch; fewer in a list that has not enough of them.
    var batchSize: Int { min(1_000, rows / 10) }
    /// The rows that another program changes while nobody runs.
    var foreignSize: Int { min(100, rows / 10) }
    /// The changes after which memory is looked at.
    let changesForMemory = 100
    /// What GRDB and whole lists are measured with takes seconds.
    var comparisons: Int { min(saves, 3) }

    /// How many saves of changes of so many rows a process makes.
    func rounds(ofSize size: Int) -> Int { size == 1 ? saves : batches }
}
