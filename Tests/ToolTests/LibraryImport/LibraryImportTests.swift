import Foundation
import SectionedFetch
import CheckSupport
import Testing

@Suite struct LibraryImportTests {
    /// Returns a field in the format of RFC 4180, with quotes that are not necessary if `quoted`.
    private static func field(_ text: String, quoted: Bool) -> String {
        let mustQuote = text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
        return quoted || mustQuote ? "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\"" : text
    }

    @Test(arguments: [1, 2, 3], [1, 7, 10_000])
    func `every value of a random table is in the store`(seed: UInt64, batchSize: Int) throws {
        var chance = SeededGenerator(seed: seed)
        let pieces = ["a", "é", "日本", ",", "\"", "\r\n", "\n", " ", ";", "\t", "😀", "0", "x y"]
        var csv = "id,text,small,number,flag,moment\r\n"
        var expected: [[StoredValue]] = []
        for id in 0..<1_300 {
            let text = (0..<Int.random(in: 0...6, using: &chance)).map { _ in
                pieces.randomElement(using: &chance) ?? ""
            }.joined()
            let small = Bool.random(using: &chance) ? Int16.random(in: .min ... .max, using: &chance) : nil
            let number = Double.random(in: -1e6...1e6, using: &chance)
            let flag = Bool.random(using: &chance)
            // From the year 1600, since which all calendars of Foundation agree with ISO 8601.
            let day = Int.random(in: -146_000...300_000, using: &chance)
            let fields = [
                String(id), text, small.map { String($0) } ?? "", String(number), flag ? "yes" : "false",
                Self.isoDate(daysSince2001: day),
            ]
            csv += fields.map { Self.field($0, quoted: Bool.random(using: &chance)) }.joined(separator: ",")
            csv += ["\r\n", "\n"].randomElement(using: &chance) ?? "\n"
            expected.append([
                .integer(Int64(id)), .text(text), small.map { .integer(Int64($0)) } ?? .null, .real(number),
                .integer(flag ? 1 : 0), .real(Double(day) * 86_400),
            ])
        }
        let file = try LibraryImportFile("rows.csv", csv)
        let mapping = try file.mapping(
            """
            {"entity": "Row", "key": "id", "attributes": [
              {"name": "id", "type": "integer32"}, {"name": "text", "type": "string"},
              {"name": "small", "type": "integer16"}, {"name": "number", "type": "double"},
              {"name": "flag", "type": "boolean"}, {"name": "moment", "type": "date"}]}
            """)
        let counts = try file.counts(["--mapping", mapping, "--batch", String(batchSize)])
        #expect(counts == LibraryImportCounts(inserted: 1_300), "seed \(seed)")
        let rows = try file.rows("Row", ["id", "text", "small", "number", "flag", "moment"])
        #expect(rows == expected, "seed \(seed)")
    }

    /// Returns the date by Foundation's calendar, which is independent of the arithmetic of the importer.
    private static func isoDate(daysSince2001 days: Int) -> String {
        Date(timeIntervalSinceReferenceDate: Double(days) * 86_400).ISO8601Format(
            .iso8601.year().month().day())
    }

    @Test func `a second import writes only rows that are new or different`() throws {
        let file = try LibraryImportFile("id,title,year\n1,One,1901\n2,Two,1902\n3,Three,1903\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 3))
        let before = try file.state(of: "Book")
        #expect(try file.counts() == LibraryImportCounts(unchanged: 3))
        #expect(try file.state(of: "Book") == before, "equal rows must leave caches valid")

        try file.write("id,title,year\n4,Four,1904\n2,Two,1902\n1,One,2001\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1, updated: 1, unchanged: 1))
        #expect(try file.state(of: "Book") != before)
        let rows = try file.rows("Book", ["id", "title", "year"])
        #expect(
            rows == [[1, "One", 2001], [2, "Two", 1902], [3, "Three", 1903], [4, "Four", 1904]])
    }

    @Test func `a name becomes an object once, and an empty field gives no related object`() throws {
        let file = try LibraryImportFile(
            "id,Writer\n1,Ann\n2,Bob\n3,\n4,Ann\n5,ann\n")
        let relationship = ["--relationship", "author:Writer=Author.name"]
        #expect(try file.counts(relationship) == LibraryImportCounts(inserted: 5, createdRelated: 3))
        #expect(try file.rows("Author", ["name"]) == [["Ann"], ["Bob"], ["ann"]])
        #expect(try file.authors() == ["Ann", "Bob", nil, "Ann", "ann"])

        try file.write("id,Writer\n1,Cid\n6,Bob\n")
        #expect(
            try file.counts(relationship) == LibraryImportCounts(inserted: 1, updated: 1, createdRelated: 1))
        #expect(try file.authors() == ["Cid", "Bob", nil, "Ann", "ann", "Bob"])
    }

