import ArgumentParser
import BenchmarkSupport
import Foundation

/// Measures the cost of following changes, in comparison with bare commits and with comparing whole lists.
@main
struct ChangeBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-benchmark",
        abstract:
            "Measures following changes of a long list, compared with bare commits and GRDB's ValueObservation.",
        discussion: """
            Each sample is a fresh process, which makes the same changes in three ways in turn: by a context whose
            controller has a delegate and a cache, by a context alone, and by prepared statements of SQLite on the same
            table without triggers. Build for release first:

              Tools/build change-benchmark
              .build/release/change-benchmark

            Exit status: 0 if everything was measured, even if figures are not reached; 2 if a program failed, a delegate
            did not receive each change, or two methods gave different results.
            """,
        subcommands: [
            Measure.self, WindowsCommand.self, CollectionsCommand.self, UnionsCommand.self,
            SampleCommand.self,
        ],
        defaultSubcommand: Measure.self)
}

/// Measures everything and prints the figures.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures everything and prints the figures (the default).")

    @Option(help: "The number of rows in the list.")
    var rows = 1_000_000

    @Option(help: "The number of processes of each kind.")
    var samples = 5

    @Option(help: "The number of saves of one row for each kind of change in a process.")
    var saves = 40

    @Option(help: "The number of saves of 1,000 rows for each kind of change in a process.")
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
            if let json { try results.document(plan: plan, load: load).write(to: json) }
        } catch {
            Progress.note("change-benchmark: \(error)")
            throw ExitCode(2)
        }
    }
}

/// The size of the measurement.
struct Plan {
    let rows: Int
    let samples: Int
    let saves: Int
    let batches: Int

    /// The number of rows in a batch, which is less than 1,000 in small lists.
    var batchSize: Int { min(1_000, rows / 10) }
    /// The number of rows that another program changes while no process follows the list.
    var foreignSize: Int { min(100, rows / 10) }
    /// The number of changes after which the peak memory is read.
    let changesForMemory = 100
    /// The number of changes for GRDB and the comparison of whole lists, which take seconds each.
    var comparisons: Int { min(saves, 3) }

    /// Returns the number of saves that a process makes of changes with `size` rows.
    func rounds(ofSize size: Int) -> Int { size == 1 ? saves : batches }
}
