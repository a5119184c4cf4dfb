import Foundation
import SectionedFetch
import Testing

/// Several files in one run, and files with several tables.
@Suite struct LibraryImportSeveralFilesTests {
    /// The result of one file, as `--json` prints it.
    private struct Outcome: Decodable {
        var file: String
        var entity: String?
        var error: String?
        var inserted = 0
        var updated = 0
        var unchanged = 0
        var skipped = 0
        var createdRelated = 0
    }

    private func write(_ files: [String: String], in directory: ScratchDirectory) throws {
        for (name, content) in files { try Data(content.utf8).write(to: directory.file(name)) }
    }

    private func outcomes(_ arguments: [String], status: Int32) throws -> [Outcome] {
        let run = try ToolProcess.run("library-import", arguments + ["--json"])
        try #require(run.status == status, "\(run)")
        return try JSONDecoder().decode([Outcome].self, from: Data(run.output.utf8))
    }

    private func count(_ entity: String, _ directory: ScratchDirectory) throws -> Int {
        let container = try PersistentContainer(url: directory.file("library.store"))
        return try container.newContext().count(
            for: FetchRequest<ManagedObject>(entityName: entity, predicate: nil, sortDescriptors: []))
    }

    @Test func `files of one entity get types that hold all, and a failure stops no other file`() throws {
        let directory = try ScratchDirectory()
        try write(
            [
                "a.csv": "id,year\n1,1999\n2,2000\n", "b.csv": "year,id,extra\n1999.5,3,x\n",
                "c.csv": "id,year\n4,\"1\n",
            ], in: directory)
        let paths = ["a.csv", "b.csv", "missing.csv", "c.csv"].map { directory.path($0) }
        let store = directory.path("library.store")
        let found = try outcomes(paths + [store, "--entity", "Book", "--no-key"], status: 2)
        #expect(found.map(\.inserted).sorted() == [0, 0, 1, 2])
        #expect(found.filter { $0.error != nil }.map(\.file) == [paths[2], paths[3]])
        #expect(try count("Book", directory) == 3)
        let book = try PersistentContainer(url: directory.file("library.store")).model.requireEntity(
            named: "Book")
        #expect(book.attribute(named: "year")?.type == .double)
        #expect(book.attribute(named: "extra")?.type == .string)
        // Each file has a separate entity, and a second run changes nothing.
        let others = [paths[0], paths[1], store, "--type", "year=double", "--key", "id"]
        #expect(try outcomes(others, status: 0).map(\.entity) == ["A", "B"])
        #expect(try outcomes(others, status: 0).map(\.unchanged) == [2, 1])
        let text = try ToolProcess.run("library-import", others)
        #expect(text.output.contains("Total: 0 inserted, 0 updated, 3 unchanged"), "\(text)")
    }

    @Test func `all files are imported in one transaction or none, and a dry run writes nothing`() throws {
        let directory = try ScratchDirectory()
        try write(["a.csv": "id\n1\n", "b.csv": "id\n2\n", "c.csv": "id\n\"3\n"], in: directory)
        let paths = ["a.csv", "b.csv", "c.csv"].map { directory.path($0) }
        let store = directory.path("library.store")
        let refused = try ToolProcess.run("library-import", paths + [store, "--atomic", "--entity", "X"])
        #expect(refused.status == 2 && refused.errors.contains("Nothing was imported."), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: store))
        let dry = try outcomes([paths[0], paths[1], store, "--dry-run", "--entity", "X"], status: 0)
        #expect(dry.map(\.inserted) == [1, 1])
        #expect(!FileManager.default.fileExists(atPath: store))
        let all = try outcomes([paths[0], paths[1], store, "--atomic", "--entity", "X"], status: 0)
        #expect(all.map(\.inserted) == [1, 1])
        #expect(try count("X", directory) == 2)
        let stopped = try ToolProcess.run(
            "library-import", [paths[2], paths[1], store, "--on-error", "stop", "--entity", "Y"])
        #expect(stopped.status == 2 && stopped.errors.contains("were not imported"), "\(stopped)")
        #expect(throws: (any Error).self) { try count("Y", directory) }
    }

