import Foundation
import SectionedFetch
import Testing

/// Imports that are ended from outside, in the middle of their rows.
@Suite struct LibraryImportInterruptionTests {
    /// An import out of a pipe which has more rows in it than the import has got.
    private final class Running {
        let file: LibraryImportFile
        private let process = Process()
        private let pipe: FileHandle
        private let errors: URL

        init(_ arguments: [String]) throws {
            file = try LibraryImportFile("")
            let path = file.directory.path("Song.csv")
            try #require(mkfifo(path, 0o600) == 0)
            let mapping = try file.mapping(
                """
                {"entity": "Song", "key": "id", "attributes": [
                    {"name": "id", "type": "integer64"}, {"name": "title", "type": "string"}]}
                """)
            errors = file.directory.file("errors")
            try Data().write(to: errors)
            process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
            process.arguments = [path, file.storePath, "--mapping", mapping] + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            pipe = try FileHandle(forWritingTo: URL(filePath: path))
            let rows = (1...20_000).map { "\($0),Song \($0)\n" }.joined()
            try pipe.write(contentsOf: Data(("id,title\n" + rows).utf8))
        }

        /// Sends a signal once the import is at its rows, and waits for its end.
        func end(by signal: Int32) throws -> (status: Int32?, errors: String) {
            let end = ContinuousClock.now + .seconds(60)
            while !FileManager.default.fileExists(atPath: file.storePath + "-wal") {
                try #require(process.isRunning && ContinuousClock.now < end)
                usleep(1_000)
            }
            usleep(50_000)
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            try pipe.close()
            let status = process.terminationReason == .exit ? process.terminationStatus : nil
            return (status, try String(contentsOf: errors, encoding: .utf8))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends an atomic import, which says so and leaves nothing`(signal: Int32) throws {
        let running = try Running(["--atomic"])
        let (status, errors) = try running.end(by: signal)
        #expect(status == 128 + signal)
        #expect(errors == "library-import: Interrupted. Nothing was imported.\n")
        for suffix in ["", "-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: running.file.storePath + suffix), "\(suffix)")
        }
    }

    @Test func `a killed atomic import leaves an empty database, to which another goes`() throws {
        let running = try Running(["--atomic"])
        #expect(try running.end(by: SIGKILL).status == nil)
        // The same name, with other types.
        try running.file.write("id,title\nA,1\n")
        let counts = try running.file.counts(["--entity", "Song", "--key", "id", "--atomic"])
        #expect(counts == LibraryImportCounts(inserted: 1))
        #expect(try running.file.rows("Song", ["id"]) == [[.text("A")]])
    }

    @Test func `what was imported before a signal stays, in whole batches, and is counted`() throws {
        let running = try Running(["--batch", "1000"])
        let (status, errors) = try running.end(by: SIGTERM)
        #expect(status == 128 + SIGTERM)
        let count = try running.file.rows("Song", ["id"]).count
        #expect(count > 0 && count.isMultiple(of: 1_000))
        let words = count.formatted(.number.locale(Locale(identifier: "en_US")))
        #expect(
            errors == "library-import: Interrupted. What was imported before (\(words) rows) stays.\n")
    }
}
