import ArgumentParser
import Foundation
import Fuzzing
import ToolSupport

/// `fuzz-targets`: runs the parsers of untrusted bytes on arbitrary inputs.
#if !FUZZING
@main
#endif
struct FuzzTargetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fuzz-targets",
        abstract:
            "Tests the parsers of untrusted bytes with a corpus, with mutations of it, or under a fuzzer.",
        discussion: """
            For all inputs, no parser may crash, hang, or read contents that the input does not have.

              swift run fuzz-targets replay all                     # the corpora
              swift run fuzz-targets mutate csv --count 100000      # mutations of a corpus
              Tools/fuzz csv 60                                     # under libFuzzer, for a minute

            \(ToolExit.help)
            """,
        subcommands: [List.self, Replay.self, Mutate.self, Seed.self])

    static func main() { runAsTool() }

    /// Returns the target with a name, or all targets.
    static func targets(named name: String) throws -> [any FuzzTarget.Type] {
        if name == "all" { return Fuzzing.FuzzTargets.all }
        guard let target = Fuzzing.FuzzTargets.named(name) else {
            throw ToolFailure("There is no target “\(name)”. “fuzz-targets list” prints all names.")
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
        static let configuration = CommandConfiguration(abstract: "Runs a target on its corpus, or on files.")

        @Argument(help: "The name of a target, or “all”.")
        var name: String

        @Argument(help: "Files to read instead of the corpus.")
        var files: [String] = []

        @OptionGroup var corpora: CorporaOptions

        func run() throws {
            for target in try FuzzTargetsCommand.targets(named: name) {
                let inputs = files.isEmpty ? try corpora.corpus(of: target) : try files.map(Corpus.input)
                let summary = try findings { try FuzzSession(of: target).replay(inputs) }
                print("\(target.name): \(summary.trials) inputs, \(summary.accepted) of them valid; wrong 0")
            }
        }
    }

    struct Mutate: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Runs a target on mutations of its corpus.")

        @Argument(help: "The name of a target, or “all”.")
        var name: String

        @Option(help: "The number of trials.")
        var count = 10_000

        @Option(help: "The seed of the random numbers. Random if omitted.")
        var seed: UInt64?

        @Option(help: "The number of the first trial, to repeat a single one.")
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
                // Printed before the trials, so that the seed is known after a crash.
                print("\(target.name): seed \(seed)")
                let corpus = try corpora.corpus(of: target)
                let summary = try findings {
                    try FuzzSession(of: target).mutate(corpus, trials: first..<first + count, seed: seed)
                }
                print("\(target.name): \(summary.trials) trials, \(summary.accepted) of them valid; wrong 0")
            }
        }
    }

    struct Seed: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Generates the first inputs of a corpus, replacing files of the same names.")

        @Argument(help: "The name of a target, or “all”.")
        var name: String

        @OptionGroup var corpora: CorporaOptions

        func run() throws {
            for target in try FuzzTargetsCommand.targets(named: name) {
                try corpora.write(try target.seeds(), of: target)
            }
        }
    }
}

/// Runs a closure, and turns its findings into findings of the tool.
private func findings<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let finding as FuzzFinding {
        throw ToolFinding(finding.description)
    }
}