    @Test func `the relationship that an option makes is named`() throws {
        let file = try LibraryImportFile("id,Writer,Genre Name\n1,Ann,a\n2,Bob,b\n")
        let options = ["--relationship", "Writer=Author", "--relationship", "kind:Genre Name=Genre.label"]
        let run = try file.run(options)
        let notes = [
            "“Writer” became the relationship “writer” to “Author”, whose “name” has the text.",
            "“Genre Name” became the relationship “kind” to “Genre”, whose “label” has the text.",
        ]
        for note in notes { #expect(run.errors.contains("library-import: \(note)\n"), "\(run)") }
        #expect(try file.rows("Author", ["name"]) == [["Ann"], ["Bob"]])
        #expect(try file.rows("Genre", ["label"]) == [["a"], ["b"]])
        let book = try #require(try file.openStore().model.entity(named: "Book"))
        #expect(book.relationships.map(\.name) == ["writer", "kind"])
        // The store has the relationships, so another import makes none.
        #expect(try file.run(options).errors == "")
    }

    @Test func `two files become two entities of one store, which share related objects`() throws {
        let file = try LibraryImportFile("id,author\n1,Ann\n2,Bob\n")
        #expect(try file.counts(["--relationship", "author=Author"]).createdRelated == 2)
        try file.write("number,author\n1,Bob\n2,Cid\n")
        let arguments = ["--entity", "Essay", "--relationship", "author=Author"]
        #expect(try file.counts(arguments) == LibraryImportCounts(inserted: 2, createdRelated: 1))
        #expect(try file.rows("Author", ["name"]) == [["Ann"], ["Bob"], ["Cid"]])
        #expect(try file.authors("Essay") == ["Bob", "Cid"])
        // The first entity keeps its rows and its own relationship.
        #expect(try file.authors() == ["Ann", "Bob"])
    }

    @Test(
        arguments: [
            ("book.jsonl", "{\"id\": 1, \"title\": \"A, \\\"b\\\"\"}\n{\"id\": 2, \"title\": null}\n"),
            ("book.json", "[{\"id\": 1, \"title\": \"A, \\\"b\\\"\"},\n {\"id\": 2}]"),
            ("book.csv", "id;title\n1;\"A, \"\"b\"\"\"\n"),
            ("book.txt", "\u{FEFF}id\ttitle\r\n1\tA, \"b\"\r\n"),
        ])
    func `the format of the file is detected`(name: String, content: String) throws {
        let file = try LibraryImportFile(name, content)
        let counts = try file.counts()
        let rows = try file.rows("Book", ["id", "title"])
        #expect(rows.first == [1, "A, \"b\""])
        #expect(rows.count == counts.inserted)
    }

    @Test func `nested values of a record become attributes named by their paths`() throws {
        let file = try LibraryImportFile(
            "book.jsonl", "{\"id\": 1, \"by\": [{\"name\": \"Ann\"}], \"where\": {\"city\": \"Rome\"}}\n")
        #expect(try file.counts(["--number-elements"]) == LibraryImportCounts(inserted: 1))
        #expect(try file.rows("Book", ["by_0_name", "where_city"]) == [["Ann", "Rome"]])
    }

    @Test func `a generated catalogue is imported without a mapping`() throws {
        let file = try LibraryImportFile("songs.csv", "")
        let generated = try ToolProcess.run("library-import", ["generate", file.path, "--rows", "2500"])
        #expect(
            generated.status == 0 && generated.errors.contains(": 2,500 songs written to "), "\(generated)")
        let piped = try ToolProcess.run("library-import", ["generate", "/dev/stdout", "--rows", "2500"])
        #expect(piped.output == (try String(contentsOfFile: file.path, encoding: .utf8)))
        #expect(try file.counts() == LibraryImportCounts(inserted: 2_500))
        #expect(try file.counts() == LibraryImportCounts(unchanged: 2_500))
    }

    @Test func `an import without a terminal prints only the summary`() throws {
        let file = try LibraryImportFile("id,title\n1,One\n")
        let run = try file.run()
        #expect(run.status == 0 && run.errors == "", "\(run)")
        #expect(
            run.output.hasPrefix("1 inserted, 0 updated, 0 unchanged, 0 skipped, 0 related objects created; ")
        )
        #expect(run.output.hasSuffix(" rows/s\n"))
    }
}

extension LibraryImportFile {
    /// Returns the state that a cache compares to detect changes of an entity's rows.
    fileprivate func state(of entity: String) throws -> StoreState {
        guard case .stamped(let state) = try openStore().state(of: [entity]) else {
            throw ToolProcess.MissingTool(name: "a stamped store")
        }
        return state
    }

    /// Returns the name of the author of each object.
    fileprivate func authors(_ entity: String = "Book") throws -> [String?] {
        let context = try openStore().newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: entity, predicate: nil, sortDescriptors: [.ascending("objectID")])
        return try context.fetch(request).map { object in
            guard let author = try object.relatedObject("author"),
                case .text(let name) = try author.value(forProperty: "name")
            else { return nil }
            return name
        }
    }
}
