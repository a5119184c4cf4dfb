import Foundation

/// A child process of this program that a trial started.
final class FaultChild {
    /// The exit status or signal of a process, and its output.
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

    /// Starts a process that runs ``FaultProgram/runChild(_:)`` of a program.
    ///
    /// - Parameter launcher: A command that starts the process, such as `unshare` with its options; empty for
    ///   none.
    init(
        of program: String, _ arguments: [String], environment: [String: String?], launcher: [String] = []
    ) throws {
        let scratch = FileManager.default.temporaryDirectory.appending(
            path: "fault-child-\(UUID().uuidString)")
        output = scratch.appendingPathExtension("out")
        errors = scratch.appendingPathExtension("err")
        for file in [output, errors] { try Data().write(to: file) }
        // The path of the running program, even if it was started by its name alone.
        let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = launcher.isEmpty ? executable : URL(filePath: "/usr/bin/env")
        process.arguments =
            (launcher.isEmpty ? [] : launcher + [executable.path]) + ["child", program] + arguments
        var variables = ProcessInfo.processInfo.environment
        // The crash of a process may be expected; its backtrace is of no use.
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

    /// Returns the output up to now.
    func printed() throws -> String { try String(contentsOf: output, encoding: .utf8) }

    /// Waits until the process has printed a line.
    ///
    /// - Throws: ``FaultFinding`` if it has not printed the line after `seconds`, or has ended before.
    func wait(forLine line: String, upTo seconds: Double = 30) throws {
        let end = DispatchTime.now() + seconds
        while try !printed().split(separator: "\n").contains(Substring(line)) {
            guard process.isRunning, DispatchTime.now() < end else {
                let found = try String(contentsOf: errors, encoding: .utf8)
                throw FaultFinding("a process did not print “\(line)”: \(found)")
            }
            usleep(2_000)
        }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits until the process ends.
    ///
    /// - Throws: ``FaultFinding`` if it has not ended after `seconds`; in that case it is killed.
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
