import ArgumentParser
import BenchmarkSupport
import Foundation

/// Measures objects and contexts, in comparison with code without them.
@main
struct ObjectBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "object-benchmark",
        abstract:
            "Measures inserting, fetching and listing objects, compared with a C loop and GRDB's records.",
        discussion: """
            Each sample is a fresh process, and the methods take turns. Build all programs for release first, with the Swift
            libraries linked statically:

              Tools/build
              .build/release/object-benchmark

            Exit status: 0 if everything was measured, even if figures are not reached; 2 if a program failed, or two
            methods gave different results.
            """,
        subcommands: [
            Measure.self, GrowthMeasurement.self, MonitoringMeasurement.self, PinMeasurement.self,
            ObjectSample.self,
        ],
        defaultSubcommand: Measure.self)
}

/// Measures everything and prints the figures.
struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures everything and prints the figures (the default).")

    @Option(help: "The number of rows to insert and list.")
    var rows = 1_000_000

    @Option(help: "The number of rows to fetch as objects.")
    var fetched = 100_000

    @Option(help: "The number of samples of each method.")
    var samples = 7

    @Option(help: "Also write the results to this file as JSON.")
    var json: String?

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    func validate() throws {
        guard samples > 0 else { throw ValidationError("--samples must be at least 1.") }
        guard (1...10_000_000).contains(rows), (1...10_000_000).contains(fetched) else {
            throw ValidationError("--rows and --fetched take numbers from 1 to 10000000.")
        }
    }

    func run() throws {
        do {
            let folder = try WorkFolder(path: nil, isKept: false, name: "object-benchmark")
            defer { folder.removeIfTemporary() }
            let loadBefore = MachineLoad.now
            let measurement = Measurement(
                programs: try Programs(), folder: folder, rows: rows, fetched: fetched, samples: samples)
            let results = try measurement.run()
            let load = MachineLoad(before: loadBefore, after: MachineLoad.now)
            print(Report(results: results, rows: rows, fetched: fetched, load: load).text)
            if let ratios { try Ratio.write(results.ratios, to: ratios) }
            if let json {
                try results.document(rows: rows, fetched: fetched, load: load).write(to: json)
            }
        } catch {
            Progress.note("object-benchmark: \(error)")
            throw ExitCode(2)
        }
    }
}
