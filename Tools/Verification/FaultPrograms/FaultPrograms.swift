import ArgumentParser
import Foundation
import SeededBugs
import ToolSupport

/// The tool that proves what becomes of faults.
@main
struct FaultPrograms: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault-programs",
        abstract:
            "Brings about what can go wrong with caches and stores, and checks that no answer is wrong.",
        discussion: """
            Each program makes a number of trials with random numbers of a seed, which is printed and repeats them.

              swift run -c release fault-programs run all         # as many trials as the tests make
              swift run -c release fault-programs run all --release
              swift run fault-programs bugs                       # in debug builds

            \(ToolExit.help)
            """,
        subcommands: [List.self, Run.self, Bugs.self, Child.self])

    static func main() { runAsTool() }
}

extension FaultPrograms {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the programs.")

        func run() throws {
            for program in FaultCatalogue.programs {
                print(
                    "\(program.name) (\(program.rows.joined(separator: ", ")), \(program.releaseCount) for a release): \(program.summary)"
                )
            }
        }
    }

    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Runs a program, or all.")

        @Argument(help: "The name of a program, or “all”.")
        var name: String

        @Option(help: "How many trials; a hundredth of what is made for a release if not given.")
        var count: Int?

        @Option(help: "The seed of the random numbers. At random if not given.")
        var seed: UInt64?

        @Flag(help: "Make as many trials as for a release.")
        var release = false

        func run() throws {
            let programs = try FaultPrograms.programs(named: name)
            let seed = seed ?? .random(in: 0..<1_000_000_000)
            for program in programs {
                let standard = release ? program.releaseCount : max(1, program.releaseCount / 100)
                try FaultSession(program: program, count: count ?? standard, seed: seed).run()
            }
        }
    }

    struct Bugs: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Plants one seeded bug after the other and checks that programs find it. In debug builds.")

        @Option(help: "The one bug to plant.")
        var bug: String?

        @Option(help: "The seed of the random numbers.")
        var seed: UInt64 = 1

        func run() throws {
            #if DEBUG
            var only: SeededBug?
            if let bug {
                guard let found = SeededBug(rawValue: bug) else {
                    throw SyntaxFailure(
                        "There is no bug “\(bug)”; there are \(SeededBug.ofCaches.map(\.rawValue).joined(separator: ", "))."
                    )
                }
                only = found
            }
            try FaultHunt(seed: seed, only: only).run()
            #else
            throw ToolFailure("Bugs can be planted in debug builds alone: swift run fault-programs bugs")
            #endif
        }
    }

    /// A process that a trial starts.
    struct Child: ParsableCommand {
        static let configuration = CommandConfiguration(shouldDisplay: false)

        @Argument var program: String
        @Argument(parsing: .allUnrecognized) var arguments: [String] = []

        func run() throws {
            for program in try FaultPrograms.programs(named: program) { try program.runChild(arguments) }
        }
    }

    private static func programs(named name: String) throws -> [any FaultProgram.Type] {
        if name == "all" { return FaultCatalogue.programs }
        guard let program = FaultCatalogue.program(named: name) else {
            throw ToolFailure(
                "There is no fault program “\(name)”. “fault-programs list” lists those there are.")
        }
        return [program]
    }
}
