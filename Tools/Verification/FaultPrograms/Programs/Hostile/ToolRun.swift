import Foundation

/// A tool of this package, run as a process that a file of others may do harm to.
struct ToolRun {
    /// The exit status; nil if a signal ended it.
    let status: Int32?
    let output: String
    let errors: String

    /// The most that the process had in memory, in KiB, as far as it was seen: it is asked every two
    /// milliseconds.
    let peakMemory: Int

    /// Runs a tool that lies beside this program, with all that the system gives it: the limits are the
    /// tool's own.
    ///
    /// - Parameters:
    ///   - folder: Where its output is kept meanwhile.
    ///   - limits: The commands that a shell runs before the tool, such as `ulimit` with its options.
    ///   - timeLimit: The seconds after which it is killed, which is a finding.
    /// - Throws: ``FaultSkipped`` if it was not built; ``FaultFinding`` if it does not end.
    init(
        _ tool: String, _ arguments: [String], folder: URL, limits: String? = nil, timeLimit: Double = 60
    ) throws {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: tool)
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw FaultSkipped("\(tool) is not built: swift build --product \(tool)")
        }
        let files = ["output", "errors"].map { folder.appending(path: "\(UUID().uuidString).\($0)") }
        for file in files { try Data().write(to: file) }
        defer { for file in files { unlink(file.path) } }
        let process = Process()
        if let limits {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\(limits); exec \"$0\" \"$@\"", program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        let end = DispatchTime.now() + timeLimit
        var peak = 0
        while process.isRunning {
            peak = max(peak, Self.peakMemory(of: process.processIdentifier, running: program) ?? 0)
            if DispatchTime.now() > end {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                throw FaultFinding(
                    "\(tool) \(arguments.joined(separator: " ")) did not end within \(timeLimit) seconds")
            }
            usleep(2_000)
        }
        process.waitUntilExit()
        peakMemory = peak
        status = process.terminationReason == .exit ? process.terminationStatus : nil
        output = String(decoding: try Data(contentsOf: files[0]), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    }

    /// The most that a process had in memory, in KiB; nil before it runs the program, and after its end.
    private static func peakMemory(of process: Int32, running program: URL) -> Int? {
        let place = "/proc/\(process)"
        guard
            (try? FileManager.default.destinationOfSymbolicLink(atPath: place + "/exe")) == program.path,
            let status = try? String(contentsOfFile: place + "/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return Int(line.filter(\.isNumber))
    }

    /// The most memory that a tool may need for any file, in KiB.
    private static let memoryLimit = 1 << 20

    /// Whether a terminal would obey a scalar, or write what follows in another direction. From the tables of
    /// Unicode, and not from the tools.
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            || [.lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// Checks what holds of a tool whatever it was given: it ended by itself, said so in its own words, and
    /// printed nothing that a terminal would obey.
    func checkManners(of what: String) throws {
        guard let status, [0, 1, 2].contains(status) else {
            throw FaultFinding("\(what): \(self.status.map { "exit status \($0)" } ?? "a crash"): \(errors)")
        }
        guard !errors.contains("Fatal error") else { throw FaultFinding("\(what): \(errors)") }
        guard peakMemory < Self.memoryLimit else {
            throw FaultFinding("\(what): \(peakMemory) KiB of memory were used")
        }
        for scalar in (output + errors).unicodeScalars where scalar != "\n" {
            guard !Self.isCommand(scalar) else {
                throw FaultFinding(
                    "\(what): a control character is printed: \((output + errors).debugDescription)")
            }
        }
    }
}
