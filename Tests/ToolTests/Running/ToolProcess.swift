import Foundation
import Testing

/// The result of running a tool as a separate process.
struct ToolRun: Sendable {
    let command: String
    /// The exit status, or nil if a signal ended the process: a crash.
    let status: Int32?
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    /// Returns the output as read by Foundation's parser, which is independent of the writer of the tools.
    func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> Any {
        try #require(status == 0, "\(self)", sourceLocation: sourceLocation)
        return try JSONSerialization.jsonObject(with: Data(output.utf8))
    }

    func jsonObject(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        try #require(
            try json(sourceLocation: sourceLocation) as? [String: Any], sourceLocation: sourceLocation)
    }

    /// Checks that the tool ended with this status and one message that contains some texts, with nothing on
    /// standard output, and without a crash or a stack trace.
    func expectRefusal(
        status expected: Int32 = 2, saying texts: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(status == expected, "\(self)", sourceLocation: sourceLocation)
        #expect(output == "", "\(self)", sourceLocation: sourceLocation)
        for text in texts { #expect(errors.contains(text), "\(self)", sourceLocation: sourceLocation) }
        let tool = command.split(separator: " ").first.map(String.init) ?? ""
        #expect(errors.hasPrefix("\(tool): "), "\(self)", sourceLocation: sourceLocation)
        for trace in ["Fatal error", "Thread 0", ".swift:", "ObjectStorageError("] {
            #expect(!errors.contains(trace), "\(self)", sourceLocation: sourceLocation)
        }
        if expected == 2 {
            #expect(errors.filter { $0 == "\n" }.count == 1, "\(self)", sourceLocation: sourceLocation)
        }
    }
}

extension ToolRun: CustomStringConvertible {
    var description: String {
        "\(command)\n→ \(status.map { "exit status \($0)" } ?? "ended by a signal")\n\(output)\(errors)"
    }
}

/// Runs the built tools as separate processes.
enum ToolProcess {
    /// The directory of the tools, beside the bundle of the tests.
    static var directory: URL {
        get throws {
            let arguments = CommandLine.arguments.first.map { URL(filePath: $0) }
            let executables = [arguments, URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()]
            for parent in executables.compactMap({ $0?.deletingLastPathComponent() }) {
                var directory = parent
                // On Apple's systems the tests are in a bundle a few directories deep.
                for _ in 0..<4 {
                    if FileManager.default.isExecutableFile(
                        atPath: directory.appending(path: "library-browser").path)
                    {
                        return directory
                    }
                    directory.deleteLastPathComponent()
                }
            }
            throw MissingTool(name: "library-browser")
        }
    }

    struct MissingTool: Error {
        let name: String
    }

    static func path(_ tool: String) throws -> String { try directory.appending(path: tool).path }

    /// Runs a tool.
    ///
    /// - Parameter environment: Variables to set beside those of the tests. `XDG_CACHE_HOME` should be one of
    ///   them if the tool uses caches by default.
    @discardableResult
    static func run(
        _ tool: String, _ arguments: [String], environment: [String: String] = [:], timeLimit: Double = 60
    ) throws -> ToolRun {
        try run(
            executable: URL(filePath: path(tool)), arguments, environment: environment,
            command: ([tool] + arguments).joined(separator: " "), timeLimit: timeLimit)
    }

    /// Runs any program.
    ///
    /// - Parameters:
    ///   - directory: The working directory of the program; nil for that of the tests.
    ///   - timeLimit: The seconds after which the program is killed.
    static func run(
        executable: URL, _ arguments: [String], environment: [String: String] = [:], input: String = "",
        directory: URL? = nil, command: String? = nil, timeLimit: Double = 60
    ) throws -> ToolRun {
        let scratch = try ScratchDirectory()
        let names = ["input", "output", "errors"]
        for name in names { try Data((name == "input" ? input : "").utf8).write(to: scratch.file(name)) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let directory { process.currentDirectoryURL = directory }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files rather than pipes, so that no side waits for the other.
        process.standardInput = try FileHandle(forReadingFrom: scratch.file("input"))
        process.standardOutput = try FileHandle(forWritingTo: scratch.file("output"))
        process.standardError = try FileHandle(forWritingTo: scratch.file("errors"))
        try process.run()
        // A tool that hangs fails its test and does not block the test run.
        let identifier = process.processIdentifier
        let guillotine = DispatchWorkItem { kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit, execute: guillotine)
        process.waitUntilExit()
        guillotine.cancel()
        return ToolRun(
            command: command ?? ([executable.lastPathComponent] + arguments).joined(separator: " "),
            status: process.terminationReason == .exit ? process.terminationStatus : nil,
            output: try String(contentsOf: scratch.file("output"), encoding: .utf8),
            errors: try String(contentsOf: scratch.file("errors"), encoding: .utf8))
    }
}

/// A directory for one test, which is deleted with this object.
final class ScratchDirectory: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "tool-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Issue.record("“\(url.path)” could not be removed: \(error)")
        }
    }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func path(_ name: String) -> String { file(name).path }

    /// Returns the names and contents of all files below a directory.
    static func contents(of directory: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            contents[name] =
                FileManager.default.contents(atPath: directory.appending(path: name).path) ?? Data()
        }
        return contents
    }
}
