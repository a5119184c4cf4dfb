import Foundation
import Testing

/// An import from a pipe, to which a test writes the rows.
final class RunningImport {
    let file: LibraryImportFile
    private let process = Process()
    private let pipe: FileHandle
    private let errors: URL
    private var count = 0

    /// Starts the import of songs, and returns when the import has read the entities of the store and waits
    /// for the header.
    ///
    /// - Parameter directory: The file in whose directory the store is or will be.
    init(_ arguments: [String], in directory: LibraryImportFile? = nil) throws {
        // Writing to an import that has stopped must not end this process.
        signal(SIGPIPE, SIG_IGN)
        file = try directory ?? LibraryImportFile("")
        let path = file.directory.path("Song.csv")
        try #require(mkfifo(path, 0o600) == 0)
        let mapping = try file.mapping(
            """
            {"entity": "Song", "key": "id",
             "attributes": [{"name": "id", "type": "integer64"}, {"name": "title", "type": "string"}],
             "relationships": [{"name": "genre", "entity": "Genre", "inverse": "songs"}]}
            """)
        errors = file.directory.file("errors")
        try Data().write(to: errors)
        process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
        process.arguments = [path, file.storePath, "--mapping", mapping] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        // Waits until the import opens the pipe, which it does after it reads the entities of the store.
        pipe = try FileHandle(forWritingTo: URL(filePath: path))
    }

    /// Writes 20,000 rows, the first time after the header, and waits until the import writes to the store
    /// or has stopped.
    func giveRows() throws {
        let rows = (count..<count + 20_000).map { "\($0),Song \($0),Genre \($0 % 7)\n" }.joined()
        do {
            try pipe.write(contentsOf: Data(((count == 0 ? "id,title,genre\n" : "") + rows).utf8))
        } catch {
            process.waitUntilExit()
            return
        }
        count += 20_000
        let end = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: file.storePath + "-wal") {
            try #require(ContinuousClock.now < end)
            guard process.isRunning else { return }
            usleep(1_000)
        }
        usleep(50_000)
    }

    /// Sends a signal to the import, and waits until it ends.
    func end(by signal: Int32) throws -> (status: Int32?, errors: String) {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        try pipe.close()
        return try outcome()
    }

    /// Closes the pipe, and waits until the import ends.
    func finish() throws -> (status: Int32?, errors: String) {
        try pipe.close()
        process.waitUntilExit()
        return try outcome()
    }

    private func outcome() throws -> (status: Int32?, errors: String) {
        let status = process.terminationReason == .exit ? process.terminationStatus : nil
        return (status, try String(contentsOf: errors, encoding: .utf8))
    }
}
