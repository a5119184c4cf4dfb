import Foundation
import Testing

/// A program without the library that writes to a store: the `sqlite3` shell or, if that is not installed,
/// Python's sqlite3 module.
enum ForeignWriter {
    private enum Program {
        case shell(URL)
        case python(URL)
    }

    /// The first of the two that is installed.
    private static let program: Program? = {
        for directory in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let url = URL(filePath: String(directory)).appending(path: "sqlite3")
            if FileManager.default.isExecutableFile(atPath: url.path) { return .shell(url) }
        }
        for directory in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let url = URL(filePath: String(directory)).appending(path: "python3")
            if FileManager.default.isExecutableFile(atPath: url.path) { return .python(url) }
        }
        return nil
    }()

    static var isAvailable: Bool { program != nil }
    static let reason: Comment =
        "Neither sqlite3 nor python3 is installed, so no other program can write to a store."

    private static let pythonProgram = """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1], isolation_level=None)
        for statement in sys.argv[2].split(";"):
            for row in connection.execute(statement).fetchall(): print("|".join(map(str, row)), flush=True)
        if len(sys.argv) > 3: sys.stdin.read()
        """

    private static func command(_ path: String, _ sql: String) throws -> (URL, [String]) {
        switch try #require(program) {
        case .shell(let url): return (url, ["-batch", "-bail", "-cmd", ".timeout 10000", path, sql])
        case .python(let url): return (url, ["-c", pythonProgram, path, sql])
        }
    }

    /// Runs statements that are separated by semicolons.
    @discardableResult
    static func run(_ sql: String, on path: String, sourceLocation: SourceLocation = #_sourceLocation) throws
        -> String
    {
        let (executable, arguments) = try command(path, sql)
        let run = try ToolProcess.run(executable: executable, arguments)
        try #require(run.status == 0, "\(run)", sourceLocation: sourceLocation)
        return run.output
    }

    /// Holds a lock of the store in another program while `body` runs.
    ///
    /// - Parameter allowsReading: Whether the store can be read meanwhile.
    static func locking(_ path: String, allowsReading: Bool = false, _ body: () throws -> Void) throws {
        let begin = allowsReading ? "BEGIN IMMEDIATE" : "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE"
        let sql = "\(begin); SELECT 'locked'"
        let process = Process()
        let input = Pipe()
        let output = Pipe()
        switch try #require(program) {
        case .shell(let url):
            process.executableURL = url
            process.arguments = ["-batch", path]
        case .python(let url):
            process.executableURL = url
            process.arguments = ["-c", pythonProgram, path, sql, "wait"]
        }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        if case .shell = program { try input.fileHandleForWriting.write(contentsOf: Data("\(sql);\n".utf8)) }
        var answer = Data()
        while !answer.contains("locked".utf8) {
            let part = output.fileHandleForReading.availableData
            try #require(!part.isEmpty, "The other program ended without taking the lock.")
            answer.append(part)
        }
        defer {
            // The end of its input ends the program, which rolls its transaction back.
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        try body()
    }
}

extension Data {
    fileprivate func contains(_ text: String.UTF8View) -> Bool { firstRange(of: Data(text)) != nil }
}
