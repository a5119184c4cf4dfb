import ArgumentParser
import ChangeHistory
import Foundation
import ToolSupport

/// The tool that proves the change reports.
@main
struct ChangeReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-replay",
        abstract: "Replays random histories and checks every change that results controllers report.",
        discussion: """
            Each history is a random list over a random store, with random batches of changes by several contexts and by
            another program. After each batch the changes are replayed on plain arrays, and the results and the cache entry
            are compared with what the data say, worked out without the library.

              swift run -c release change-replay --operations 20000000 --jobs 2    # about an hour

            A failure is printed with the seed of its history, which replays it. \(ToolExit.help)
            """)

    @Option(help: "How many rows are written in all.")
    var operations = 200_000

    @Option(
        help: "The seed of the first history; each further one has the next number. At random if not given.")
    var seed: UInt64?

    @Option(help: "How many histories are replayed at the same time.")
    var jobs = 1

    @Flag(help: "Print each history, and what each batch of it does.")
    var verbose = false

    @Flag(help: "Plant one mistake after the other, and see whether each is found. In debug builds.")
    var mutants = false

    func validate() throws {
        guard (1...1_024).contains(jobs) else {
            throw ValidationError("--jobs takes a number from 1 to 1024.")
        }
    }

    func run() throws {
        let first = seed ?? .random(in: 0..<1_000_000_000)
        guard !mutants else { return try MutantHunt(seed: first, operations: operations).run() }
        try ReplaySession(firstSeed: first, operations: operations, isVerbose: verbose).run(jobs: jobs)
    }

    static func main() { runAsTool() }
}
