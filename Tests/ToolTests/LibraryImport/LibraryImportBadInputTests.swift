import Foundation
import SectionedFetch
import Testing

/// Command lines, files and stores that cannot be used give one line with the reason, create and change
/// nothing, and cause no crash.
@Suite struct LibraryImportBadInputTests {
    private static let csv = "id,title,year\n1,One,1901\n"

    @Test func `a missing file and a directory are refused`() throws {
        let file = try LibraryImportFile(Self.csv)
        for (path, reason) in [("missing.csv", "no such file"), (".", "directory")] {
            let run = try ToolProcess.run("library-import", [file.directory.path(path), file.storePath])
            run.expectRefusal(saying: reason)
        }
        #expect(!file.storeExists)
    }

    @Test func `a file with half a character, an empty file and a repeated column name are refused`() throws {
        let file = try LibraryImportFile(Self.csv)
        let url = file.directory.file(file.name)
        try Data([0xFF, 0xFE, 0x61, 0x00, 0x0A]).write(to: url)
        try file.run(["--encoding", "UTF-16LE"]).expectRefusal(
            saying: "not UTF-16LE at byte", "--encoding")
        try Data().write(to: url)
        try file.run().expectRefusal(saying: "the file is empty")
        try file.write("id,title,id\n1,2,3\n")
        try file.run().expectRefusal(saying: "another column is called “id”", "--number-columns")
        #expect(!file.storeExists)
    }

