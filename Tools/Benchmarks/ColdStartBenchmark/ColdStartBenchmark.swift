import BenchmarkSupport
import ArgumentParser
import Foundation

/// Measures how fast a program has its list after it starts, in comparison with other methods.
@main
struct ColdStartBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cold-start-benchmark",
        abstract:
            "Measures starts from the cache, without it, and by other methods, each in a fresh process.",
        discussion: """
            The variants take turns, in a different order each round, so that changes of the machine's speed affect all of them.
            Variants that take seconds get fewer samples. Build all programs for release first, with the Swift libraries
            linked statically:

              Tools/build
              .build/release/cold-start-benchmark

            Exit status: 0 if everything was measured, even if figures are not reached; 2 if a program failed, an expected
            hit was a miss, or two methods gave different results.
            """)

    @Option(
        help:
            "The directory that keeps the stores between runs. By default a temporary directory, which is removed at the end."
    )
    var directory: String?

    @Flag(help: "Do not remove the temporary directory.")
    var keep = false

    @Option(parsing: .upToNextOption, help: "The numbers of songs. By default 10000 100000 1000000.")
    var rows: [Int] = []

    @Option(parsing: .upToNextOption, help: "The numbers of sections. By default 27 1000.")
    var sections: [Int] = []

    @Option(help: "The number of samples of each variant. By default 31, or 7 with --quick.")
    var samples: Int?

    @Option(help: "The number of seconds for the samples of one variant, of which at least 5 are taken.")
    var seconds = 10.0

    @Flag(help: "Measure only 10,000 and 100,000 songs, with few samples.")
    var quick = false

    @Flag(help: "Do not measure the import.")
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
            if let json { try results.document(figures).write(to: json) }
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
            results.wholeImports = try WholeImportMeasurement(
                folder: folder, programs: programs, rows: importing.rows
            ).measure(rounds: quick ? 3 : 5)
        }
        results.load = MachineLoad(before: loadBefore, after: MachineLoad.now)
        return results
    }
}
