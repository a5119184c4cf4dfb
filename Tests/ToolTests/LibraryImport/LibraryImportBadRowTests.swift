import Foundation
import SectionedFetch
import Testing

/// Rows that cannot be imported are reported with line and column, and are handled as the options say.
@Suite struct LibraryImportBadRowTests {
    private static let types = ["--type", "year=integer16", "--key", "id"]

    @Test(
        arguments: [
            ("2,Two,x\n", "3: column 3 (year): “x” is not a valid integer16"),
            ("2,Two,40000\n", "3: column 3 (year): “40000” is not a valid integer16"),
            (",Two,1902\n", "3: column 1 (id): the value is missing"),
            ("2,Two\n", "3: has 2 fields, the header 3"),
            ("2,Two,1902,\n", "3: has 4 fields, the header 3"),
            ("2,\"Two\"x,1902\n", "3: column 2 (title): text follows the closing quote of a field"),
            ("2,\"T\n\nwo\",\u{1B}[2J\n", "3: column 3 (year): “\\u{1B}[2J” is not a valid integer16"),
        ])
    func `a bad row is reported with line and column and skipped`(row: String, report: String) throws {
        let file = try LibraryImportFile("id,title,year\n1,One,1901\n\(row)3,Three,1903\n")
        let run = try file.run(Self.types)
        #expect(run.status == 1, "\(run)")
        #expect(run.errors == "\(file.path):\(report)\n")
        #expect(run.output.hasPrefix("2 inserted, 0 updated, 0 unchanged, 1 skipped, "))
        #expect(try file.rows("Book", ["title"]) == [["One"], ["Three"]])
    }

