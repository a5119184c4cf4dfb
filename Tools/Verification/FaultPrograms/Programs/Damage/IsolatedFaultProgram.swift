import Foundation
import CheckSupport

/// A fault program whose trials run in separate processes, some hundreds in each, so that the parent
/// process can report a crash.
protocol IsolatedFaultProgram: FaultProgram {
    /// The data that the trials of one process share.
    associatedtype Ground

    /// The number of trials of one process.
    static var trialsPerProcess: Int { get }

    /// Returns environment variables for the processes, in addition to those of this process.
    ///
    /// - Parameter folder: A folder for files that the processes need.
    /// - Throws: ``FaultSkipped`` if this machine cannot provide them.
    static func environment(in folder: URL) throws -> [String: String?]

    /// Creates the data that the trials of one process share.
    ///
    /// - Parameter folder: An empty folder.
    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> Ground

    /// Makes one trial.
    ///
    /// - Throws: ``FaultFinding`` if it fails.
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
        else { throw FaultFinding("invalid arguments: \(arguments)") }
        let folder = URL(filePath: arguments[0])
        let run = FaultRun(of: Self.self, count: count, seed: seed, folder: folder)
        // All processes have the same shared data, so that a single trial can be repeated.
        var generator = SeededGenerator(seed: seed)
        let ground = try prepare(in: folder, using: &generator)
        for number in first..<first + count {
            // A trial that hangs is a finding: the signal ends the process.
            alarm(30)
            var generator = run.generator(ofTrial: number)
            let outcome = try trial(number, on: ground, using: &generator)
            // One digit for each trial, written at once, so that the digits before a crash are kept.
            let digit = FaultOutcome.allCases.firstIndex(of: outcome) ?? 0
            FileHandle.standardOutput.write(Data("\(digit)".utf8))
        }
        alarm(0)
    }
}
