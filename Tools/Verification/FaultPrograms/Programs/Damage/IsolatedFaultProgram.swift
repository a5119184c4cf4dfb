import Foundation
import CheckSupport

/// A fault program whose trials are made in processes of their own, some hundreds in each, so that a crash is
/// seen by who can tell of it.
protocol IsolatedFaultProgram: FaultProgram {
    /// What the trials of one process share.
    associatedtype Ground

    /// How many trials one process makes.
    static var trialsPerProcess: Int { get }

    /// The variables that the processes are started with, beside those of this one.
    ///
    /// - Parameter folder: A folder for what they need.
    /// - Throws: ``FaultSkipped`` if it cannot be had on this machine.
    static func environment(in folder: URL) throws -> [String: String?]

    /// Makes what the trials of one process share.
    ///
    /// - Parameter folder: An empty folder.
    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> Ground

    /// Makes one trial.
    ///
    /// - Throws: ``FaultFinding`` if it did not end as it must.
    static func trial(
        _ number: Int, on ground: Ground, using generator: inout SeededGenerator
    ) throws -> FaultOutcome
}

extension IsolatedFaultProgram {
    static var trialsPerProcess: Int { 250 }

    static func environment(in folder: URL) throws -> [String: String?] { [:] }

    static func run(_ run: inout FaultRun) throws {
        let environment = try environment(in: run.folder)
        for first in stride(from: 0, to: run.count, by: trialsPerProcess) {
            let count = min(trialsPerProcess, run.count - first)
            let folder = run.folder.appending(path: "trials-\(first)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            let end = try run.child(
                [folder.path, "\(run.seed)", "\(first)", "\(count)"], environment: environment,
                timeLimit: 30 + Double(count))
            let outcomes = end.output.compactMap(\.wholeNumberValue).map { FaultOutcome.allCases[$0] }
            for outcome in outcomes { run.note(outcome) }
            if let signal = end.signal {
                throw FaultFinding(
                    "trial \(first + outcomes.count) ended its process with signal \(signal) \(end.errors)")
            }
            guard end.status == 0, outcomes.count == count else {
                throw FaultFinding("trial \(first + outcomes.count): \(end.errors)")
            }
            try FileManager.default.removeItem(at: folder)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 4, let seed = UInt64(arguments[1]), let first = Int(arguments[2]),
            let count = Int(arguments[3])
        else { throw FaultFinding("cannot be started with \(arguments)") }
        let folder = URL(filePath: arguments[0])
        let run = FaultRun(of: Self.self, count: count, seed: seed, folder: folder)
        // The ground is the same for all processes, so that a trial can be repeated by itself.
        var generator = SeededGenerator(seed: seed)
        let ground = try prepare(in: folder, using: &generator)
        for number in first..<first + count {
            // A trial that waits for something is a finding: the signal ends the process.
            alarm(30)
            var generator = run.generator(ofTrial: number)
            let outcome = try trial(number, on: ground, using: &generator)
            // A digit a trial, written at once, so that a crash leaves the digits of those before it.
            let digit = FaultOutcome.allCases.firstIndex(of: outcome) ?? 0
            FileHandle.standardOutput.write(Data("\(digit)".utf8))
        }
        alarm(0)
    }
}
