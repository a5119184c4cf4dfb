import Foundation
import Mutants
import ToolSupport

/// Activates each mutant in separate processes, and checks that the fault programs detect their mutants.
struct MutantHunt {
    let seed: UInt64
    /// A single mutant; nil for all.
    let only: Mutant?

    /// Runs the programs with each mutant.
    ///
    /// - Throws: ``ToolSupport/ToolFinding`` if a program does not detect one of its mutants, a mutant
    ///   belongs to no program, or a program has no mutants.
    func run() throws {
        var undetected: [String] = []
        for mutant in Mutant.ofCaches where only == nil || mutant == only {
            let programs = FaultCatalogue.programs.filter { $0.mutants.contains(mutant) }
            var finders: [String] = []
            for program in programs {
                if try isFound(mutant, by: program) {
                    finders.append(program.name)
                } else {
                    undetected.append("\(mutant.rawValue) by \(program.name)")
                }
            }
            if programs.isEmpty { undetected.append("\(mutant.rawValue) by any program") }
            print(
                "\(mutant.rawValue): \(finders.isEmpty ? "not found" : "found by " + finders.joined(separator: ", "))"
            )
        }
        if only == nil {
            for program in FaultCatalogue.programs where program.mutants.isEmpty {
                undetected.append("any mutant by \(program.name)")
            }
        }
        guard undetected.isEmpty else {
            throw ToolFinding("not found: \(undetected.joined(separator: "; "))")
        }
    }

    private func isFound(_ mutant: Mutant, by program: any FaultProgram.Type) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["run", program.name, "--count", "\(program.huntCount)", "--seed", "\(seed)"]
        var environment = ProcessInfo.processInfo.environment
        environment["SECTIONED_FETCH_MUTANT"] = mutant.rawValue
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        // Status 2 means that the program could not run, which detects nothing.
        return process.terminationReason == .uncaughtSignal
            || process.terminationStatus == ToolExit.finding
    }
}
