import Foundation

/// A process of this program, started by a trial.
final class FaultChild {
    /// How it ended, and what it printed.
    struct End {
        /// The exit status; nil if a signal ended it.
        let status: Int32?
        /// The signal that ended it.
        let signal: Int32?
        let output: String
        let errors: String
    }

    private let process = Process()
    private let output: URL
    private let errors: URL

    /// - Parameter launcher: What it is started by, such as `unshare` with its options; nothing for the
    ///   process alone.
    init(
        of program: String, _ arguments: [String], environment: [String: String?], launcher: [String] = []
    ) throws {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "fault-child-\(UUID().uuidString)")
        output = scratch.appendingPathExtension("out")
        errors = scratch.appendingPathExtension("err")
        for file in [output, errors] { try Data().write(to: file) }
        // The program itself, also where it was started by its name alone.
        let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = launcher.isEmpty ? executable : URL(filePath: "/usr/bin/env")
        process.arguments =
            (launcher.isEmpty ? [] : launcher + [executable.path]) + ["child", program] + arguments
        var variables = ProcessInfo.processInfo.environment
        // A process that is to crash need not tell where.
        variables["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in environment { variables[name] = value }
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for file in [output, errors] { try? FileManager.default.removeItem(at: file) }
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// What it has printed so far.
    func printed() throws -> String { try String(contentsOf: output, encoding: .utf8) }

    /// Waits until it has printed a line.
    ///
    /// - Throws: ``FaultFinding`` if it has not after so many seconds, or ended before.
    func wait(forLine line: String, upTo seconds: Double = 30) throws {
        let end = DispatchTime.now() + seconds
        while try !printed().split(separator: "\n").contains(Substring(line)) {
            guard process.isRunning, DispatchTime.now() < end else {
                let found = try String(contentsOf: errors, encoding: .utf8)
                throw FaultFinding("a process does not get to “\(line)”: \(found)")
            }
            usleep(2_000)
        }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits until it ends.
    ///
    /// - Throws: ``FaultFinding`` if it has not ended after so many seconds; then it is killed.
    func wait(upTo seconds: Double) throws -> End {
        guard process.waitUntilExit(upTo: seconds) else {
            throw FaultFinding("a process did not end within \(seconds) seconds")
        }
        let isSignal = process.terminationReason == .uncaughtSignal
        return End(
            status: isSignal ? nil : process.terminationStatus,
            signal: isSignal ? process.terminationStatus : nil, output: try printed(),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
