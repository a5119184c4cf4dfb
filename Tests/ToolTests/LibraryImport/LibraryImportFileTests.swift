import Foundation
import SectionedFetch
import Testing

/// Complete files that differ from those that an import without a mapping expects.
@Suite struct LibraryImportFileTests {
    @Test(
        arguments: [
            ("book.csv", "id,title\n", "has no records"),
            ("book.csv", "id\n1,2\n3,4\n", ":1: the first line has one field, the others 2"),
            ("book.json", "[]", "has no records"),
            ("book.json", "{}\n{}\n", "have no fields"),
            ("book.json", "[1]", ":1: an object { … } was expected"),
        ])
    func `a file that does not show the fields of its records creates no entity`(
        name: String, content: String, text: String
    ) throws {
        let file = try LibraryImportFile(name, content)
        try file.run().expectRefusal(saying: text)
        #expect(!file.storeExists)
    }

    @Test func `a file that is nested endlessly or has an unclosed first quote creates no entity`() throws {
        let file = try LibraryImportFile("book.json", String(repeating: "[", count: 100_000))
        try file.run().expectRefusal(saying: ":1: an object { … } was expected")
        try file.write("{\"a\": " + String(repeating: "[", count: 100_000))
        try file.run().expectRefusal(saying: ":1: more than 64 levels of nesting")
        try file.write("id,title\n1,\"" + String(repeating: "x", count: 5 << 20))
        try file.run().expectRefusal(saying: ":2: a record of more than")
        #expect(!file.storeExists)
    }

    @Test(
        arguments: [
            ("book.csv", "id,a\n1,5\n2,\"six\n", "is never closed", "id,a\n1,5\n2,\"six\"\n"),
            (
                "book.json", "[{\"a\": 5},\n{\"a\": 6}", "the array is not closed",
                "[{\"a\": 5}, {\"a\": \"six\"}]"
            ),
            (
                "book.json", "[{\"a\": \"x\"},\n{\"a\"", "ends in the middle",
                "[{\"a\": \"5\"}, {\"a\": \"six\", \"b\": 1}]"
            ),
        ], [[], ["--atomic"]])
    func `a file whose end cannot be read creates no entity, because its repair may change types and fields`(
        example: (name: String, broken: String, text: String, repaired: String), arguments: [String]
    ) throws {
        let file = try LibraryImportFile(example.name, example.broken)
        try file.run(arguments).expectRefusal(saying: "\(example.name):", example.text)
        #expect(!file.storeExists)
        try file.write(example.repaired)
        #expect(try file.counts(arguments) == LibraryImportCounts(inserted: 2))
        #expect(try file.rows("Book", ["a"]).last == ["six"])
        let properties = try #require(try file.openStore().model.entity(named: "Book")).attributes.map(\.name)
        #expect(properties.contains("b") == example.repaired.contains("\"b\""))
    }

    @Test func `a header without records is no failure if the entity is known`() throws {
        let file = try LibraryImportFile("id,title\n")
        let mapping = try file.mapping(
            "{\"entity\": \"Book\", \"key\": \"id\", \"attributes\": [{\"name\": \"id\", \"type\": \"integer64\"}]}"
        )
        #expect(try file.counts(["--mapping", mapping]) == LibraryImportCounts())
        #expect(try file.rows("Book", ["id"]).isEmpty)
        try file.write("id\n")
        #expect(try file.counts() == LibraryImportCounts())
    }

    @Test func `more columns than a table can have are refused before a store is created`() throws {
        func csv(_ count: Int) -> String {
            let columns = (1...count).map { "c\($0)" }.joined(separator: ",")
            return columns + "\n" + [String](repeating: "1", count: count).joined(separator: ",") + "\n"
        }
        let file = try LibraryImportFile(csv(2_000))
        try file.run().expectRefusal(saying: "2,000 attributes and relationships", "1,999", "--ignore")
        #expect(!file.storeExists)
        #expect(try file.counts(["--ignore", "c7"]) == LibraryImportCounts(inserted: 1))
        try file.write(csv(10_000))
        try file.run().expectRefusal(saying: ":1: more than 4096 fields")
    }

