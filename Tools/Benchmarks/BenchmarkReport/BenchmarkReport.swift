import ArgumentParser
import BenchmarkSupport
import Foundation

/// Writes the results of the benchmarks as a page.
@main struct BenchmarkReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark-report",
        abstract: "Writes the results of the benchmarks in a directory as a page of HTML.",
        discussion: """
            The directory has the files that Tools/benchmark --report writes: cold-start.json, changes.json, windows.json, \
            main-actor.json and objects.json, each written by a benchmark with --json, and machine.txt, whose lines have a \
            name, a tab and a value. The page has every number from them, and names the missing ones.

            Exit status: 0 if the page is complete; 1 if results are missing, which the page and the messages name; 2 if the \
            page could not be written.
            """)

    @Argument(help: "The directory with the results.")
    var directory: String

    @Option(help: "The page. By default index.html in the directory.")
    var output: String?

    func run() throws {
        let folder = URL(filePath: directory)
        let page = Page(
            results: ResultSet(directory: folder), machine: MachineDescription(directory: folder))
        let file = output.map { URL(filePath: $0) } ?? folder.appending(path: "index.html")
        do {
            try Data(page.source.utf8).write(to: file)
        } catch {
            Progress.note("benchmark-report: “\(file.path)” cannot be written: \(error.localizedDescription)")
            throw ExitCode(2)
        }
        print("The report is \(file.path)")
        for name in page.missing { Progress.note("benchmark-report: missing: \(name)") }
        if !page.missing.isEmpty { throw ExitCode(1) }
    }
}
