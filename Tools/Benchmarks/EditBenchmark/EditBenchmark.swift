import ArgumentParser
import BenchmarkSupport
import SectionCaching

/// Measures edits of an index, its cache entry, and the check of a cache's data file.
@main
struct EditBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit-benchmark",
        abstract:
            "Measures finding rows in an index, editing it, advancing its cache entry, and checking a cache's data file.",
        discussion: """
            Times are medians, in parentheses minimum … 95th percentile. Build for release first:

              Tools/build edit-benchmark
              .build/release/edit-benchmark
            """,
        subcommands: [Edits.self, Validator.self], defaultSubcommand: Edits.self)
}

/// Measures finding rows, editing and advancing.
struct Edits: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures finding rows in an index, editing it, and advancing its entry (the default).")

    @Argument(help: "The number of rows in the index, at least 10,000.")
    var rows = 1_000_000

    func validate() throws {
        guard rows >= 10_000 else { throw ValidationError("The number of rows must be at least 10,000.") }
    }

    func run() throws {
        let folder = try WorkFolder(path: nil, isKept: false, name: "edit-benchmark")
        defer { folder.removeIfTemporary() }
        print("\(rows.grouped) rows")
        let sample = EditSample(rows: rows, sections: 27)
        sample.measureFinding("in memory", sample.index)
        sample.measureEdits("in memory")
        try sample.measureCache(folder.url)
        EditSample(rows: rows, sections: 100_000).measureEdits("of 100,000 sections")
    }
}

/// Measures the check of a data file.
struct Validator: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the check of a data file in values of several sizes.")

    @Option(help: "The size of the data file in MiB, from 1 to 200.")
    var mebibytes = 100

    @Option(help: "The number of times to open each file.")
    var samples = 31

    @Option(help: "Also write the ratios that Tools/benchmark compares to this file.")
    var ratios: String?

    func validate() throws {
        guard (1...200).contains(mebibytes) else {
            throw ValidationError("--mebibytes takes numbers from 1 to 200.")
        }
        guard samples > 0 else { throw ValidationError("--samples must be at least 1.") }
    }

    func run() throws {
        let folder = try WorkFolder(path: nil, isKept: false, name: "edit-benchmark")
        defer { folder.removeIfTemporary() }
        let sample = StructureSample(mebibytes: mebibytes, samples: samples)
        let measured = try sample.measure(in: folder)
        if let ratios { try Ratio.write(measured, to: ratios) }
    }
}
