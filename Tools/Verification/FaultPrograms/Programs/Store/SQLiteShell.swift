import Foundation

/// The `sqlite3` shell: a program without this library, in a separate process.
enum SQLiteShell {
    /// The location of the shell; nil if it is not installed.
    static let url: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: String($0)).appending(path: "sqlite3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    static let reason = "the sqlite3 shell is not installed"

    /// Runs commands on a database, and stops at the first error.
    ///
    /// - Returns: The output; nil if a statement failed.
    /// - Throws: ``FaultSkipped`` if the shell is not installed.
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
