import Foundation
import Fuzzing
import Mutants

/// Readers of bytes that others wrote: given changes of what is right.
enum ParserFaults: FaultProgram {
    static let name = "parsers"
    static let rows = ["A-33"]
    static let summary = "gives changed bytes to the five readers of bytes of others, see fuzz-targets"
    /// For each of the five. A fuzzer that sees where inputs lead goes on from here: `Tools/fuzz`.
    static let releaseCount = 200_000
    static let mutants: [Mutant] = [.unlimitedNesting, .noOffsetCheck, .repairedInput]
    static let huntCount = 20_000

    static func run(_ run: inout FaultRun) throws {
        for target in FuzzTargets.all {
            // In processes of their own, which a crash ends alone.
            let end = try run.child(
                [target.name, "\(run.count)", "\(run.seed)"], timeLimit: 60 + Double(run.count) / 50)
            guard end.status == 0, let accepted = Int(end.output) else {
                throw FaultFinding(
                    "\(target.name): \(end.signal.map { "signal \($0)" } ?? end.errors). Alone: fuzz-targets mutate \(target.name) --count \(run.count) --seed \(run.seed)"
                )
            }
            // Trials that are all refused at the first byte would try nothing.
            guard accepted > 0 || run.count < 100 else {
                throw FaultFinding("\(target.name): no input was taken for what it should be")
            }
            for _ in 0..<accepted { run.note(.right) }
            for _ in accepted..<run.count { run.note(.refused) }
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let target = FuzzTargets.named(arguments[0]),
            let count = Int(arguments[1]),
            let seed = UInt64(arguments[2])
        else { throw FaultFinding("parsers are called with \(arguments)") }
        let summary = try FuzzSession(of: target).mutate(try target.seeds(), trials: 0..<count, seed: seed)
        print(summary.accepted, terminator: "")
    }
}