    @Test(
        arguments: [
            (["--key", "idd"], ["The key “idd”", "Did you mean “id”?"]),
            (["--key", "shelf"], ["The key “shelf”", "Available: id, title, year."]),
            (["--relationship", "titel=Title"], ["no column “titel”", "Did you mean “title”?"]),
            (["--relationship", "title=Book"], ["leads to “Book” itself, so it needs the key"]),
            (["--ignore", "yaer"], ["no column “yaer”", "Did you mean “year”?"]),
            (["--type", "yeah=integer16"], ["“yeah”", "Did you mean “year”?"]),
            (["--entity", "sc_store"], ["reserved"]),
            (["--mapping", "/nonexistent/mapping.json"], ["cannot be read"]),
        ])
    func `options that do not fit the file are refused`(arguments: [String], texts: [String]) throws {
        let file = try LibraryImportFile(Self.csv)
        let run = try file.run(arguments)
        run.expectRefusal()
        for text in texts { #expect(run.errors.contains(text), "\(run)") }
        #expect(!file.storeExists)
    }

    @Test(
        arguments: [
            ["--batch", "0"], ["--max-errors", "-1"], ["--on-error", "panic"], ["--delimiter", "::"],
            ["--busy-timeout", "-1"], ["--key", "id", "--no-key"], ["--nonsense"],
        ])
    func `invalid options are refused`(arguments: [String]) throws {
        let file = try LibraryImportFile(Self.csv)
        try file.run(arguments).expectRefusal(status: 64)
        #expect(!file.storeExists)
    }

    @Test(
        arguments: [
            (["import", "a.csv", "b.store", "--relationship", "title"], "write COLUMN=ENTITY"),
            (["import", "a.csv", "b.store", "--relationship", "title="], "write COLUMN=ENTITY"),
            (["import", "a.csv", "b.store", "--type", "foo"], "write COLUMN=TYPE"),
            (["import", "a.csv", "b.store", "--type", "year=integer61"], "Did you mean “integer64”?"),
            (["propose", "a.csv", "--type", "year=integer61"], "unknown type “integer61”"),
            (["generate", "/dev/null", "--rows", "-5"], "--rows -5 must be 0 to 10,000,000."),
            (["generate", "/dev/null", "--sections", "0"], "--sections 0 must be 1 to 1,000,000."),
            (["generate", "/dev/null", "--sections", "-1"], "--sections -1 must be 1 to 1,000,000."),
        ])
    func `options that fit no file are refused before a file is opened`(
        arguments: [String], text: String
    ) throws {
        try ToolProcess.run("library-import", arguments).expectRefusal(status: 64, saying: text)
    }

    @Test(
        arguments: [
            ("", "is not one JSON object"),
            ("[]", "is not one JSON object"),
            ("{", "the file ends in the middle of a record"),
            ("{\"entity\": \"Book\", \"entity\": \"Film\", \"attributes\": []}", "duplicate name “entity”"),
            ("{\"attributes\": []}", "“entity” is missing"),
            ("{\"entity\": \"Book\", \"atributes\": []}", "unknown key “atributes”"),
            (
                "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"id\", \"kind\": \"string\"}]}",
                "unknown key “kind” in attributes"
            ),
            (
                "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"id\", \"type\": \"integer\"}]}",
                "unknown type “integer”. Did you mean “integer16”? (attributes, entry 1, type)"
            ),
            (
                "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"id\", \"type\": 5}]}",
                "expected a text in attributes, entry 1, type"
            ),
            (
                "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"id\", \"type\": \"string\", \"optional\": \"no\"}]}",
                "expected true or false in attributes, entry 1, optional"
            ),
            ("{\"entity\": \"Book\", \"attributes\": {}}", "expected a list [ … ] in attributes"),
            (
                "{\"entity\": \"Book\", \"attributes\": [7]}",
                "expected an object { … } in attributes, entry 1"
            ),
            ("{\"entity\": null, \"attributes\": []}", "expected a text in entity"),
            (
                "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"titel\", \"type\": \"string\"}]}",
                "no column “titel”. Did you mean “title”?"
            ),
            (
                "{\"entity\": \"Book\", \"attributes\": [{\"name\": \"id\", \"type\": \"string\"}], \"ignored\": [\"year\"]}",
                "a column “title” that the mapping neither uses nor ignores"
            ),
            (
                "{\"entity\": \"Book\", \"key\": \"isbn\", \"attributes\": [{\"name\": \"id\", \"type\": \"string\"}]}",
                "The key “isbn”"
            ),
        ])
    func `an invalid mapping is refused`(json: String, text: String) throws {
        let file = try LibraryImportFile(Self.csv)
        try file.run(["--mapping", file.mapping(json)]).expectRefusal(saying: text)
        #expect(!file.storeExists)
    }

    @Test func `a store that is a directory, no database, or in no directory is refused`() throws {
        let file = try LibraryImportFile(Self.csv)
        let text = String(repeating: "not a database\n", count: 100)
        try Data(text.utf8).write(to: file.directory.file("notes.txt"))
        let stores = [
            (".", "is a directory"), ("notes.txt", "not an SQLite database"),
            ("no/where", "cannot be opened"),
        ]
        for (path, reason) in stores {
            try ToolProcess.run("library-import", [file.path, file.directory.path(path)])
                .expectRefusal(saying: reason)
        }
        try ToolProcess.run("library-import", [file.path, ""]).expectRefusal(
            saying: "path of the store is empty")
        #expect(try String(contentsOf: file.directory.file("notes.txt"), encoding: .utf8) == text)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a database of another application is refused and left as it is`() throws {
        let file = try LibraryImportFile(Self.csv)
        try ForeignWriter.run("CREATE TABLE Book (a); INSERT INTO Book VALUES (1)", on: file.storePath)
        let before = try Data(contentsOf: file.directory.file("library.store"))
        try file.run().expectRefusal(
            saying: "“\(file.storePath)” is a database of another program",
            "Pass another path for a new store",
            "“library-import --from \(file.storePath) NEW.store”",
            "“library-import adopt \(file.storePath) --tracked”")
        #expect(try Data(contentsOf: file.directory.file("library.store")) == before)
    }

    @Test(.enabled(if: CoreDataSamples.folder != nil, CoreDataSamples.reason))
    func `a store of Core Data is refused with the commands that read it`() throws {
        let file = try LibraryImportFile(Self.csv)
        let path = try CoreDataSamples.copy(
            "coredataplus/SampleModel/SampleModel_V1.sqlite", to: file.directory)
        let before = try ScratchDirectory.contents(of: file.directory.url)
        try ToolProcess.run("library-import", [file.path, path]).expectRefusal(
            saying: "“\(path)” is a store of Core Data", "Pass another path for a new store",
            "“library-import --from \(path) NEW.store”")
        #expect(try ScratchDirectory.contents(of: file.directory.url) == before)
    }

    @Test(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
    func `a store that another program has locked is refused`() throws {
        let file = try LibraryImportFile(Self.csv)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try ForeignWriter.locking(file.storePath) {
            try file.run(["--busy-timeout", "0.2"]).expectRefusal(
                saying: "another program holds the store's lock")
        }
        #expect(try file.counts() == LibraryImportCounts(unchanged: 1))
    }

    @Test(
        arguments: [
            ("id,title,year\n2,Two,x\n", [], 1, "(year): “x” is not a valid integer"),
            ("id,title\n2,Two\n", [], 2, "No column of the file maps to “Book.year” of the store"),
            (
                "a,b\n1,2\n", [], 2,
                "No column of the file matches “Book” of the store, which has: id, title, year"
            ),
            (
                "id,title,year\n2,Two,2\n", ["--type", "year=string"], 2,
                "“Book.year” has type integer64 in the store"
            ),
            (
                "id,title,year\n2,Two,2\n", ["--relationship", "title=Title"], 2,
                "“Book” of the store has no to-one relationship “title”"
            ),
        ] as [(String, [String], Int32, String)])
    func `a second file that does not fit the entity of the store is reported`(
        csv: String, arguments: [String], status: Int32, text: String
    ) throws {
        let file = try LibraryImportFile(Self.csv)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try file.write(csv)
        let run = try file.run(arguments)
        #expect(run.status == status && run.errors.contains(text), "\(run)")
        #expect(try file.rows("Book", ["id", "title", "year"]) == [[1, "One", 1901]])
    }

    @Test(arguments: [
        #", {"name": "title", "column": "other", "type": "string"}]"#,
        #"], "relationships": [{"name": "title", "column": "other", "entity": "Title"}]"#,
    ])
    func `a mapping that gives a property of the store two columns is refused`(second: String) throws {
        let file = try LibraryImportFile(Self.csv)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try file.write("id,title,year,other\n1,Un,1901,Uno\n")
        let mapping = try file.mapping(
            """
            {"entity": "Book", "key": "id", "attributes": [
              {"name": "id", "type": "integer64"}, {"name": "title", "type": "string"},
              {"name": "year", "type": "integer64"}\(second)}
            """)
        try file.run(["--mapping", mapping]).expectRefusal(
            saying: "“Book.title” two columns, “title” and “other”")
        #expect(try file.rows("Book", ["id", "title", "year"]) == [[1, "One", 1901]])
    }

    @Test func `a new column is reported and ignored`() throws {
        let file = try LibraryImportFile(Self.csv)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try file.write("shelf,year,id,title\nA,1901,1,One\nB,1902,2,Two\n")
        let run = try file.run()
        #expect(run.status == 0 && run.errors.contains("no property for “shelf”: ignored"), "\(run)")
        #expect(try file.rows("Book", ["id", "title", "year"]) == [[1, "One", 1901], [2, "Two", 1902]])
    }

    @Test func `an entity with a name like one of the store is reported`() throws {
        let file = try LibraryImportFile(Self.csv)
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        let run = try file.run(["--entity", "Bok"])
        #expect(
            run.status == 0 && run.errors.contains("“Bok” becomes a new entity of the store, beside “Book”"))
    }

    @Test func `a file of too many bytes or records is refused, and with --atomic nothing of it is imported`()
        throws
    {
        let file = try LibraryImportFile("id,title\n1,One\n2,Two\n3,Three\n")
        try file.run(["--max-file-size", "10"]).expectRefusal(saying: "book.csv: ", "more than 10 bytes")
        #expect(!file.storeExists)
        try file.run(["--max-rows", "2", "--atomic"]).expectRefusal(
            saying: "book.csv:4: ", "more than 2 records")
        #expect(!file.storeExists)
        // Without `--atomic` the records up to the limit stay, regardless of the size of a batch.
        let run = try file.run(["--max-rows", "2"])
        #expect(run.status == 2 && run.output.hasPrefix("2 inserted"), "\(run)")
        #expect(try file.rows("Book", ["title"]) == [[.text("One")], [.text("Two")]])
        #expect(try file.counts(["--max-rows", "3", "--max-file-size", "100"]).inserted == 1)
    }

    @Test func `bad records count toward --max-rows`() throws {
        let file = try LibraryImportFile("a,b\n1\n2\n3,c\n4\n5,x\n6,y\n")
        let run = try file.run(["--max-rows", "4"])
        #expect(
            run.status == 2 && run.output.hasPrefix("1 inserted, 0 updated, 0 unchanged, 3 skipped"), "\(run)"
        )
        #expect(run.errors.contains("book.csv:6: the file has more than 4 records"), "\(run)")
        #expect(try file.counts(["--max-rows", "6"], status: 1).skipped == 3)
    }
}
