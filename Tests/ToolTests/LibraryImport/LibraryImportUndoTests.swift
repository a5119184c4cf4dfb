import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// `library-import undo`, compared with the tables before the import as another program reads them.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct LibraryImportUndoTests {
    private func undo(_ file: LibraryImportFile, _ number: Int, _ options: String...) throws -> ToolRun {
        try ToolProcess.run("library-import", ["undo", file.storePath, "\(number)"] + options)
    }

    private func dump(_ file: LibraryImportFile) throws -> String {
        try ForeignWriter.run(
            "SELECT * FROM Book ORDER BY objectID; SELECT * FROM Author ORDER BY objectID",
            on: file.storePath)
    }

    private static let options = [
        "--key", "id", "--relationship", "author=Author", "--type", "title=string", "--type", "price=double",
    ]

    private func csv(_ random: inout SeededGenerator) -> String {
        let rows = (0..<Int.random(in: 1..<60, using: &random)).map { _ in
            let price = ["", "1.5", "2.25"].randomElement(using: &random) ?? ""
            let author = Int.random(in: 0..<12, using: &random)
            return
                "\(Int.random(in: 0..<50, using: &random)),T\(Int.random(in: 0..<4, using: &random)),\(price),\(author < 8 ? "A\(author)" : "")\n"
        }
        return "id,title,price,author\n" + rows.joined()
    }

    @Test func `imports, edits of another program and undos in random order`() throws {
        let seed = SeededGenerator.newSeed()
        var random = SeededGenerator(seed: seed)
        let file = try LibraryImportFile("id,title,price,author\n1,One,1.5,A0\n2,Two,,A1\n")
        try #require(try file.run(Self.options).status == 0)
        for number in 2...8 {
            try file.write(csv(&random))
            let before = try dump(file)
            let batch = ["1", "7", "1000"].randomElement(using: &random) ?? "1"
            try #require(try file.run(Self.options + ["--batch", batch]).status == 0, "seed \(seed)")
            if Bool.random(using: &random) {
                let run = try undo(file, number)
                #expect(run.status == 0 && run.output.hasPrefix("Undone: import \(number) of"), "\(run)")
                #expect(try dump(file) == before, "seed \(seed), import \(number): \(run)")
                continue
            }
            let id = try ForeignWriter.run(
                "UPDATE Book SET title = 'edited' WHERE objectID = (SELECT max(objectID) FROM Book); SELECT max(objectID) FROM Book",
                on: file.storePath
            ).trimmingCharacters(in: .newlines)
            let edited = try dump(file)
            let isWritten = !before.split(separator: "\n").contains { $0.hasPrefix("\(id)|") }
            let run = try undo(file, number, "--dry-run", "--json")
            let result = try run.jsonObject()
            #expect(try dump(file) == edited, "seed \(seed)")
            if isWritten { #expect(result["changed"] as? Int == 1, "seed \(seed): \(run)") }
            let forced = try undo(file, number, "--force")
            #expect(forced.status == 0, "seed \(seed): \(forced)")
            let after = try dump(file).split(separator: "\n").filter { !$0.hasPrefix("\(id)|") }
            #expect(
                after == before.split(separator: "\n").filter { !$0.hasPrefix("\(id)|") },
                "seed \(seed), import \(number)")
        }
    }

    @Test func `changed rows are named and need an option, and an undone file is imported again`() throws {
        let file = try LibraryImportFile("name,author\nA,Ann\nB,Bob\nC,Bob\n")
        let options = ["--no-key", "--relationship", "author=Author"]
        #expect(try file.counts(options).inserted == 3)
        let whole = try dump(file)
        try ForeignWriter.run("UPDATE Book SET name = 'Bee' WHERE name = 'B'", on: file.storePath)
        let refused = try undo(file, 1)
        #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.errors.contains("Pass --force to undo these rows as well, or --keep-changed"),
            "\(refused)")
        #expect(refused.errors.contains("1 row changed after import 1"), "\(refused)")
        #expect(refused.errors.contains("Book 2 has other values: name “Bee”; author 2"), "\(refused)")
        let kept = try undo(file, 1, "--keep-changed")
        #expect(kept.output.contains("2 deleted, 0 restored, 0 absent before, 1 changed since"), "\(kept)")
        #expect(kept.output.contains("1 related object deleted, 1 still used"), "\(kept)")
        #expect(try dump(file) == "2|Bee|2\n2|Bob\n")
        try undo(file, 1).expectRefusal(saying: "it was undone before")
        try undo(file, 7).expectRefusal(saying: "Import 7 is not in the history")
        let history = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(history.output.contains("; undone at 20"), "\(history)")
        #expect(try file.counts(options).inserted == 3)
        #expect(try undo(file, 2).status == 0)
        try ForeignWriter.run("DELETE FROM Book; DELETE FROM Author", on: file.storePath)
        #expect(try file.counts(options).inserted == 3)
        #expect(try dump(file).split(separator: "\n").count == whole.split(separator: "\n").count)
    }

    @Test func `undoing an earlier unfinished import leaves the position of a later one`() throws {
        let file = try LibraryImportFile("title\n" + (0..<10).map { "T\($0)\n" }.joined())
        let options = ["--no-key", "--batch", "2"]
        for stop in [["--max-rows", "4"], ["--max-rows", "6", "--again"]] {
            #expect(try file.run(options + stop).status == 2)
        }
        #expect(try undo(file, 1).status == 0)
        let run = try file.run(options)
        #expect(run.status == 0 && run.errors.contains("Continuing the import"), "\(run)")
        #expect(
            try ForeignWriter.run("SELECT count(*), count(DISTINCT title) FROM Book", on: file.storePath)
                == "10|10\n")
    }

    @Test func `an import with --undo-space 0 drops the undo data of all imports`() throws {
        let file = try LibraryImportFile("id,title\n1,A\n")
        #expect(try file.run(["--key", "id"]).status == 0)
        try file.write("id,title\n1,B\n")
        #expect(try file.run(["--undo-space", "0"]).status == 0)
        #expect(try ForeignWriter.run("SELECT count(*) FROM sc_import_undo", on: file.storePath) == "0\n")
        try undo(file, 1).expectRefusal(saying: "were dropped")
    }

    @Test func `a killed import is unfinished in the history, and is undone or continued as one import`()
        throws
    {
        let rows = (0..<60_000).map { "T\($0 % 900),\($0)\n" }.joined()
        let file = try LibraryImportFile("title,year\n" + rows)
        let options = ["--entity", "Book", "--no-key", "--batch", "500"]
        func killed() throws {
            let process = Process()
            process.executableURL = URL(filePath: try ToolProcess.path("library-import"))
            process.arguments = [file.path, file.storePath] + options
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // The first batch is committed when the store has its table.
            let end = ContinuousClock.now + .seconds(60)
            while (try? file.rows("Book", ["year"]).isEmpty) ?? true {
                try #require(ContinuousClock.now < end && process.isRunning)
                usleep(2_000)
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try killed()
        let stopped = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(stopped.output.contains("; unfinished"), "\(stopped)")
        #expect(try undo(file, 1).status == 0)
        #expect(try file.rows("Book", ["year"]).isEmpty)
        // The next import begins with the first record again.
        try killed()
        #expect(try file.counts(options).inserted == 60_000)
        let history = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(history.output.contains("2  ") && !history.output.contains("3  "), "\(history)")
        let run = try undo(file, 2)
        #expect(run.output.contains("60,000 deleted"), "\(run)")
        #expect(try file.rows("Book", ["year"]).isEmpty)
    }

    @Test func `an undo without a number names the command that lists the numbers`() throws {
        try ToolProcess.run("library-import", ["undo", "nowhere.store"]).expectRefusal(
            status: 64, saying: "library-import history STORE", "Usage: library-import undo")
    }

    @Test func `an import without a record is not in the history and is not recognized`() throws {
        let file = try LibraryImportFile("name\nA\n")
        let options = ["--no-key", "--no-history"]
        #expect(try file.counts(options).inserted == 1)
        #expect(try file.counts(options).inserted == 1)
        let history = try ToolProcess.run("library-import", ["history", file.storePath])
        #expect(history.output == "No import is recorded.\n")
        let large = try file.run(["--no-key", "--undo-space", "3"])
        #expect(large.errors.contains("cannot be undone: its undo data exceed 3 B"), "\(large)")
        try undo(file, 1).expectRefusal(saying: "more undo data than the store keeps")
        try file.run(["--no-key", "--undo-space", "-1"]).expectRefusal(
            status: 64, saying: "must not be negative")
    }
}
