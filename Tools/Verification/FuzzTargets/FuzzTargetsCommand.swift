import ArgumentParser
import Foundation
import Fuzzing
import ToolSupport

/// `fuzz-targets`: gives bytes to everything that reads bytes of others.
#if !FUZZING
@main
#endif
struct FuzzTargetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz-targets",
        abstract:
            "Tries the readers of bytes that others wrote: with a corpus, with changes of it, or under a fuzzer.",
        discussion: """
            Whatever the bytes are, no reader may crash, hang, or take them for something that they are not.

              swift run fuzz-targets replay all                     # the corpora
              swift run fuzz-targets mutate csv --count 100000      # changes of a corpus
              Tools/fuzz csv 60                                     # under libFuzzer, for a minute

            \(ToolExit.help)
            """,
        subcommands: [List.self, Replay.self, Mutate.self, Seed.self])

    static func main() { runAsTool() }

    /// The targets of a name, or all.
    static func targets(named name: String) throws -> [any FuzzTarget.Type] {
        if name == "all" { return Fuzzing.FuzzTargets.all }
        guard let target = Fuzzing.FuzzTargets.named(name) else {
            throw ToolFailure("There is no target “\(name)”. “fuzz-targets list” lists those there are.")
        }
        return [target]
    }
}

extension FuzzTargetsCommand {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the targets.")

        func run() {
            for target in Fuzzing.FuzzTargets.all { print("\(target.name): \(target.summary)") }
        }
    }

    struct Replay: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Tries a target's corpus, or files.")

        @Argument(help: "The name of a target, or “all”.")
        var name: String

        @Argument(help: "Files to try instead of the corpus.")
        var files: [String] = []

        @OptionGroup var corpora: CorporaOptions

        func run() throws {
            for target in try FuzzTargetsCommand.targets(named: name) {
                let inputs = files.isEmpty ? try corpora.corpus(of: target) : try files.map(Corpus.input)
                let summary = try findings { try FuzzSession(of: target).replay(inputs) }
                print("\(target.name): \(summary.trials) inputs, \(summary.accepted) of them sound; wrong 0")
            }
        }
    }

    struct Mutate: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Tries changes of a target's corpus.")

        @Argument(help: "The name of a target, or “all”.")
        var name: String

        @Option(help: "How many trials.")
        var count = 10_000

        @Option(help: "The seed of the random numbers. At random if not given.")
        var seed: UInt64?

        @Option(help: "The number of the first trial, to repeat one alone.")
        var first = 0

        @OptionGroup var corpora: CorporaOptions

        func validate() throws {
            guard count >= 0, first >= 0 else {
                throw ValidationError("--count and --first must not be negative.")
            }
        }

        func run() throws {
            let seed = seed ?? .random(in: 0..<1_000_000_000)
            for target in try FuzzTargetsCommand.targets(named: name) {
                // Before the trials, so that it is known after a crash.
                print("\(target.name): seed \(seed)")
                let corpus = try corpora.corpus(of: target)
                let summary = try findings {
                    try FuzzSession(of: target).mutate(corpus, trials: first..<first + count, seed: seed)
                }
                print("\(target.name): \(summary.trials) trials, \(summary.accepted) of them sound; wrong 0")
            }
        }
    }

    struct Seed: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes the inputs of the corpora that are made by programs, over those that are there.")

        @OptionGroup var corpora: CorporaOptions

        func run() throws {
            for target in Fuzzing.FuzzTargets.all { try corpora.write(try target.seeds(), of: target) }
        }
    }
}

/// Runs a closure, and calls what it finds a finding of the tool.
private func findings<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let finding as FuzzFinding {
        throw ToolFinding(finding.description)
    }
}
