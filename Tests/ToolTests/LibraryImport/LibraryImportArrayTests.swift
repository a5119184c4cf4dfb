import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// `--arrays related`: elements of JSON arrays as objects, compared with Python's `json`.
@Suite(.enabled(if: ForeignWriter.isAvailable && Python.path != nil, ForeignWriter.reason))
struct LibraryImportArrayTests {
    private static let options = ["--key", "id", "--arrays", "related"]

    /// The rows of the tables as Python reads them from the file.
    private static let program = """
        import json, sys
        for line in open(sys.argv[1]):
            book = json.loads(line)
            print("book", book["id"], book["title"], sep="|")
            for number, part in enumerate(book.get("parts") or []):
                print("part", book["id"], number, part["name"], part.get("pages", ""), sep="|")
                for place, note in enumerate(part.get("notes") or []):
                    print("note", book["id"], number, place, note["text"], sep="|")
            for number, tag in enumerate(book.get("tags") or []):
                print("tag", book["id"], number, tag, sep="|")
        """

    private func rows(_ file: LibraryImportFile) throws -> [String] {
        let output = try ForeignWriter.run(
            """
            SELECT 'book', id, title FROM Book;
            SELECT 'part', b.id, p.position, p.name, p.pages FROM Parts p JOIN Book b ON b.objectID = p.book;
            SELECT 'note', b.id, p.position, n.position, n.text FROM Notes n JOIN Parts p ON p.objectID = n.parts
                JOIN Book b ON b.objectID = p.book;
            SELECT 'tag', b.id, t.position, t.name FROM Tags t JOIN Book b ON b.objectID = t.book
            """, on: file.storePath)
        return output.replacing("None", with: "").split(separator: "\n").map(String.init).sorted()
    }

    private func dump(_ file: LibraryImportFile) throws -> String {
        try ForeignWriter.run(
            ["Book", "Parts", "Notes", "Tags"].map { "SELECT '\($0)', * FROM \($0) ORDER BY objectID" }
                .joined(separator: ";"), on: file.storePath)
    }

