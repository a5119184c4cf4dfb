import Foundation
import CheckSupport

/// The trials of one fault program: their number, their random numbers, a folder to work in, and what came of
/// them.
struct FaultRun {
    /// How many trials to make.
    let count: Int
    let seed: UInt64
    /// An empty folder, removed afterwards.
    let folder: URL
    private let name: String
    /// How each trial ended.
    private(set) var outcomes: [FaultOutcome: Int] = [:]

    init(of program: any FaultProgram.Type, count: Int, seed: UInt64, folder: URL) {
        name = program.name
        self.count = count
        self.seed = seed
        self.folder = folder
    }

    /// The random numbers of one trial, which are the same whatever came before.
    func generator(ofTrial trial: Int) -> SeededGenerator {
        SeededGenerator(seed: seed &+ UInt64(trial) &* 0x9E37_79B9)
    }

    /// Counts how a trial ended.
    mutating func note(_ outcome: FaultOutcome) { outcomes[outcome, default: 0] += 1 }

    /// Runs a process of this program, which ``FaultProgram/runChild(_:)`` of the same fault program is
    /// called in.
    ///
    /// - Parameters:
    ///   - environment: Variables beside those of this process; nil takes one away.
    ///   - launcher: What it is started by, such as `unshare` with its options.
    ///   - timeLimit: The seconds after which it is killed, which is a finding.
    func child(
        _ arguments: [String], environment: [String: String?] = [:], launcher: [String] = [],
        timeLimit: Double = 60
    ) throws -> FaultChild.End {
        let child = try start(arguments, environment: environment, launcher: launcher)
        return try child.wait(upTo: timeLimit)
    }

    /// Starts such a process and does not wait for it.
    func start(
        _ arguments: [String], environment: [String: String?] = [:], launcher: [String] = []
    ) throws -> FaultChild {
        try FaultChild(of: name, arguments, environment: environment, launcher: launcher)
    }
}

/// How a trial ended, of what is allowed.
enum FaultOutcome: String, CaseIterable, Codable {
    /// The cache answered, and what it said was right.
    case right
    /// The cache did not answer and said why; what was computed was right.
    case missed
    /// The cache was off and said why; what was computed was right.
    case off
    /// A typed error was thrown, and nothing was changed.
    case refused
}
