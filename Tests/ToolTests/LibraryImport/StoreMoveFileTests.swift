import Foundation
import Testing

/// The files that `library-import --from` refuses to open, and those that it deletes.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct StoreMoveFileTests {
    private let directory: ScratchDirectory
    private var source: String { directory.path("any.sqlite") }
    private var new: String { directory.path("new.store") }

    init() throws {
        directory = try ScratchDirectory()
        try ForeignWriter.run(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b')",
            on: source)
    }

    private func move(_ source: String, _ new: String, _ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-import", ["--from", source, new] + arguments, timeLimit: 30)
    }

    private func expectUnchanged(_ body: () throws -> Void) throws {
        let before = try ScratchDirectory.contents(of: directory.url)
        try body()
        #expect(try ScratchDirectory.contents(of: directory.url) == before)
    }

    @Test(arguments: ["-wal", "-shm", "-journal"])
    func `a file that SQLite keeps beside one store cannot be the other store`(ending: String) throws {
        let other = directory.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: source, toPath: other + ending)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "any.sqlite" + ending)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("folder"), withDestinationPath: directory.url.path)
        let pairs = [
            (source, source + ending), (source, directory.path("link")),
            (source, directory.path("folder/any.sqlite" + ending)), (other + ending, other),
            (directory.path("folder/copy.sqlite" + ending), other),
        ]
        for (source, new) in pairs {
            try expectUnchanged {
                try move(source, new).expectRefusal(saying: "SQLite uses “", ending, "Nothing was changed")
                try move(source, new, "--restart").expectRefusal(saying: "SQLite uses “")
            }
        }
        // A link to the log's name, and the other file exists.
        try FileManager.default.linkItem(atPath: source, toPath: directory.path("same"))
        try move(source, directory.path("same")).expectRefusal(saying: "name the same file")
        try FileManager.default.linkItem(atPath: other + ending, toPath: source + ending)
        try expectUnchanged {
            try move(source, other + ending).expectRefusal(saying: "SQLite uses “")
        }
    }

    @Test func `a pipe is refused`() throws {
        let pipe = directory.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        try #require(mkfifo(new + "-wal", 0o600) == 0)
        try move(pipe, directory.path("other")).expectRefusal(saying: "“\(pipe)” is not a regular file")
        try move(source, pipe).expectRefusal(saying: "“\(pipe)” is not a regular file")
        try move(source, new).expectRefusal(saying: "“\(new)-wal” is not a regular file")
        try move("/dev/null", directory.path("other")).expectRefusal(saying: "not a regular file")
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: directory.url.path)) == [
                "any.sqlite", "pipe", "new.store-wal",
            ])
    }

    /// Makes a complete new store look like an unfinished one.
    private func makeUnfinished() throws {
        try #require(try move(source, new).status == 0)
        try ForeignWriter.run(
            """
            CREATE TABLE sc_move (id INTEGER PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL, state TEXT NOT NULL, tables INTEGER NOT NULL, key INTEGER, other INTEGER);
            INSERT INTO sc_move VALUES (1, '\(source)', 'x', 0, NULL, NULL)
            """, on: new)
    }

    @Test func `--restart deletes nothing if the other store cannot be moved`() throws {
        try makeUnfinished()
        let views = directory.path("views.sqlite")
        try ForeignWriter.run("CREATE VIEW v AS SELECT 1", on: views)
        try move(views, new, "--restart").expectRefusal(saying: "can be an entity")
        #expect(try ForeignWriter.run("SELECT objectID, v FROM t", on: new) == "1|a\n2|b\n")
        try ForeignWriter.run("DELETE FROM t WHERE id = 1", on: source)
        try move(source, new).expectRefusal(
            saying: "contains an unfinished move of “\(source)”, which has changed since", "--restart")
        let run = try move(source, new, "--restart")
        #expect(run.status == 0, "\(run)")
        #expect(try ForeignWriter.run("SELECT objectID, v FROM t", on: new) == "2|b\n")
    }

    @Test func `--restart follows a link to the unfinished store`() throws {
        try makeUnfinished()
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "new.store")
        #expect(try move(source, link, "--restart").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "new.store")
        #expect(try ForeignWriter.run("SELECT count(*) FROM t", on: new) == "2\n")
    }

    @Test func `other tools recognize an unfinished store`() throws {
        try makeUnfinished()
        let list = try ToolProcess.run("library-browser", [new])
        #expect(list.status == 0, "\(list)")
        #expect(list.errors.contains("contains an unfinished move of “\(source)”"), "\(list)")
        let records = directory.path("t.csv")
        try Data("id,v\n7,z\n".utf8).write(to: URL(filePath: records))
        try ToolProcess.run("library-import", [records, new, "--entity", "t", "--no-key"]).expectRefusal(
            saying: "contains an unfinished move of “\(source)”", "--restart")
        #expect(try ForeignWriter.run("SELECT count(*) FROM t", on: new) == "2\n")
        try ForeignWriter.run("DROP TABLE sc_move", on: new)
        #expect(try !ToolProcess.run("library-browser", [new]).errors.contains("unfinished"))
    }
}
