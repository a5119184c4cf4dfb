import Foundation
import Testing

/// Stores that cannot be used give a typed error in one line, stay unchanged, and cause no crash.
@Suite struct BadStoreTests {
    /// Every command that opens a store.
    private static let commands: [(tool: String, before: [String], after: [String])] = [
        ("library-browser", [], ["--busy-timeout", "0.2"]),
        ("cache-inspector", ["explain", "--cache", "c", "--store"], ["--busy-timeout", "0.2"]),
        ("cache-inspector", ["verify", "c", "--entity", "Book", "--store"], ["--busy-timeout", "0.2"]),
    ]

    private func expectRefusal(
        of path: String, in directory: ScratchDirectory, saying text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try ScratchDirectory.contents(of: directory.url)
        for (tool, first, last) in Self.commands {
            let run = try ToolProcess.run(
                tool, first + [path] + last + ["--cache-directory", directory.path("caches")])
            run.expectRefusal(saying: text, sourceLocation: sourceLocation)
        }
        let after = try ScratchDirectory.contents(of: directory.url)
        #expect(before == after, sourceLocation: sourceLocation)
    }

    @Test func `a missing file is refused`() throws {
        let directory = try ScratchDirectory()
        try expectRefusal(
            of: directory.path("nowhere.store"), in: directory, saying: "There is no store at “")
        try expectRefusal(
            of: directory.path("no/such/place.store"), in: directory, saying: "There is no store at “")
        try expectRefusal(of: "", in: directory, saying: "The path of the store is empty.")
    }

    @Test func `a directory is refused`() throws {
        let directory = try ScratchDirectory()
        try expectRefusal(of: directory.url.path, in: directory, saying: "is a directory")
    }

    @Test func `a file that is not a database is refused`() throws {
        let directory = try ScratchDirectory()
        let text = String(repeating: "title,year\nnot a database,1\n", count: 100)
        try Data(text.utf8).write(to: directory.file("books.csv"))
        try expectRefusal(of: directory.path("books.csv"), in: directory, saying: "is not an SQLite database")
        try Data("SQLite format 3\0garbage".utf8 + [UInt8](repeating: 0xA5, count: 5_000))
            .write(to: directory.file("header"))
        try expectRefusal(
            of: directory.path("header"), in: directory, saying: "is not an SQLite database or is damaged")
    }

    @Test func `an empty file is refused`() throws {
        let directory = try ScratchDirectory()
        try Data().write(to: directory.file("empty"))
        try expectRefusal(of: directory.path("empty"), in: directory, saying: "There is no store in the file")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a database of another application is read by the inspector, and never changed`() throws {
        let directory = try ScratchDirectory()
        let path = directory.path("other.sqlite")
        try ForeignWriter.run("CREATE TABLE Book (title TEXT); INSERT INTO Book VALUES ('a')", on: path)
        let before = FileManager.default.contents(atPath: path)
        for (tool, first, last) in Self.commands where tool != "library-browser" {
            let run = try ToolProcess.run(
                tool, first + [path] + last + ["--cache-directory", directory.path("caches")])
            #expect(run.status == 0 && run.output.contains("nothing is cached under this name"), "\(run)")
        }
        #expect(FileManager.default.contents(atPath: path) == before)
        #expect(try ScratchDirectory.contents(of: directory.url).keys.sorted() == ["other.sqlite"])
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `another program's table with the name of a control table is refused`() throws {
        let directory = try ScratchDirectory()
        let path = directory.path("other.sqlite")
        try ForeignWriter.run(
            "CREATE TABLE sc_store (id INTEGER, name TEXT); CREATE TABLE sc_log (id)", on: path)
        try expectRefusal(of: path, in: directory, saying: "sc_store")
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `an empty or damaged file beside a log is refused, and the log is kept`() throws {
        let (directory, other) = (try ScratchDirectory(), try ScratchDirectory())
        let path = directory.path("books.sqlite")
        try ForeignWriter.run(
            """
            PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
            CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO books (title) VALUES ('a');
            """, on: path)
        let log = Data("a log of another file".utf8)
        try FileManager.default.createSymbolicLink(
            atPath: other.path("link.sqlite"), withDestinationPath: path)
        for (bytes, text) in [
            (Data(), "write-ahead log"), (Data(repeating: 0xA5, count: 9_000), "is damaged"),
        ] {
            try bytes.write(to: directory.file("books.sqlite"))
            try log.write(to: directory.file("books.sqlite-wal"))
            let before = try ScratchDirectory.contents(of: directory.url)
            for store in [path, other.path("link.sqlite")] {
                for arguments in [[], ["--entity", "books"], ["--check-all"]] {
                    let run = try ToolProcess.run("library-browser", [store] + arguments)
                    run.expectRefusal(saying: text)
                }
            }
            #expect(try ScratchDirectory.contents(of: directory.url) == before)
        }
    }

    @Test func `a store with overwritten pages is refused`() throws {
        let store = try BookStore()
        let url = URL(filePath: store.path)
        var bytes = try Data(contentsOf: url)
        for position in 4_096..<bytes.count { bytes[position] = UInt8(truncatingIfNeeded: position &* 31) }
        try bytes.write(to: url)
        for arguments in [[], ["--group-by", "language", "--cache", "c"]] {
            let run = try ToolProcess.run(
                "library-browser", [store.path, "--cache-directory", store.caches] + arguments)
            run.expectRefusal(saying: "is damaged")
        }
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a store that another program has locked is refused`() throws {
        let store = try BookStore()
        try ForeignWriter.locking(store.path) {
            for (tool, first, last) in Self.commands {
                let run = try ToolProcess.run(
                    tool, first + [store.path] + last + ["--cache-directory", store.caches])
                run.expectRefusal(saying: "another program holds the store's lock")
            }
        }
        #expect(
            try store.browse("--rows", "1", "--json").jsonObject()["numberOfRows"] as? Int
                == store.books.count)
    }

    @Test(
        .enabled(if: MountSandbox.isAvailable, MountSandbox.reason),
        .enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `on a read-only file system a store is listed, with and without a write-ahead log`() throws {
        let store = try BookStore()
        let script = """
            mount --bind "$2" "$2"; mount -o remount,bind,ro "$2"
            exec "$1" "$2/books.store" --group-by language --cache books --cache-directory "$2/caches" --json
            """
        let arguments = [try ToolProcess.path("library-browser"), store.directory.url.path]
        for mode in ["WAL", "DELETE"] {
            try ForeignWriter.run("PRAGMA journal_mode = \(mode)", on: store.path)
            let list = try MountSandbox.run(script, arguments).jsonObject()
            #expect(list["numberOfRows"] as? Int == store.books.count)
            #expect((list["cache"] as? [String: Any])?["isSaved"] as? Bool == false)
        }
    }
}
