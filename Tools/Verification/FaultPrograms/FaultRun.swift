import Foundation
import CheckSupport

/// The trials of one fault program: their number, their random numbers, their folder and their outcomes.
struct FaultRun {
    /// The number of trials.
    let count: Int
    let seed: UInt64
    /// An empty folder, which is removed after the run.
    let folder: URL
    private let name: String
    /// The number of trials with each outcome.
    private(set) var outcomes: [FaultOutcome: Int] = [:]

    init(of program: any FaultProgram.Type, count: Int, seed: UInt64, folder: URL) {
        name = program.name
        self.count = count
        self.seed = seed
        self.folder = folder
    }

    /// Returns the random numbers of one trial, which do not depend on other trials.
    func generator(ofTrial trial: Int) -> SeededGenerator {
        SeededGenerator(seed: seed &+ UInt64(trial) &* 0x9E37_79B9)
    }

    /// Counts the outcome of one trial.
    mutating func note(_ outcome: FaultOutcome) { outcomes[outcome, default: 0] += 1 }

    /// Runs a child process with ``FaultProgram/runChild(_:)`` of the same fault program, and waits for its
    /// end.
    ///
    /// - Parameters:
    ///   - environment: Variables in addition to those of this process; nil removes a variable.
    ///   - launcher: A command that starts the process, such as `unshare` with its options.
    ///   - timeLimit: The number of seconds after which the process is killed, which is a finding.
    func child(
        _ arguments: [String], environment: [String: String?] = [:], launcher: [String] = [],
        timeLimit: Double = 60
    ) throws -> FaultChild.End {
        let child = try start(arguments, environment: environment, launcher: launcher)
        return try child.wait(upTo: timeLimit)
    }

    /// Starts such a process without waiting for it.
    func start(
        _ arguments: [String], environment: [String: String?] = [:], launcher: [String] = []
    ) throws -> FaultChild {
        try FaultChild(of: name, arguments, environment: environment, launcher: launcher)
    }
}

/// The allowed outcomes of a trial.
enum FaultOutcome: String, CaseIterable, Codable {
    /// The cache answered, and the answer was right.
    case right
    /// The cache did not answer and gave the reason; the computed answer was right.
    case missed
    /// The cache was off and gave the reason; the computed answer was right.
    case off
    /// A typed error was thrown, and nothing was changed.
    case refused
}
