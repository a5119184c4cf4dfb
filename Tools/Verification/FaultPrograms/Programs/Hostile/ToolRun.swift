import Foundation

/// A run of a tool of this package on an untrusted file.
struct ToolRun {
    /// The exit status; nil if a signal ended it.
    let status: Int32?
    let output: String
    let errors: String

    /// The peak memory of the process, in KiB. It is sampled every two milliseconds.
    let peakMemory: Int

    /// Runs a tool in this program's directory, without limits from outside: its own limits are under test.
    ///
    /// - Parameters:
    ///   - folder: The folder for the files with its output.
    ///   - limits: Commands that a shell runs before the tool, such as `ulimit` with its options.
    ///   - timeLimit: The number of seconds after which the tool is killed, which is a finding.
    /// - Throws: ``FaultSkipped`` if the tool is not built; ``FaultFinding`` if it does not end.
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

    /// Returns the peak memory of a process in KiB; nil before it runs the program, and after its end.
    private static func peakMemory(of process: Int32, running program: URL) -> Int? {
        let directory = "/proc/\(process)"
        guard
            (try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/exe")) == program.path,
            let status = try? String(contentsOfFile: directory + "/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return Int(line.filter(\.isNumber))
    }

    /// The greatest amount of memory that a tool may use for any file, in KiB.
    private static let memoryLimit = 1 << 20

    /// Whether a scalar is a control character for a terminal or changes the writing direction, by the
    /// properties of Unicode, independently of the tools.
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
            || [.lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// Checks the rules that hold for every run of a tool: it ends by itself, with a known exit status and
    /// without a trap; it stays within its memory limit; and it prints no control characters.
    func checkManners(of title: String) throws {
        guard let status, [0, 1, 2].contains(status) else {
            throw FaultFinding("\(title): \(self.status.map { "exit status \($0)" } ?? "a crash"): \(errors)")
        }
        guard !errors.contains("Fatal error") else { throw FaultFinding("\(title): \(errors)") }
        guard peakMemory < Self.memoryLimit else {
            throw FaultFinding("\(title): \(peakMemory) KiB of memory were used")
        }
        for scalar in (output + errors).unicodeScalars where scalar != "\n" {
            guard !Self.isCommand(scalar) else {
                throw FaultFinding(
                    "\(title): a control character is printed: \((output + errors).debugDescription)")
            }
        }
    }
}
