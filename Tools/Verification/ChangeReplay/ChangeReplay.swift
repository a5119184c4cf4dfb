import ArgumentParser
import ChangeHistory
import Foundation
import ToolSupport

/// Checks the change reports with random histories.
@main
struct ChangeReplay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-replay",
        abstract: "Replays random histories and checks every change that results controllers report.",
        discussion: """
            Each history is a random list over a random store, with random batches of changes by several contexts and by
            another program. After each batch the changes are replayed on plain arrays, and the results and the cache entry
            are compared with those of an oracle that does not use the library.

              swift run -c release change-replay --operations 20000000 --jobs 2    # about an hour

            A failure is printed with the seed of its history, which replays it. \(ToolExit.help)
            """)

    @Option(help: "The number of rows to write in all.")
    var operations = 200_000

    @Option(
        help: "The seed of the first history; each later one has the next number. Random if omitted.")
    var seed: UInt64?

    @Option(help: "The number of histories to replay at the same time.")
    var jobs = 1

    @Flag(help: "Print each history and the actions of its batches.")
    var verbose = false

    @Flag(
        help: "Run once with each mutant and check that it is detected. Needs a build with --traits Mutants.")
    var mutants = false

    func validate() throws {
        guard (1...1_024).contains(jobs) else {
            throw ValidationError("--jobs takes a number from 1 to 1024.")
        }
    }

    func run() throws {
        let first = seed ?? .random(in: 0..<1_000_000_000)
        if mutants {
            #if Mutants
            return try MutantHunt(seed: first, operations: operations).run()
            #else
            throw ToolFailure(
                "This build has no mutants. Build with the package trait: swift run --traits Mutants change-replay --mutants"
            )
            #endif
        }
        try ReplaySession(firstSeed: first, operations: operations, isVerbose: verbose).run(jobs: jobs)
    }

    static func main() { runAsTool() }
}
