import ArgumentParser
import Foundation
import Mutants
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
              swift run fault-programs mutants                       # in debug builds

            \(ToolExit.help)
            """,
        subcommands: [List.self, Run.self, Mutants.self, Child.self])

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

    struct Mutants: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Plants one mutant after the other and checks that the programs find it. Needs a build with the package trait Mutants."
        )

        @Option(help: "The one mutant to plant.")
        var mutant: String?

        @Option(help: "The seed of the random numbers.")
        var seed: UInt64 = 1

        func run() throws {
            #if Mutants
            var only: Mutant?
            if let mutant {
                guard let found = Mutant(rawValue: mutant) else {
                    throw SyntaxFailure(
                        "There is no mutant “\(mutant)”; there are \(Mutant.ofCaches.map(\.rawValue).joined(separator: ", "))."
                    )
                }
                only = found
            }
            try MutantHunt(seed: seed, only: only).run()
            #else
            throw ToolFailure(
                "This build has no mutants. Build with the package trait: swift run --traits Mutants fault-programs mutants"
            )
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
