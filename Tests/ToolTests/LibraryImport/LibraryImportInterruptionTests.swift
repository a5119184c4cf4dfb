import Foundation
import SectionedFetch
import Testing

/// Imports that are interrupted while they read rows.
@Suite struct LibraryImportInterruptionTests {
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends an atomic import, which reports it and leaves nothing`(signal: Int32) throws {
        let running = try RunningImport(["--atomic"])
        try running.giveRows()
        let (status, errors) = try running.end(by: signal)
        #expect(status == 128 + signal)
        #expect(errors == "library-import: Interrupted. Nothing was imported.\n")
        for suffix in ["", "-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: running.file.storePath + suffix), "\(suffix)")
        }
    }

    @Test func `a killed atomic import leaves an empty database that another import can use`() throws {
        let running = try RunningImport(["--atomic"])
        try running.giveRows()
        #expect(try running.end(by: SIGKILL).status == nil)
        // The second import has the same entity with other types.
        try running.file.write("id,title\nA,1\n")
        let counts = try running.file.counts(["--entity", "Song", "--key", "id", "--atomic"])
        #expect(counts == LibraryImportCounts(inserted: 1))
        #expect(try running.file.rows("Song", ["id"]) == [[.text("A")]])
    }

    @Test func `batches that were imported before a signal stay, and are counted`() throws {
        let running = try RunningImport(["--batch", "1000"])
        try running.giveRows()
        let (status, errors) = try running.end(by: SIGTERM)
        #expect(status == 128 + SIGTERM)
        let count = try running.file.rows("Song", ["id"]).count
        #expect(count > 0 && count.isMultiple(of: 1_000))
        let words = count.formatted(.number.locale(Locale(identifier: "en_US")))
        #expect(
            errors
                == "library-import: Interrupted. The rows imported so far stay in the store (\(words) rows).\n"
        )
    }

    /// The name of the index of the relationship, or nothing if the store lacks it.
    private func index(_ running: RunningImport) throws -> String {
        try ForeignWriter.run(
            "SELECT name FROM sqlite_schema WHERE name = 'sc_Song_genre'", on: running.file.storePath
        ).trimmingCharacters(in: .newlines)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `an import that a signal ends creates the indexes`() throws {
        let running = try RunningImport(["--batch", "1000"])
        try running.giveRows()
        _ = try running.end(by: SIGTERM)
        #expect(try index(running) == "sc_Song_genre")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `an import after one that was killed creates the indexes`() throws {
        let running = try RunningImport(["--batch", "1000"])
        try running.giveRows()
        _ = try running.end(by: SIGKILL)
        let count = try running.file.rows("Song", ["id"]).count
        try #require(count > 0)
        #expect(try index(running) == "")
        try running.file.write("id,title,genre\n-1,First,Genre 0\n")
        let counts = try running.file.counts(["--entity", "Song"])
        #expect(counts == LibraryImportCounts(inserted: 1))
        #expect(try index(running) == "sc_Song_genre")
        #expect(try running.file.rows("Song", ["id"]).count == count + 1)
    }

    @Test(arguments: [[], ["--atomic"]])
    func `a related entity that another import made meanwhile is used`(options: [String]) throws {
        let file = try LibraryImportFile("id,genre\n1,Genre 3\n2,Folk\n")
        let running = try RunningImport(options, in: file)
        let counts = try file.counts(["--entity", "Album", "--key", "id", "--relationship", "genre=Genre"])
        #expect(counts == LibraryImportCounts(inserted: 2, createdRelated: 2))
        try running.giveRows()
        let (status, errors) = try running.finish()
        #expect(status == 0, "\(errors)")
        #expect(
            try file.rows("Album", ["id", "genre"]) == [
                [.integer(1), .integer(1)], [.integer(2), .integer(2)],
            ])
        #expect(try file.rows("Song", ["id"]).count == 20_000)
        // Genre 0 to Genre 6, of which the store had one, and Folk.
        #expect(try file.rows("Genre", ["name"]).count == 8)
    }

    @Test
    func `an entity that another import made meanwhile stays, and a pipe that contradicts it is refused`()
        throws
    {
        let file = try LibraryImportFile("id,title\n1,Jazz\n2,Folk\n")
        let running = try RunningImport([], in: file)
        #expect(try file.counts(["--entity", "Song", "--key", "title"]).inserted == 2)
        try running.giveRows()
        let (status, errors) = try running.finish()
        #expect(status == 2 && errors.contains("changed “Song” of the store"), "\(errors)")
        #expect(errors.hasSuffix("Import again.\n"), "\(errors)")
        #expect(try file.rows("Song", ["id"]).count == 2)
    }

    @Test func `entities that another import made meanwhile stay beside those of the import`() throws {
        let file = try LibraryImportFile("id\n1\n2\n")
        let running = try RunningImport([], in: file)
        #expect(try file.counts(["--entity", "Album", "--key", "id"]).inserted == 2)
        try running.giveRows()
        #expect(try running.finish().status == 0)
        #expect(try file.rows("Album", ["id"]).count == 2)
        #expect(try file.rows("Song", ["id"]).count == 20_000)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason), .timeLimit(.minutes(3)))
    func `an import whose pipe has no rows for a while commits, and other programs write meanwhile`() throws {
        let running = try RunningImport(["--batch", "1000000"])
        try running.giveRows()
        let store = running.file.storePath
        func count() -> Int { (try? running.file.rows("Song", ["id"]).count) ?? 0 }
        let end = ContinuousClock.now + .seconds(120)
        while count() == 0 {
            try #require(ContinuousClock.now < end)
            usleep(50_000)
        }
        #expect(count().isMultiple(of: 1_000))
        try ForeignWriter.run("INSERT INTO Genre (name) VALUES ('Other')", on: store)
        try running.giveRows()
        let (status, errors) = try running.finish()
        #expect(status == 0, "\(errors)")
        #expect(count() == 40_000)
    }

    @Test(arguments: [["--atomic"], ["--batch", "1000"]])
    func `a store that is moved during an import is reported, and is not created again`(
        options: [String]
    ) throws {
        let running = try RunningImport(options)
        try running.giveRows()
        #expect(rename(running.file.storePath, running.file.storePath + "-moved") == 0)
        try running.giveRows()
        let (status, errors) = try running.finish()
        #expect(status == 2, "\(errors)")
        #expect(errors.contains("was replaced, moved or deleted during the import"), "\(errors)")
        #expect(!running.file.storeExists)
    }
}
