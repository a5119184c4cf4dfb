import SectionedFetch
import Testing

/// Imports of a second JSON file whose records all lack a member for a property of the store's entity.
@Suite struct LibraryImportAbsentMemberTests {
    private static let first = """
        {"id": 1, "title": "One", "year": 1901, "author": "Ann"}
        {"id": 2, "title": "Two", "author": "Bob"}
        """
    private static let second = """
        {"id": 1, "title": "Un"}
        {"id": 3, "title": "Trois"}
        """

    private static let mapping = """
        {"entity": "Book", "key": "id", "attributes": [
          {"name": "id", "type": "integer64"}, {"name": "title", "type": "string"},
          {"name": "year", "type": "integer64"}],
         "relationships": [{"name": "author", "entity": "Author"}]}
        """

    @Test(arguments: [second, "[\(second.split(separator: "\n").joined(separator: ","))]"], [false, true])
    func `an optional member that no record has gives nil values`(content: String, isMapped: Bool) throws {
        let file = try LibraryImportFile("book.json", Self.first)
        let options =
            isMapped ? ["--mapping", try file.mapping(Self.mapping)] : ["--relationship", "author=Author"]
        #expect(try file.counts(options) == LibraryImportCounts(inserted: 2, createdRelated: 2))
        try file.write(content)
        let run = try file.run(isMapped ? options : [])
        #expect(run.status == 0 && run.output.hasPrefix("1 inserted, 1 updated"), "\(run)")
        #expect(run.errors.contains("No record of the file has a value for “year”, “author”"), "\(run)")
        let rows = try file.rows("Book", ["id", "title", "year", "author"])
        #expect(
            rows == [[1, "Un", .null, .null], [2, "Two", .null, 2], [3, "Trois", .null, .null]])
    }

    @Test func `a required member that no record has is an error`() throws {
        let file = try LibraryImportFile("book.json", Self.first)
        let mapping = try file.mapping(
            Self.mapping.replacing("\"title\", ", with: "\"title\", \"optional\": false, "))
        #expect(try file.counts(["--mapping", mapping]).inserted == 2)
        try file.write("{\"id\": 1, \"year\": 1902, \"author\": \"Ann\"}\n")
        try file.run().expectRefusal(saying: "No column of the file maps to “Book.title”")
        try file.run(["--mapping", mapping]).expectRefusal(saying: "The file has no column “title”")
        #expect(try file.rows("Book", ["year"]) == [[1901], [.null]])
    }

    @Test func `a member that the mapping spells differently is an error`() throws {
        let file = try LibraryImportFile("book.json", Self.first)
        let mapping = try file.mapping(Self.mapping)
        #expect(try file.counts(["--mapping", mapping]).inserted == 2)
        try file.write("{\"id\": 1, \"title\": \"One\", \"yaer\": 1902}\n")
        try file.run(["--mapping", mapping]).expectRefusal(saying: "Did you mean “yaer”?")
    }

    @Test func `a missing column of a CSV file is an error`() throws {
        let file = try LibraryImportFile("id,title,year\n1,One,1901\n")
        #expect(try file.counts() == LibraryImportCounts(inserted: 1))
        try file.write("id,title\n1,Un\n")
        try file.run().expectRefusal(saying: "No column of the file maps to “Book.year”")
    }

    @Test
    func `the message for a relationship whose name is not that of its column names the option`()
        throws
    {
        let file = try LibraryImportFile("id,lang\n1,German\n")
        let option = ["--relationship", "written:lang=Language"]
        #expect(try file.counts(option) == LibraryImportCounts(inserted: 1, createdRelated: 1))
        let run = try file.run()
        #expect(run.status == 2 && run.errors.contains("no property for “lang”: ignored"), "\(run)")
        #expect(
            run.errors.contains("Map it with --relationship \"written:COLUMN=Language.name\""), "\(run)"
        )
        #expect(try file.counts(option) == LibraryImportCounts(unchanged: 1))
    }
}
