import Foundation

/// The `sqlite3` shell: a program that knows nothing of this library, in a process of its own.
enum SQLiteShell {
    /// Where it is; nil if it is not installed.
    static let url: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "sqlite3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    static let reason = "there is no sqlite3 shell"

    /// Runs commands on a database.
    ///
    /// - Returns: What it printed; nil if a statement failed, after which it stops.
    /// - Throws: ``FaultSkipped`` if there is no shell.
    @discardableResult
    static func run(_ commands: [String], on file: URL) throws -> String? {
        guard let url else { throw FaultSkipped(reason) }
        let process = Process()
        let output = Pipe()
        process.executableURL = url
        process.arguments = ["-batch", "-bail", "-cmd", ".timeout 10000", file.path] + commands
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