    private func books(_ random: inout SeededGenerator, _ keys: ClosedRange<Int>) -> String {
        func list(_ element: (Int) -> String) -> String {
            "[\((0..<Int.random(in: 0...3, using: &random)).map(element).joined(separator: ", "))]"
        }
        return keys.shuffled(using: &random).map { key in
            let tags = list { _ in "\"t\(Int.random(in: 0..<9, using: &random)), [\\u00e9]\"" }
            let parts = list { number in
                let notes = list { "{\"text\": \"n\($0) \(Int.random(in: 0..<3, using: &random))\"}" }
                let pages = Int.random(in: 0..<3, using: &random)
                return
                    "{\"name\": \"p\(number)\", \(pages > 0 ? "\"pages\": \(pages), " : "")\"notes\": \(notes)}"
            }
            let members = ["\"tags\": \(tags)", "\"parts\": \(parts)"].filter { _ in
                Int.random(in: 0..<5, using: &random) > 0
            }
            return
                "{\"id\": \(key), \"title\": \"T\(Int.random(in: 0..<2, using: &random))\"\(members.map { ", " + $0 }.joined())}\n"
        }.joined()
    }

    /// A book that has every member, so that the store gets all entities.
    private static let first =
        "{\"id\": 0, \"title\": \"T\", \"tags\": [\"a\"], \"parts\": [{\"name\": \"p\", \"pages\": 1, \"notes\": [{\"text\": \"n\"}]}]}\n"

    @Test func `random imports by a key have the elements that Python reads, and are undone`() throws {
        let seed = SeededGenerator.newSeed()
        var random = SeededGenerator(seed: seed)
        let file = try LibraryImportFile("book.jsonl", Self.first + books(&random, 1...20))
        for number in 1...5 {
            if number > 1 { try file.write(Self.first + books(&random, 1...20)) }
            let before = number > 1 ? try dump(file) : ""
            let run = try file.run(number == 1 ? Self.options : ["--batch", "7"])
            try #require(run.status == 0, "seed \(seed): \(run)")
            let expected = try Python.lines(of: Self.program, file.path).sorted()
            #expect(try rows(file) == expected, "seed \(seed), import \(number)")
            let again = try file.counts()
            #expect(again.unchanged == 21 && again.createdRelated == 0, "seed \(seed)")
            guard number > 1, Bool.random(using: &random) else { continue }
            let history = try ToolProcess.run("library-import", ["history", file.storePath, "--json"])
            let records =
                try JSONSerialization.jsonObject(with: Data(history.output.utf8)) as? [[String: Any]]
            let last = try #require(records?.last?["number"] as? Int)
            let undo = try ToolProcess.run(
                "library-import", ["undo", file.storePath, "\(last - 1)"])
            #expect(undo.status == 0 && undo.output.contains(" 0 changed since"), "seed \(seed): \(undo)")
            #expect(try dump(file) == before, "seed \(seed), import \(number)")
        }
    }

    @Test func `a bad element rejects its record, and a dry run writes nothing`() throws {
        let file = try LibraryImportFile("book.jsonl", Self.first)
        #expect(try file.counts(Self.options).createdRelated == 3)
        let before = try dump(file)
        try file.write(
            Self.first
                + "{\"id\": 1, \"title\": \"T\", \"parts\": [{\"name\": \"p\"}, {\"name\": \"q\", \"pages\": \"x\"}]}\n"
                + "{\"id\": 2, \"title\": \"T\", \"tags\": [{\"name\": \"a\"}]}\n"
                + "{\"id\": 0, \"title\": \"U\", \"tags\": [\"a\", \"b\"]}\n")
        let dry = try file.run(["--dry-run"])
        #expect(
            dry.output.contains("0 inserted, 1 updated, 1 unchanged, 2 skipped, 1 related object"), "\(dry)")
        #expect(try dump(file) == before)
        let run = try file.run(["--partial"])
        #expect(
            run.status == 1 && run.errors.contains("“parts[1].pages”: “x” is not a valid integer64"), "\(run)"
        )
        #expect(run.errors.contains("“tags” has elements that are not values"), "\(run)")
        #expect(
            try rows(file) == [
                "book|0|U", "note|0|0|0|n", "part|0|0|p|1", "tag|0|0|a", "tag|0|1|b",
            ])
    }

    @Test(
        arguments: [
            ("\"parts\": [1, 2]", "“parts” has elements that are not objects"),
            ("\"parts\": [{\"name\": \"q\"}, 3]", "“parts” has elements that are not objects"),
            ("\"parts\": [[{\"name\": \"q\"}]]", "“parts” has elements that are not objects"),
            (
                "\"parts\": [{\"name\": \"q\", \"notes\": [5]}]",
                "“parts[0].notes” has elements that are not objects"
            ),
            ("\"tags\": [[\"a\"]]", "“tags” has elements that are not values"),
            ("\"tags\": [\"a\", {\"name\": \"b\"}]", "“tags” has elements that are not values"),
            ("\"tags\": \"a\"", "“tags” is not an array"),
        ])
    func `an array of another kind than the entity of the store rejects its record`(
        member: String, reason: String
    ) throws {
        let file = try LibraryImportFile("book.jsonl", Self.first)
        #expect(try file.counts(Self.options).createdRelated == 3)
        for isAlone in [true, false] {
            let record = "{\"id\": 1, \"title\": \"T\", \(member)}\n"
            try file.write(isAlone ? record : Self.first + record)
            let run = try file.run(["--partial"])
            #expect(run.status == 1 && run.errors.contains(reason), "\(isAlone): \(run)")
            #expect(
                try rows(file) == ["book|0|T", "note|0|0|0|n", "part|0|0|p|1", "tag|0|0|a"], "\(isAlone)")
        }
    }

    @Test func `propose prints the arrays, and import takes them from the mapping`() throws {
        let file = try LibraryImportFile("book.jsonl", Self.first)
        let proposed = try ToolProcess.run("library-import", ["propose", file.path])
        let mapping = try proposed.jsonObject()
        let arrays = try #require(mapping["arrays"] as? [[String: Any]])
        #expect(arrays.map { $0["entity"] as? String } == ["Tags", "Parts"])
        #expect(arrays.map { $0["elements"] as? String } == ["values", "objects"])
        let path = try file.mapping(proposed.output)
        #expect(try file.counts(["--mapping", path]).createdRelated == 3)
        #expect(try rows(file) == Python.lines(of: Self.program, file.path).sorted())
        // Without the mapping and the option, arrays of a new entity are texts.
        let text = try file.run(["--entity", "Other"])
        #expect(text.errors.contains("Arrays are imported as JSON text") || text.status == 0, "\(text)")
        let plain = try ToolProcess.run("library-import", ["propose", file.path, "--arrays", "text"])
        #expect(try plain.jsonObject()["arrays"] == nil)
        let bad = try file.mapping(proposed.output.replacing("\"inverse\"", with: "\"invers\""))
        try file.run(["--mapping", bad]).expectRefusal(saying: "unknown key “invers” in arrays")
    }
}
