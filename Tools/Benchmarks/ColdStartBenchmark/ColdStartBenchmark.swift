import BenchmarkSupport
import ArgumentParser
import Foundation

/// The tool that measures how fast a program has its list after it starts, beside what else could be done.
@main
struct ColdStartBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cold-start-benchmark",
        abstract: "Measures starts from the cache, without it, and by other means, each in a fresh process.",
        discussion: """
            All variants take turns, in another order each round, so that a change of the machine's speed meets all alike.
            Variants that take seconds get fewer samples. Build every program for release first, with the Swift libraries inside:

              Tools/build
              .build/release/cold-start-benchmark

            Exit status: 0 when everything was measured, whether or not the figures are reached; 2 when something failed,
            a start that should be a hit was none, or two ways to the same answer differ.
            """)

    @Option(help: "Where stores are kept between runs. By default a temporary directory, removed at the end.")
    var directory: String?

    @Flag(help: "Do not remove the temporary directory.")
    var keep = false

    @Option(parsing: .upToNextOption, help: "Numbers of songs. By default 10000 100000 1000000.")
    var rows: [Int] = []

    @Option(parsing: .upToNextOption, help: "Numbers of sections. By default 27 and 1000.")
    var sections: [Int] = []

    @Option(help: "Samples of each variant. By default 31, or 7 with --quick.")
    var samples: Int?

    @Option(help: "Seconds that the samples of one variant may take; at least 5 samples are taken.")
    var seconds = 10.0

    @Flag(help: "10,000 and 100,000 songs only, and few samples.")
    var quick = false

    @Flag(help: "Leave out the import.")
    var withoutImport = false

    @Option(help: "Also write the results to this file as JSON.")
    var json: String?

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    @Option(help: "Also draw the results into this file as SVG.")
    var svg: String?

    func validate() throws {
        guard samples.map({ $0 > 0 }) ?? true else { throw ValidationError("--samples must be at least 1.") }
        guard seconds > 0 else { throw ValidationError("--seconds must be more than 0.") }
        guard rows.allSatisfy({ (1...10_000_000).contains($0) }) else {
            throw ValidationError("--rows takes numbers from 1 to 10000000.")
        }
        guard sections.allSatisfy({ (1...1_000_000).contains($0) }) else {
            throw ValidationError("--sections takes numbers from 1 to 1000000.")
        }
    }

    func run() throws {
        do {
            let folder = try WorkFolder(path: directory, isKept: keep, name: "cold-start-benchmark")
            defer { folder.removeIfTemporary() }
            let results = try measure(in: folder)
            let figures = Figure.all(of: results)
            print(TextReport(results: results, figures: figures).text)
            if let json { try JSONReport.data(results, figures).write(to: URL(filePath: json)) }
            if let ratios { try Ratio.write(Ratio.all(of: results), to: ratios) }
            if let svg { try Data(Plot(results).svg.utf8).write(to: URL(filePath: svg)) }
            if directory == nil, keep { Progress.note("The stores are in \(folder.url.path)") }
        } catch {
            Progress.note("cold-start-benchmark: \(error)")
            throw ExitCode(2)
        }
    }

    private func measure(in folder: WorkFolder) throws -> Results {
        let programs = try Programs()
        let sizes =
            rows.isEmpty ? (quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000]) : rows.sorted()
        let plan = Plan(sizes: sizes, sectionCounts: sections.isEmpty ? [27, 1_000] : sections.sorted())
        let preparation = Preparation(folder: folder, programs: programs)
        for store in plan.stores { try preparation.prepare(store, questions: plan.questions(of: store)) }
        let commands = try Commands(preparation, plan)
        let loadBefore = MachineLoad.now
        let limits = Sampling.Limits(samples: samples ?? (quick ? 7 : 31), secondsOfVariant: seconds)
        var results = try Sampling(commands: commands, limits: limits).measure(plan.variants)
        if !withoutImport {
            let importing = ImportMeasurement(
                folder: folder, programs: programs, rows: min(sizes.last ?? 0, 1_000_000))
            results.imports = try importing.measure(rounds: quick ? 3 : 5)
        }
        results.load = MachineLoad(before: loadBefore, after: MachineLoad.now)
        return results
    }
}
