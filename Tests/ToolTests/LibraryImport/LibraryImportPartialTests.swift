import Foundation
import SectionedFetch
import Testing

/// `--partial`: files without some columns, which leave the values of existing rows as they are.
@Suite struct LibraryImportPartialTests {
    private static let first = "id,title,year,author\n1,One,1901,Ann\n2,Two,1902,Bob\n"
    private static let relationship = ["--relationship", "author=Author"]
    private static let columns = ["id", "title", "year", "author"]

    private func store() throws -> LibraryImportFile {
        let file = try LibraryImportFile(Self.first)
        let counts = try file.counts(Self.relationship)
        #expect(counts == LibraryImportCounts(inserted: 2, createdRelated: 2))
        return file
    }

    @Test func `a column that a CSV file lacks is kept in existing rows and empty in new ones`() throws {
        let file = try store()
        try file.write("id,year\n2,1950\n3,1951\n1,1901\n")
        try file.run().expectRefusal(saying: "or pass --partial")
        let run = try file.run(["--partial"])
        #expect(run.output.hasPrefix("1 inserted, 1 updated, 1 unchanged"), "\(run)")
        #expect(run.errors.contains("Existing rows keep their values of “title”, “author”."), "\(run)")
        #expect(
            try file.rows("Book", Self.columns) == [
                [1, "One", 1901, 1], [2, "Two", 1950, 2], [3, .null, 1951, .null],
            ])
        #expect(try file.counts(["--partial"]) == LibraryImportCounts(unchanged: 3))
    }

    @Test(arguments: [false, true])
    func `a member that one JSON record lacks is kept, and null removes the value`(isArray: Bool) throws {
        let file = try store()
        let lines = [
            "{\"id\": 1, \"title\": null}", "{\"id\": 2, \"year\": 1950, \"author\": null}",
            "{\"id\": 3, \"title\": \"Three\", \"author\": \"Cyd\"}", "{\"id\": 3, \"year\": 1953}",
        ]
        try file.write(
            isArray ? "[\(lines.joined(separator: ",\n"))]" : lines.joined(separator: "\n") + "\n")
        let counts = try file.counts(["--partial"] + Self.relationship)
        #expect(counts == LibraryImportCounts(inserted: 1, updated: 3, createdRelated: 1))
        #expect(
            try file.rows("Book", Self.columns) == [
                [1, .null, 1901, 1], [2, "Two", 1950, .null], [3, "Three", 1953, 3],
            ])
    }

    @Test func `a new row without a required value is a bad row, and an existing one is not`() throws {
        let file = try LibraryImportFile("id,title,year\n1,One,1901\n")
        let mapping = try file.mapping(
            """
            {"entity": "Book", "key": "id",
             "attributes": [{"name": "id", "type": "integer64"}, {"name": "year", "type": "integer64"},
                            {"name": "title", "type": "string", "optional": false}]}
            """)
        #expect(try file.counts(["--mapping", mapping]).inserted == 1)
        try file.write("id,year\n1,1950\n2,1951\n")
        let run = try file.run(["--partial"])
        #expect(run.status == 1 && run.output.hasPrefix("0 inserted, 1 updated, 0 unchanged, 1 skipped"))
        #expect(run.errors.contains(":3: “Book.title” must have a value"), "\(run)")
        #expect(try file.rows("Book", ["id", "title", "year"]) == [[1, "One", 1950]])
    }

    @Test func `partial rows need a key`() throws {
        let file = try store()
        try file.write("title\nX\n")
        try file.run(["--partial"]).expectRefusal(saying: "Pass --key")
        #expect(try file.rows("Book", ["title"]) == [["One"], ["Two"]])
    }
}