    @Test func `lines are counted through quotes and all kinds of line ends`() throws {
        let file = try LibraryImportFile("id,title,year\r\n1,\"a\r\nb\nc\",1\r2,Two,x\n3,Three,y\n")
        let run = try file.run(Self.types)
        #expect(
            run.errors
                == "\(file.path):5: column 3 (year): “x” is not a valid integer16\n\(file.path):6: column 3 (year): “y” is not a valid integer16\n"
        )
    }

    @Test func `bad rows are reported in the order of the file, even across batches`() throws {
        var csv = "id,title,year\n"
        var expected: [String] = []
        for id in 1...5_000 {
            let isBad = id.isMultiple(of: 499) || id == 1_000 || id == 1_001
            csv += isBad ? "\(id),bad,x\n" : "\(id),good,1\n"
            if isBad { expected.append(String(id + 1)) }
        }
        let file = try LibraryImportFile(csv)
        let run = try file.run(Self.types + ["--batch", "1500"])
        let lines = run.errors.split(separator: "\n").map { line in
            line.dropFirst(file.path.count + 1).prefix { $0 != ":" }
        }
        #expect(lines.map(String.init) == expected)
        #expect(try file.rows("Book", ["id"]).count == 5_000 - expected.count)
    }

    @Test func `an import that stops at a bad row keeps complete batches and undoes the current one`()
        throws
    {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n2,b,2\n3,c,3\n4,d,x\n5,e,5\n")
        let run = try file.run(Self.types + ["--on-error", "stop", "--batch", "2"])
        #expect(run.status == 2, "\(run)")
        #expect(
            run.errors == "library-import: \(file.path):5: column 3 (year): “x” is not a valid integer16\n")
        #expect(run.output.hasPrefix("2 inserted, "), "\(run)")
        #expect(try file.rows("Book", ["title"]) == [["a"], ["b"]])
    }

    @Test func `an atomic import is all or nothing`() throws {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n2,b,2\n3,c,x\n")
        let relationship = ["--relationship", "title=Title"]
        let run = try file.run(Self.types + relationship + ["--atomic", "--on-error", "stop"])
        #expect(run.status == 2 && run.output == "", "\(run)")
        #expect(!file.storeExists)
        #expect(
            try file.counts(Self.types + relationship + ["--atomic"], status: 1)
                == LibraryImportCounts(inserted: 2, skipped: 1, createdRelated: 2))
    }

    @Test(arguments: [["--atomic"], []])
    func `an import that stops in its first batch leaves a store without the entity`(options: [String]) throws
    {
        let file = try LibraryImportFile("id,name\n1,Ann\n")
        #expect(try file.counts(["--entity", "Author", "--key", "id"]).inserted == 1)
        let before = try Data(contentsOf: file.directory.file("library.store"))
        try file.write("id,title,year\n1,a,1\n2,b,2\n3,c,x\n")
        let relationship = ["--relationship", "title=Title"]
        let run = try file.run(Self.types + relationship + ["--on-error", "stop"] + options)
        #expect(run.status == 2 && run.output == "", "\(run)")
        #expect(try Data(contentsOf: file.directory.file("library.store")) == before)
        #expect(try file.openStore().model.entities.map(\.name) == ["Author"])
        // So the same rows can be imported with other types.
        #expect(
            try file.counts(["--type", "year=string", "--key", "id"] + relationship + options)
                == LibraryImportCounts(inserted: 3, createdRelated: 3))
    }

    @Test(arguments: [(0, 2, 0), (1, 2, 0), (2, 1, 2)])
    func `the number of bad rows can be limited`(limit: Int, status: Int32, rows: Int) throws {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n2,b,x\n3,c,y\n4,d,4\n")
        let run = try file.run(Self.types + ["--max-errors", String(limit)])
        #expect(run.status == status, "\(run)")
        #expect(file.storeExists == (rows > 0))
        if rows > 0 { #expect(try file.rows("Book", ["id"]).count == rows) }
    }

    @Test func `an unclosed quote ends the import`() throws {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n2,\"b,2\n3,c,3\n")
        let run = try file.run(Self.types)
        #expect(run.status == 2, "\(run)")
        #expect(run.errors.contains(":3: column 2"), "\(run)")
        #expect(run.errors.hasSuffix("is never closed\n"), "\(run)")
        #expect(!file.storeExists)
    }

    @Test func `an unclosed quote in a second file ends the import, and complete batches stay`() throws {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n")
        #expect(try file.counts(Self.types).inserted == 1)
        try file.write("id,title,year\n2,b,2\n3,c,3\n4,\"d,4\n")
        let run = try file.run(["--batch", "2"])
        #expect(run.status == 2 && run.errors.contains(":4: column 2"), "\(run)")
        #expect(try file.rows("Book", ["title"]) == [["a"], ["b"], ["c"]])
    }

    @Test func `a bad record after the sample is reported for the same reasons as one in the sample`() throws
    {
        let fields = (1...3_000).map { "\"f\($0)\": 1" }.joined(separator: ", ")
        let others = (1...3_000).map { "\"g\($0)\": 1" }.joined(separator: ", ")
        var lines = (1...1_500).map { "{\"id\": \($0)}" }
        lines[1_199] = "{\"id\": 1200, \"a.b\": 1, \"a\": {\"b\": 2}}"
        let file = try LibraryImportFile("book.jsonl", lines.joined(separator: "\n"))
        let run = try file.run()
        #expect(
            run.errors == "\(file.path):1200: duplicate name “a.b”; rename or remove one of the two\n",
            "\(run)")
        #expect(run.status == 1 && run.output.hasPrefix("1,499 inserted, "), "\(run)")
        lines[0] = "{\"id\": 1, \(fields)}"
        lines[1_199] = "{\"id\": 1200, \(others)}"
        try file.write(lines.joined(separator: "\n"))
        let mapping = try file.mapping(
            "{\"entity\": \"Note\", \"attributes\": [{\"name\": \"id\", \"type\": \"integer64\"}]}")
        let second = try file.run(["--mapping", mapping])
        #expect(
            second.errors == "\(file.path):1200: more than 4096 fields in all records together\n", "\(second)"
        )
        #expect(second.status == 1 && second.output.hasPrefix("1,499 inserted, "), "\(second)")
    }

    @Test func `a skipped row creates no related object`() throws {
        let file = try LibraryImportFile("id,title,year\n1,a,1\n2,b,x\n,c,3\n")
        let counts = try file.counts(Self.types + ["--relationship", "title=Title"], status: 1)
        #expect(counts == LibraryImportCounts(inserted: 1, skipped: 2, createdRelated: 1))
        #expect(try file.rows("Title", ["name"]) == [["a"]])
    }

    @Test func `a row with invalid UTF-8 is skipped, or imported with --replace-invalid`() throws {
        let file = try LibraryImportFile("")
        try Data("id,title\n1,a".utf8 + [0xFF] + "\n2,b\n".utf8).write(to: file.directory.file(file.name))
        let run = try file.run()
        #expect(
            run.status == 1 && run.errors.contains(":2: column 2 (title): not UTF-8 at byte 12"), "\(run)")
        #expect(try file.counts(["--replace-invalid"]) == LibraryImportCounts(inserted: 1, unchanged: 1))
        #expect(try file.rows("Book", ["title"]) == [["b"], ["a\u{FFFD}"]])
    }
}
