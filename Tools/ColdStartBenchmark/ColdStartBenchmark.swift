import ArgumentParser
import Foundation

/// The tool that measures how fast a program has its list after it starts, beside what else could be done.
@main
struct ColdStartBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cold-start-benchmark",
        abstract: "Measures starts from the cache, without it, and by other means, each in a fresh process.",
        discussion: """
            All samples of all variants are taken in turn, so that a change of the machine's speed meets all alike. The
            benchmark fails when a start that should be a hit is none, or when two ways to the same answer differ.

            Exit status: 0 when the samples could be taken, whether the figures are reached or not; 2 otherwise.
            """)

    @Option(help: "Where stores are kept between runs. By default a temporary directory, removed at the end.")
    var directory: String?

    @Option(help: "Samples of each variant; variants that take seconds get fewer.")
    var samples = 15

    @Flag(help: "10k and 100k rows only, and few samples.")
    var quick = false

    @Flag(help: "Leave out the import.")
    var withoutImport = false

    @Option(help: "Also write the results to this file as JSON.")
    var json: String?

    @Option(help: "Also draw the results into this file as SVG.")
    var svg: String?

    func validate() throws {
        guard samples > 0 else { throw ValidationError("--samples must be at least 1.") }
    }

    func run() throws {
        do {
            let folder = try WorkFolder(path: directory)
            defer { folder.removeIfTemporary() }
            let sizes = quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000]
            let plan = try Plan(folder: folder, sizes: sizes)
            try plan.prepare()
            var results = try plan.run(samples: quick ? min(samples, 5) : samples)
            if !withoutImport {
                results.rates = try ImportMeasurement(folder: folder, rows: quick ? 50_000 : 200_000).run(
                    rounds: quick ? 2 : 5)
            }
            let figures = Figures.all(results, sizes: sizes)
            print(Report.text(results, figures))
            if let json { try Report.json(results, figures).write(to: URL(filePath: json)) }
            if let svg { try Data(Report.svg(results).utf8).write(to: URL(filePath: svg)) }
        } catch {
            FileHandle.standardError.write(Data("cold-start-benchmark: \(error)\n".utf8))
            throw ExitCode(2)
        }
    }
}

/// What keeps the benchmark from going on.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The directory that holds the stores, and the programs that read them.
struct WorkFolder {
    let url: URL
    private let isTemporary: Bool

    init(path: String?) throws {
        isTemporary = path == nil
        url =
            path.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(
                path: "cold-start-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func removeIfTemporary() {
        guard isTemporary else { return }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            FileHandle.standardError.write(
                Data("cold-start-benchmark: “\(url.path)” could not be removed.\n".utf8))
        }
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func remove(_ name: String) throws {
        if exists(name) { try FileManager.default.removeItem(atPath: path(name)) }
    }

    /// A program that was built beside this one.
    static func program(_ name: String) throws -> String {
        let own = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let path = own.deletingLastPathComponent().appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkError(
                "“\(name)” is not beside this program; build all products (swift build -c release).")
        }
        return path
    }
}
