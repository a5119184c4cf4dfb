import Foundation

/// A tool of this package, run as a process that a file of others may do harm to.
struct ToolRun {
    /// The exit status; nil if a signal ended it.
    let status: Int32?
    let output: String
    let errors: String

    /// Runs a tool that lies beside this program.
    ///
    /// - Parameters:
    ///   - folder: Where its output is kept meanwhile.
    ///   - memoryLimit: The bytes of address space that it may have.
    ///   - limits: What a shell runs before it, such as `ulimit` with its options; nil for the limit of memory.
    /// - Throws: ``FaultSkipped`` if it was not built; ``FaultFinding`` if it does not end.
    init(
        _ tool: String, _ arguments: [String], folder: URL, memoryLimit: Int = 4 << 30,
        limits: String? = nil, timeLimit: Double = 30
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
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", "\(limits ?? "ulimit -v \(memoryLimit / 1_024)"); exec \"$0\" \"$@\"", program.path]
            + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) {
            $1
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        guard process.waitUntilExit(upTo: timeLimit) else {
            throw FaultFinding("\(tool) did not end within \(timeLimit) seconds")
        }
        status = process.terminationReason == .exit ? process.terminationStatus : nil
        output = String(decoding: try Data(contentsOf: files[0]), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
    }

    /// Checks what holds of a tool whatever it was given: it ended by itself, said so in its own words, and
    /// printed nothing that a terminal would obey.
    func checkManners(of what: String) throws {
        guard let status, [0, 1, 2].contains(status) else {
            throw FaultFinding("\(what): \(self.status.map { "exit status \($0)" } ?? "a crash"): \(errors)")
        }
        guard !errors.contains("Fatal error") else { throw FaultFinding("\(what): \(errors)") }
        for scalar in (output + errors).unicodeScalars where scalar != "\n" {
            guard scalar.properties.generalCategory != .control else {
                throw FaultFinding(
                    "\(what): a control character is printed: \((output + errors).debugDescription)")
            }
        }
    }
}
