import Foundation
import Mutants
import ToolSupport

/// Plants each mutant in processes of their own, and sees whether the fault programs that have to find it
/// do.
struct MutantHunt {
    let seed: UInt64
    /// The one mutant to plant; nil for all.
    let only: Mutant?

    /// - Throws: ``ToolSupport/ToolFinding`` if a mutant stays unnoticed, or a program finds none.
    func run() throws {
        var unnoticed: [String] = []
        for mutant in Mutant.ofCaches where only == nil || mutant == only {
            let programs = FaultCatalogue.programs.filter { $0.mutants.contains(mutant) }
            var finders: [String] = []
            for program in programs {
                if try isFound(mutant, by: program) {
                    finders.append(program.name)
                } else {
                    unnoticed.append("\(mutant.rawValue) by \(program.name)")
                }
            }
            if programs.isEmpty { unnoticed.append("\(mutant.rawValue) by any program") }
            print(
                "\(mutant.rawValue): \(finders.isEmpty ? "not found" : "found by " + finders.joined(separator: ", "))"
            )
        }
        if only == nil {
            for program in FaultCatalogue.programs where program.mutants.isEmpty {
                unnoticed.append("any mutant by \(program.name)")
            }
        }
        guard unnoticed.isEmpty else {
            throw ToolFinding("not found: \(unnoticed.joined(separator: "; "))")
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
        // Two is a program that could not do its work, which finds nothing.
        return process.terminationReason == .uncaughtSignal
            || process.terminationStatus == ToolExit.finding
    }
}
