import ArgumentParser
import Foundation
import Mutants
import ToolSupport

/// Injects faults and checks the outcome.
@main
struct FaultPrograms: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault-programs",
        abstract:
            "Injects faults into caches and stores, and checks that no answer is wrong.",
        discussion: """
            Each program makes a number of trials with random numbers, and prints the seed that repeats them.

              swift run -c release fault-programs run all             # a hundredth of the trials
              swift run -c release fault-programs run all --release   # the trials for a release
              swift run --traits Mutants fault-programs mutants

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
        static let configuration = CommandConfiguration(abstract: "Runs one program, or all.")

        @Argument(help: "The name of a program, or “all”.")
        var name: String

        @Option(help: "The number of trials. A hundredth of the number for a release if omitted.")
        var count: Int?

        @Option(help: "The seed of the random numbers. Random if omitted.")
        var seed: UInt64?

        @Flag(help: "Make the number of trials for a release.")
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
                "Runs the programs with one mutant after the other and checks that they detect it. Needs a build with the package trait Mutants."
        )

        @Option(help: "The name of a single mutant. All mutants if omitted.")
        var mutant: String?

        @Option(help: "The seed of the random numbers.")
        var seed: UInt64 = 1

        func run() throws {
            #if Mutants
            var only: Mutant?
            if let mutant {
                guard let found = Mutant(rawValue: mutant) else {
                    throw SyntaxFailure(
                        "There is no mutant “\(mutant)”. The mutants are \(Mutant.ofCaches.map(\.rawValue).joined(separator: ", "))."
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

    /// Runs the child process of a trial.
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
                "There is no fault program “\(name)”. “fault-programs list” prints all names.")
        }
        return [program]
    }
}