    @Test func `a field that only late records have is imported, and can be mapped`() throws {
        let lines = (1...1_500).map {
            $0 <= 1_200 ? "{\"id\": \($0)}" : "{\"id\": \($0), \"late\": \"x\($0)\"}"
        }
        let file = try LibraryImportFile("book.jsonl", lines.joined(separator: "\n"))
        #expect(try file.counts() == LibraryImportCounts(inserted: 1_500))
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1_500))
        #expect(try file.rows("Book", ["late"])[1_198...1_201] == [[.null], [.null], ["x1201"], ["x1202"]])

        let mapping = try file.mapping(
            """
            {"entity": "Essay", "attributes": [{"name": "late", "type": "string"}], "ignored": ["id"]}
            """)
        #expect(try file.counts(["--mapping", mapping]) == LibraryImportCounts(inserted: 1_500))
        #expect(try file.rows("Essay", ["late"]).last == ["x1500"])
        let strict = try file.mapping(
            "{\"entity\": \"Note\", \"attributes\": [{\"name\": \"id\", \"type\": \"string\"}], \"ignored\": []}"
        )
        try file.run(["--mapping", strict]).expectRefusal(
            saying: "a column “late” that the mapping neither uses")
    }

    @Test func `if not all fields fit, those of late records are left out and reported`() throws {
        let late = (1...2_000).map { "\"f\($0)\": 1" }.joined(separator: ", ")
        let lines = (1...1_100).map { "{\"id\": \($0)}" } + ["{\"id\": 1101, \(late)}"]
        let file = try LibraryImportFile("book.jsonl", lines.joined(separator: "\n"))
        let run = try file.run()
        #expect(run.status == 0, "\(run)")
        #expect(run.errors.contains("has 2,001 fields, more than a store holds"), "\(run)")
        #expect(run.errors.contains("“f10” and 1,990 more. A mapping may choose others."), "\(run)")
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1_101))
        let mapping = try file.mapping(
            "{\"entity\": \"Other\", \"attributes\": [{\"name\": \"f2000\", \"type\": \"integer16\"}]}")
        #expect(try file.counts(["--mapping", mapping]) == LibraryImportCounts(inserted: 1_101))
        #expect(try file.rows("Other", ["f2000"]).last == [1])
    }

    @Test(arguments: ["id|title\n1|a\n", "\"id;x\"\n1\n", "id\ttitle;year\n1\t2\n"])
    func `a header that may have another delimiter is reported`(csv: String) throws {
        let file = try LibraryImportFile(csv)
        let run = try file.run(csv.contains("\t") ? ["--delimiter", "|"] : [])
        #expect(run.status == 0 && run.errors.contains("has one column, “id"), "\(run)")
        #expect(run.errors.contains("pass --delimiter"), "\(run)")
    }

    @Test func `a second import without a key is reported`() throws {
        let file = try LibraryImportFile("title\na\nb\n")
        #expect(try file.run().errors == "")
        let run = try file.run(["--again"])
        let note =
            "library-import: “Book” was imported without a key: 2 rows were inserted, even if the store had the same rows already. To undo this, run “library-import undo STORE 2”. To update existing rows, pass --key; if all rows of the file are new, --no-key omits this note.\n"
        #expect(run.status == 0 && run.errors == note, "\(run)")
        let trial = try file.run(["--again", "--dry-run"])
        #expect(trial.errors.contains("2 rows would be inserted"), "\(trial)")
        #expect(!trial.errors.contains("undo"), "\(trial)")
        #expect(try file.run(["--no-key", "--again"]).errors == "")
        #expect(try file.rows("Book", ["title"]).count == 6)
    }

    @Test func `a pipe is read with a mapping and without one, and needs the name of an entity`() throws {
        let file = try LibraryImportFile("id,title\n1,One\n")
        let tool = try ToolProcess.path("library-import")
        func pipe(_ arguments: [String]) throws -> ToolRun {
            try ToolProcess.run(
                executable: URL(filePath: "/bin/sh"),
                [
                    "-c", "f=$1; shift; cat \"$f\" | \"$@\"", "sh", file.path, tool, "/dev/stdin",
                    file.storePath,
                ]
                    + arguments,
                command: "library-import", timeLimit: 20)
        }
        try pipe([]).expectRefusal(saying: "has no name for the entity", "--entity")
        #expect(!file.storeExists)
        let copied = try pipe(["--entity", "Copy"])
        #expect(copied.status == 0, "\(copied)")
        #expect(try file.rows("Copy", ["id", "title"]) == [[1, "One"]])
        let mapping = try file.mapping(
            "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"title\", \"type\": \"string\"}]}")
        let run = try pipe(["--mapping", mapping])
        #expect(run.status == 0, "\(run)")
        #expect(try file.rows("Book", ["title"]) == [["One"]])
    }

    @Test func `a late field of a piped file that the mapping neither uses nor ignores is a bad row`() throws
    {
        let lines = (1...1_500).map { $0 == 1_400 ? "{\"id\": \($0), \"late\": 1}\n" : "{\"id\": \($0)}\n" }
        let file = try LibraryImportFile("book.jsonl", lines.joined())
        let strict = try file.mapping(
            "{\"entity\": \"Note\", \"attributes\": [{\"name\": \"id\", \"type\": \"integer64\"}], \"ignored\": []}"
        )
        let run = try ToolProcess.run(
            executable: URL(filePath: "/bin/sh"),
            [
                "-c", "cat \"$1\" | \"$2\" /dev/stdin \"$3\" --mapping \"$4\"", "sh", file.path,
                try ToolProcess.path("library-import"), file.storePath, strict,
            ], timeLimit: 20)
        #expect(run.status == 1 && run.output.hasPrefix("1,499 inserted, "), "\(run)")
        #expect(run.errors.hasPrefix("/dev/stdin:1400: has a field “late”"), "\(run)")
        #expect(try file.rows("Note", ["id"]).count == 1_499)
    }

    @Test(.enabled(if: MountSandbox.isAvailable, MountSandbox.reason))
    func `a full disk is reported with the store, and rows that were imported before stay`() throws {
        let file = try LibraryImportFile("id,title,year\n")
        let rows = (1...60_000).map { "\($0),Title number \($0),1900\n" }.joined()
        try file.write("id,title,year\n" + rows)
        let mount = file.directory.path("small")
        let tool = try ToolProcess.path("library-import")
        let run = try MountSandbox.run(
            """
            mkdir "$1"; mount -t tmpfs -o size=1m none "$1"; set +e
            "$2" "$3" "$1/f.store" --batch 1000; echo "status $?"
            "$2" "$3" "$1/f.store" --atomic; echo "status $?"
            rm "$1"/f.store*; "$2" "$3" "$1/f.store" --batch 1000; echo "status $?"
            umount "$1"
            """, [mount, tool, file.path])
        #expect(run.output.components(separatedBy: "status 2\n").count == 4, "\(run)")
        #expect(run.errors.contains("/small/f.store”: The disk is full."), "\(run)")
        #expect(run.errors.contains("000 rows)."), "\(run)")
        #expect(!run.errors.contains("Nothing was changed"), "\(run)")
    }
}