    @Test func `a dry run counts each file beside the rows of the files before it, as the import does`()
        throws
    {
        let directory = try ScratchDirectory()
        try write(
            [
                "a.csv": "id,title\n1,A\n2,B\n", "b.csv": "id,title\n2,B\n3,C\n",
                "c.csv": "id,title\n4,\"D\n",
                "d.csv": "id,title\n3,X\n5,E\n", "e.csv": "id,title\n5,E\n6,F\n",
            ], in: directory)
        let store = directory.path("library.store")
        let paths = ["a.csv", "b.csv", "missing.csv", "c.csv", "d.csv", "e.csv"].map { directory.path($0) }
        func counts(_ options: [String]) throws -> [[Int]] {
            try outcomes(paths + [store, "--entity", "Book", "--key", "id"] + options, status: 2).map {
                [$0.inserted, $0.updated, $0.unchanged, $0.error == nil ? 0 : 1]
            }
        }
        let dry = try counts(["--dry-run"])
        #expect(!FileManager.default.fileExists(atPath: store))
        let real = try counts([])
        #expect(
            dry.sorted { $0.lexicographicallyPrecedes($1) }
                == real.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(real.contains([1, 1, 0, 0]) && real.contains([1, 0, 1, 0]))
        let again = try counts(["--dry-run"])
        #expect(try again == counts([]))
    }

    @Test func `the same file without a key is refused a second time in one run`() throws {
        let directory = try ScratchDirectory()
        try write(["a.csv": "title\nA\nB\n", "b.csv": "title\nA\nB\n"], in: directory)
        let arguments =
            [directory.path("a.csv"), directory.path("b.csv"), directory.path("library.store")]
            + ["--entity", "Book", "--no-key"]
        let dry = try outcomes(arguments + ["--dry-run"], status: 2)
        #expect(dry.map(\.inserted) == [2, 0] && dry[1].error?.contains("was imported into “Book”") == true)
        let atomic = try ToolProcess.run("library-import", arguments + ["--atomic"])
        #expect(atomic.status == 2 && atomic.errors.contains("Nothing was imported."), "\(atomic)")
        #expect(!FileManager.default.fileExists(atPath: directory.path("library.store")))
        #expect(try outcomes(arguments, status: 2).map(\.inserted) == [2, 0])
        #expect(try outcomes(arguments + ["--atomic", "--again"], status: 0).map(\.inserted) == [2, 2])
        #expect(try count("Book", directory) == 6)
    }

    @Test func `more files than a process may open are imported in one transaction`() throws {
        let directory = try ScratchDirectory()
        let names = (0..<1_100).map { "\($0).csv" }
        try write(Dictionary(uniqueKeysWithValues: names.map { ($0, "title\nT\($0)\n") }), in: directory)
        let store = directory.path("library.store")
        let run = try ToolProcess.run(
            "library-import",
            names.map { directory.path($0) } + [
                store, "--entity", "Book", "--no-key", "--atomic", "--quiet",
            ],
            timeLimit: 300)
        #expect(run.status == 0, "\(run.errors.prefix(300))")
        #expect(try count("Book", directory) == 1_100)
    }

    @Test func `a single path and a database are refused with the command`() throws {
        let directory = try ScratchDirectory()
        try write(["a.csv": "id\n1\n"], in: directory)
        let single = try ToolProcess.run("library-import", [directory.path("a.csv")])
        #expect(single.status == 64 && single.errors.contains("after them the store"), "\(single)")
        let database = directory.path("meta data.db")
        try ForeignWriter.run("CREATE TABLE books(id INTEGER PRIMARY KEY, title TEXT)", on: database)
        try ToolProcess.run("library-import", [database, directory.path("library.store")])
            .expectRefusal(saying: "run “library-import --from '\(database)' NEW”")
    }

