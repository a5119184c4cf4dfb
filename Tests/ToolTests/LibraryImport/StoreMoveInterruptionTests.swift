import Foundation
import Testing

/// Moves of stores that are interrupted, or whose source changes meanwhile.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct StoreMoveInterruptionTests {
    private let directory: ScratchDirectory
    private var source: String { directory.path("any.sqlite") }
    private var new: String { directory.path("new.store") }

    /// Makes a database with 4,000 songs of 50 artists, and 8,000 pairs of songs and tags.
    init() throws {
        directory = try ScratchDirectory()
        try ForeignWriter.run(
            """
            CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist (id), data BLOB);
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE song_tag (song INTEGER NOT NULL REFERENCES song (id), tag INTEGER NOT NULL REFERENCES tag (id), PRIMARY KEY (song, tag));
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO artist SELECT i, 'Artist ' || i FROM n;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7) INSERT INTO tag SELECT i, 'Tag ' || i FROM n;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) INSERT INTO song SELECT i * 3, 'Song', i % 50 + 1, randomblob(100) FROM n;
            INSERT INTO song_tag SELECT id, id % 7 + 1 FROM song UNION SELECT id, (id + 3) % 7 + 1 FROM song
            """, on: source)
    }

    private func start(_ arguments: String...) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
        process.arguments = ["--from", source, new, "--batch", "5"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func finish(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-import", ["--from", source, new] + arguments, timeLimit: 120)
    }

    /// Starts a move, and waits until it writes to the new store.
    private func startedMove() throws -> Process {
        let process = try start()
        try waitForWrites(of: process)
        return process
    }

    private func waitForWrites(of process: Process) throws {
        let end = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: new + "-wal"), process.isRunning {
            try #require(ContinuousClock.now < end)
            usleep(1_000)
        }
    }

    private func contents(_ store: String) throws -> [String] {
        let rows = [
            "* FROM artist", "objectID, title, artist, hex(data) FROM song", "* FROM tag",
            "* FROM `song.tag`",
        ]
        return try rows.map { try ForeignWriter.run("SELECT \($0) ORDER BY 1, 2", on: store) }
    }

    /// The contents of a store to which the source was moved without an interruption.
    private func expectedContents() throws -> [String] {
        let other = directory.path("other.store")
        let run = try ToolProcess.run("library-import", ["--from", source, other])
        #expect(run.status == 0, "\(run)")
        return try contents(other)
    }

    @Test(arguments: [SIGKILL, SIGINT, SIGTERM])
    func `a move killed at random times resumes and produces the same store`(signal: Int32) throws {
        let expected = try expectedContents()
        var generator = SystemRandomNumberGenerator()
        var numberOfEnds = 0
        for _ in 0..<12 {
            let process = try startedMove()
            usleep(UInt32.random(in: 0..<150_000, using: &generator))
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            if process.terminationReason == .exit, process.terminationStatus == 0 { break }
            if signal != SIGKILL { #expect(process.terminationStatus == 128 + signal) }
            numberOfEnds += 1
        }
        #expect(numberOfEnds > 0)
        let run = try finish()
        #expect(run.status == 0 && run.output.contains("all are equal in both"), "\(run)")
        #expect(try contents(new) == expected)
        let left = try ForeignWriter.run(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'sc_move'; PRAGMA foreign_key_check", on: new)
        #expect(left == "0\n")
        let indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1"
        #expect(
            try ForeignWriter.run(indexes, on: new)
                == ForeignWriter.run(indexes, on: directory.path("other.store")))
    }

    /// Leaves an unfinished store behind.
    ///
    /// - Parameter condition: The condition that its contents fulfil, as SQL.
    private func interrupt(where condition: String = "TRUE") throws {
        for attempt in 0..<100 {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: new + suffix)
            }
            let process = try startedMove()
            usleep(UInt32(10_000 + attempt % 10 * 5_000))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            guard process.terminationReason == .uncaughtSignal,
                FileManager.default.fileExists(atPath: new)
            else { continue }
            let sql = "SELECT count(*) FROM sqlite_schema WHERE name = 'sc_move'"
            if try ForeignWriter.run(sql, on: new) == "1\n",
                try ForeignWriter.run("SELECT count(*) FROM sc_move WHERE \(condition)", on: new) == "1\n"
            {
                return
            }
        }
        Issue.record("no move was interrupted")
    }

    @Test func `a source that changed is not continued, and --restart begins again`() throws {
        try interrupt()
        try ForeignWriter.run("UPDATE song SET title = 'Other' WHERE id = 6", on: source)
        try finish().expectRefusal(saying: "which has changed since", "--restart")
        let run = try finish("--restart")
        #expect(run.status == 0, "\(run)")
        #expect(try ForeignWriter.run("SELECT title FROM song WHERE objectID = 6", on: new) == "Other\n")
    }

    @Test func `another source is not continued`() throws {
        try interrupt()
        try FileManager.default.moveItem(atPath: source, toPath: directory.path("moved.sqlite"))
        try ForeignWriter.run("CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT)", on: source)
        try finish().expectRefusal(saying: "contains an unfinished move of", "--restart")
        // The same file in another place is the same source.
        let run = try ToolProcess.run("library-import", ["--from", directory.path("moved.sqlite"), new])
        #expect(run.status == 0 && run.errors.contains("Continuing the move"), "\(run)")
    }

    @Test func `rows that another program wrote to an unfinished store are found`() throws {
        try interrupt(where: "EXISTS (SELECT 1 FROM song WHERE objectID = 3 AND title IS NOT NULL)")
        try ForeignWriter.run(
            "UPDATE artist SET name = 'x' WHERE objectID = 1; UPDATE song SET artist = 9 WHERE objectID = 3",
            on: new)
        let run = try finish()
        #expect(run.status == 2 && run.output.contains("“Artist 1”, in the new store “x”"), "\(run)")
        #expect(run.errors.contains("Run the command again with --restart"), "\(run)")
        #expect(try finish("--restart").status == 0)
    }

    @Test func `a row that another program added to an unfinished store stops the move`() throws {
        try interrupt(where: "NOT EXISTS (SELECT 1 FROM song WHERE objectID = 12000)")
        try ForeignWriter.run("INSERT INTO song (objectID, title) VALUES (12000, 'x')", on: new)
        let run = try finish()
        #expect(run.status == 2 && run.errors.contains("Continuing the move"), "\(run)")
        #expect(run.errors.contains("Run the command again with --restart"), "\(run)")
        #expect(try finish("--restart").status == 0)
    }

    @Test func `one of two moves at the same time ends with the reason`() throws {
        let errors = directory.file("errors")
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
        process.arguments = ["--from", source, new, "--batch", "1"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        try waitForWrites(of: process)
        let run = try finish("--batch", "2")
        process.waitUntilExit()
        // The one that wrote last goes on.
        let texts = [
            (run.status, run.errors),
            (process.terminationStatus, try String(contentsOf: errors, encoding: .utf8)),
        ]
        #expect(texts.contains { $0.0 == 0 } && texts.contains { $0.0 == 2 }, "\(texts)")
        for (status, text) in texts where status == 2 {
            #expect(text.contains("Another process is moving a store to"), "\(text)")
        }
    }

    @Test func `a store with a log is moved in one state while a program writes to it`() throws {
        try ForeignWriter.run("PRAGMA journal_mode = WAL", on: source)
        let writer = Process()
        writer.executableURL = URL(filePath: "/usr/bin/env")
        writer.arguments = [
            "python3", "-c",
            """
            import sqlite3, sys, time
            c = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
            number = 0
            while True:
                number += 1
                c.execute("update song set title = 'title %d'" % number)
                if number == 1: print(number, flush=True)
                time.sleep(0.005)
            """, source,
        ]
        let output = Pipe()
        writer.standardOutput = output
        try writer.run()
        defer {
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
        }
        _ = try output.fileHandleForReading.read(upToCount: 1)
        let run = try ToolProcess.run(
            "library-import", ["--from", source, new, "--batch", "50", "--json"], timeLimit: 120)
        let report = try run.jsonObject()
        #expect(report["isComplete"] as? Bool == true && report["hasSourceChanged"] as? Bool == true)
        #expect(try ForeignWriter.run("SELECT count(DISTINCT title) FROM song", on: new) == "1\n")
    }

    @Test func `a store that is read without locks and changes is moved again`() throws {
        try ForeignWriter.run("PRAGMA journal_mode = WAL", on: source)
        try #require(!FileManager.default.fileExists(atPath: source + "-wal"))
        let process = try startedMove()
        try ForeignWriter.run("UPDATE song SET title = 'Other'", on: source)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
        let run = try finish("--restart")
        #expect(run.status == 0, "\(run)")
        #expect(try ForeignWriter.run("SELECT DISTINCT title FROM song", on: new) == "Other\n")
    }
}
