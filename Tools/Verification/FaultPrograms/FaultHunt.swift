import Foundation
import SeededBugs
import ToolSupport

/// Plants each seeded bug in processes of their own, and sees whether the fault programs that have to find it
/// do.
struct FaultHunt {
    let seed: UInt64
    /// The one bug to plant; nil for all.
    let only: SeededBug?

    /// - Throws: ``ToolSupport/ToolFinding`` if a bug stays unnoticed, or a program finds none.
    func run() throws {
        var unnoticed: [String] = []
        for bug in SeededBug.ofCaches where only == nil || bug == only {
            let programs = FaultCatalogue.programs.filter { $0.bugs.contains(bug) }
            var finders: [String] = []
            for program in programs {
                if try isFound(bug, by: program) {
                    finders.append(program.name)
                } else {
                    unnoticed.append("\(bug.rawValue) by \(program.name)")
                }
            }
            if programs.isEmpty { unnoticed.append("\(bug.rawValue) by any program") }
            print(
                "\(bug.rawValue): \(finders.isEmpty ? "not found" : "found by " + finders.joined(separator: ", "))"
            )
        }
        if only == nil {
            for program in FaultCatalogue.programs where program.bugs.isEmpty {
                unnoticed.append("any bug by \(program.name)")
            }
        }
        guard unnoticed.isEmpty else {
            throw ToolFinding("not found: \(unnoticed.joined(separator: "; "))")
        }
    }

    private func isFound(_ bug: SeededBug, by program: any FaultProgram.Type) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["run", program.name, "--count", "\(program.huntCount)", "--seed", "\(seed)"]
        var environment = ProcessInfo.processInfo.environment
        environment["SECTIONED_FETCH_SEEDED_BUG"] = bug.rawValue
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