    private static let library = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>Major Version</key><integer>1</integer><key>Tracks</key><dict>
        <key>1</key><dict><key>Track ID</key><integer>1</integer><key>Name</key><string>2001</string>
        <key>Play Count</key><integer>3</integer><key>Rating</key><integer>80</integer>
        <key>Date Added</key><date>2015-07-04T19:23:10Z</date><key>Compilation</key><true/>
        <key>Persistent ID</key><string>21130E105F3B8845</string>
        <key>Location</key><string>file:///old/ann/Music/A%20b.mp3</string></dict>
        <key>2</key><dict><key>Track ID</key><integer>2</integer><key>Name</key><string>1999-01-01</string>
        <key>Persistent ID</key><string>21130E105F3B8846</string></dict></dict>
        <key>Playlists</key><array>
        <dict><key>Name</key><string>Songs</string><key>Playlist ID</key><integer>10</integer>
        <key>Playlist Persistent ID</key><string>A000000000000002</string>
        <key>Parent Persistent ID</key><string>A000000000000001</string><key>Playlist Items</key><array>
        <dict><key>Track ID</key><integer>2</integer></dict><dict><key>Track ID</key><integer>1</integer></dict>
        <dict><key>Track ID</key><integer>3</integer></dict></array></dict>
        <dict><key>Name</key><string>Folder</string><key>Playlist ID</key><integer>11</integer>
        <key>Folder</key><true/><key>Playlist Persistent ID</key><string>A000000000000001</string></dict>
        </array></dict></plist>
        """

    @Test func `a music library without playlists has one table, and a note names the others`() throws {
        let directory = try ScratchDirectory()
        let text = Self.library
        let begin = try #require(text.range(of: "<key>Playlists</key>"))
        try write(["Library.xml": text[..<begin.lowerBound] + "</dict></plist>\n"], in: directory)
        let store = directory.path("library.store")
        let run = try ToolProcess.run("library-import", [directory.path("Library.xml"), store])
        #expect(run.status == 0 && run.errors.contains("has no records of “Playlist”"), "\(run)")
        #expect(try count("Track", directory) == 2)
    }

    @Test func `a music library becomes tracks, playlists and their items`() throws {
        let file = try LibraryImportFile("Library.xml", Self.library)
        let arguments = [file.path, file.storePath, "--map-path", "/old/ann/Music=/srv/music"]
        let dry = try outcomes(arguments + ["--dry-run"], status: 1)
        #expect(dry.map(\.inserted) == [2, 1, 2] && !file.storeExists)
        let found = try outcomes(arguments, status: 1)
        #expect(found.map(\.entity) == ["Track", "Playlist", "PlaylistItem"])
        // The folder is made for the playlist before it, and completed by its own row.
        #expect(found.map(\.inserted) == [2, 1, 2] && found.map(\.updated) == [0, 1, 0])
        #expect(found.map(\.skipped) == [0, 0, 1])
        let rows = try file.rows("Track", ["Name", "Play Count", "Compilation", "Location"])
        #expect(
            rows == [
                [.text("2001"), .integer(3), .integer(1), .text("file:///srv/music/A%20b.mp3")],
                [.text("1999-01-01"), .null, .null, .null],
            ])
        let model = try file.openStore().model
        #expect(try model.requireEntity(named: "Track").attribute(named: "Date Added")?.type == .date)
        let context = try file.openStore().newContext()
        let items = try context.fetch(
            FetchRequest<ManagedObject>(
                entityName: "PlaylistItem", predicate: nil, sortDescriptors: [.ascending("Position")]))
        let names = try items.map { item in
            let track = try #require(try item.relatedObject("track"))
            let list = try #require(try item.relatedObject("playlist"))
            let parent = try #require(try list.relatedObject("parent"))
            return [track, list, parent].map { try? $0.value(forProperty: "Name") }
        }
        #expect(
            names == [
                [.text("1999-01-01"), .text("Songs"), .text("Folder")],
                [.text("2001"), .text("Songs"), .text("Folder")],
            ])
        // A second import finds all rows by their keys. One transaction has the same result.
        #expect(try outcomes(arguments, status: 1).map(\.unchanged) == [2, 2, 2])
        #expect(try outcomes(arguments + ["--atomic"], status: 1).map(\.unchanged) == [2, 2, 2])
        try file.run(["--rejects", file.directory.path("bad")]).expectRefusal(
            saying: "--rejects is for one file")
        let history = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(history.output.contains("“Library.xml” into PlaylistItem"), "\(history)")
        let proposal = try ToolProcess.run("library-import", ["propose", file.path, "--at", "Playlist"])
        #expect(proposal.status == 0 && proposal.output.contains("\"inverse\" : \"children\""), "\(proposal)")
    }
}
