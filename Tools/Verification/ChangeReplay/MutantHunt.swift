import Foundation
import Mutants
import ToolSupport

/// Plants each mistake once in a process of its own, and sees whether it is found.
struct MutantHunt {
    let seed: UInt64
    let operations: Int

    /// Hunts one mutant after the other.
    ///
    /// - Throws: ``ToolSupport/ToolFinding`` if one stays unnoticed, or something is found where no mutant was
    ///   planted.
    func run() throws {
        var unnoticed: [String] = []
        for mutant in [nil] + Mutant.ofChangeReports.map(Optional.some) {
            let name = mutant?.rawValue ?? "none"
            let outcome = try replay(withMutant: mutant)
            print("\(name): \(outcome.isFound ? "found" : "nothing found") \(outcome.detail)")
            if outcome.isFound != (mutant != nil) { unnoticed.append(name) }
        }
        guard unnoticed.isEmpty else {
            throw ToolFinding("not as expected: \(unnoticed.joined(separator: ", "))")
        }
    }

    private func replay(withMutant mutant: Mutant?) throws -> (isFound: Bool, detail: String) {
        let process = Process()
        let pipe = Pipe()
        // The program itself, also where it was started by its name alone.
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        // Only what is found ends early.
        let length = mutant == nil ? operations / 8 : operations
        process.arguments = ["--seed", "\(seed)", "--operations", "\(length)"]
        var environment = ProcessInfo.processInfo.environment
        environment["SECTIONED_FETCH_MUTANT"] = mutant?.rawValue
        // A mutant may well trap, and nobody needs to see where.
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
