import Foundation
import Fuzzing
import Mutants

/// Parsers of untrusted bytes, with mutations of valid inputs.
enum ParserFaults: FaultProgram {
    static let name = "parsers"
    static let rows = ["A-33"]
    static let summary = "gives mutated bytes to each parser of untrusted bytes, see fuzz-targets"
    /// The number of trials for each parser. `Tools/fuzz` runs a coverage-guided fuzzer in addition.
    static let releaseCount = 200_000
    static let mutants: [Mutant] = [.unlimitedNesting, .noOffsetCheck, .repairedInput]
    static let huntCount = 20_000

    static func run(_ run: inout FaultRun) throws {
        for target in FuzzTargets.all {
            // Each target has a separate process, so that a crash ends that process alone.
            let end = try run.child(
                [target.name, "\(run.count)", "\(run.seed)"], timeLimit: 60 + Double(run.count) / 50)
            guard end.status == 0, let accepted = Int(end.output) else {
                throw FaultFinding(
                    "\(target.name): \(end.signal.map { "signal \($0)" } ?? end.errors). To repeat: fault-programs child parsers \(target.name) \(run.count) \(run.seed)"
                )
            }
            // If the first byte of each input were wrong, the trials would test nothing.
            guard accepted > 0 || run.count < 100 else {
                throw FaultFinding("\(target.name): no input was accepted")
            }
            for _ in 0..<accepted { run.note(.right) }
            for _ in accepted..<run.count { run.note(.refused) }
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let target = FuzzTargets.named(arguments[0]),
            let count = Int(arguments[1]),
            let seed = UInt64(arguments[2])
        else { throw FaultFinding("parsers: invalid arguments: \(arguments)") }
        let summary = try FuzzSession(of: target).mutate(try target.seeds(), trials: 0..<count, seed: seed)
        print(summary.accepted, terminator: "")
    }
}
