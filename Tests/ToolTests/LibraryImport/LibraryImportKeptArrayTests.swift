import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Array elements that other objects use or that were changed, which neither an import nor an undo deletes.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct LibraryImportKeptArrayTests {
    private static let options = ["--key", "id", "--arrays", "related"]

    /// Each book as one text with its tags, parts and their notes.
    private func books(_ file: LibraryImportFile) throws -> [Int: String] {
        let output = try ForeignWriter.run(
            """
            SELECT b.id, b.title,
                (SELECT group_concat(name) FROM (SELECT name FROM Tags WHERE book = b.objectID ORDER BY position)),
                (SELECT group_concat(name || coalesce('(' || (SELECT group_concat(text) FROM Notes
                    WHERE parts = p.objectID) || ')', '')) FROM (SELECT * FROM Parts ORDER BY position) p
                    WHERE p.book = b.objectID) FROM Book b ORDER BY b.id
            """, on: file.storePath)
        let lines = output.split(separator: "\n").compactMap { line in
            Int(line.prefix { $0 != "|" }).map { ($0, String(line)) }
        }
        return Dictionary(uniqueKeysWithValues: lines)
    }

    private func content(_ keys: Range<Int>, _ random: inout SeededGenerator) -> String {
        keys.map { key in
            func list(_ element: (Int) -> String) -> String {
                "[\((0..<Int.random(in: 1...3, using: &random)).map(element).joined(separator: ", "))]"
            }
            let version = Int.random(in: 0..<3, using: &random)
            let tags = list { "\"t\($0) \(version)\"" }
            let parts = list { number in
                "{\"name\": \"p\(number) \(version)\", \"notes\": \(list { "{\"text\": \"n\($0) \(version)\"}" })}"
            }
            return
                "{\"id\": \(key), \"title\": \"T\(version)\", \"tags\": \(tags), \"parts\": \(parts)}\n"
        }.joined()
    }

    @Test func `an undo that keeps changed rows keeps each changed record whole, and undoes the others`()
        throws
    {
        let seed = SeededGenerator.newSeed()
        var random = SeededGenerator(seed: seed)
        for round in 0..<6 {
            let file = try LibraryImportFile("book.jsonl", content(0..<12, &random))
            #expect(try file.run(Self.options).status == 0)
            let before = try books(file)
            try file.write(content(6..<18, &random))
            #expect(try file.run().status == 0)
            let imported = try books(file)
            let written = imported.filter { $0.value != before[$0.key] }.map(\.key).sorted()
            var changed: Set<Int> = []
            for (table, column, path) in [
                ("Book", "title", "objectID"), ("Tags", "name", "book"), ("Parts", "name", "book"),
                ("Notes", "text", "(SELECT book FROM Parts WHERE objectID = parts)"),
            ] {
                let id = try #require(written.randomElement(using: &random))
                // Of a record that is written, an import may leave some elements as they are.
                let isNew = before[id] == nil
                guard isNew else { continue }
                changed.insert(id)
                try ForeignWriter.run(
                    "UPDATE \(table) SET \(column) = 'changed' WHERE objectID = (SELECT max(objectID) FROM \(table) WHERE \(path) = (SELECT objectID FROM Book WHERE id = \(id)))",
                    on: file.storePath)
            }
            let edited = try books(file)
            let run = try ToolProcess.run("library-import", ["undo", file.storePath, "2", "--keep-changed"])
            #expect(run.status == 0, "seed \(seed), round \(round): \(run)")
            let expected = before.filter { !changed.contains($0.key) }
                .merging(edited.filter { changed.contains($0.key) }) { $1 }
            #expect(try books(file) == expected, "seed \(seed), round \(round): \(run)")
            #expect(run.output.contains("kept with them") == !changed.isEmpty, "seed \(seed): \(run)")
        }
    }

    @Test func `a changed element keeps its record as the import wrote it, and so does a changed record`()
        throws
    {
        for change in [
            "UPDATE Tags SET name = 'changed' WHERE name = 'y'",
            "UPDATE Book SET title = 'changed' WHERE id = 0",
        ] {
            let file = try LibraryImportFile(
                "book.jsonl",
                """
                {"id": 0, "title": "T", "tags": ["a", "b", "c"]}
                {"id": 1, "title": "T", "tags": ["a", "b", "c"]}

                """)
            #expect(try file.run(Self.options).status == 0)
            try file.write(
                """
                {"id": 0, "title": "U", "tags": ["x", "y"]}
                {"id": 1, "title": "U", "tags": ["v"]}

                """)
            #expect(try file.run().status == 0)
            try ForeignWriter.run(change, on: file.storePath)
            let shown = """
                SELECT b.id, b.title, t.name FROM Tags t JOIN Book b ON b.objectID = t.book ORDER BY b.id, position
                """
            let kept = try ForeignWriter.run(shown, on: file.storePath).split(separator: "\n")
            let run = try ToolProcess.run(
                "library-import", ["undo", file.storePath, "2", "--keep-changed", "--json"])
            #expect(try run.jsonObject()["changed"] as? Int == 1, "\(run)")
            #expect(
                try ForeignWriter.run(shown, on: file.storePath).split(separator: "\n")
                    == kept.filter { $0.hasPrefix("0|") } + ["1|T|a", "1|T|b", "1|T|c"], "\(change): \(run)")
        }
    }

    @Test func `an element that another object uses stays, and its record is rejected`() throws {
        let file = try LibraryImportFile(
            "book.jsonl", "{\"id\": 0, \"title\": \"T\", \"tags\": [\"a\", \"b\"]}\n")
        #expect(try file.run(Self.options).status == 0)
        let fan = EntityDescription(
            name: "Fan", attributes: [AttributeDescription(name: "name", type: .string)],
            relationships: [.toOne("favourite", to: "Tags", isOptional: false)])
        let model = try ManagedObjectModel(entities: file.openStore().model.entities + [fan])
        let context = try PersistentContainer(url: file.directory.file("library.store"), model: model)
            .newContext()
        let tag = try context.fetch(
            FetchRequest<ManagedObject>(
                entityName: "Tags", predicate: nil, sortDescriptors: [.descending("position")]))[0]
        let object = try context.insert(entityNamed: "Fan")
        try object.setValue("Ann", forProperty: "name")
        try object.setRelatedObject(tag, forRelationship: "favourite")
        try context.save()
        let content =
            "{\"id\": 0, \"title\": \"U\", \"tags\": [\"c\"]}\n{\"id\": 1, \"title\": \"T\", \"tags\": [\"d\"]}\n"
        try file.write(content)
        let shown = "SELECT title, name FROM Tags t JOIN Book b ON b.objectID = t.book ORDER BY id, position"
        for options in [["--dry-run"], [], ["--batch", "1"]] {
            let run = try file.run(options)
            #expect(run.status == 1 && run.errors.contains("“Fan.favourite” uses it"), "\(run)")
        }
        #expect(try ForeignWriter.run(shown, on: file.storePath) == "T|a\nT|b\nT|d\n")
        try ForeignWriter.run("DELETE FROM Fan", on: file.storePath)
        let dry = try file.run(["--dry-run"])
        #expect(dry.output.contains("tags (inserted 0, updated 1, deleted 1)"), "\(dry)")
        #expect(try file.counts().updated == 1)
        #expect(try ForeignWriter.run(shown, on: file.storePath) == "U|c\nT|d\n")
    }

    @Test func `a row to which a table outside the model refers is named, and stays`() throws {
        let file = try LibraryImportFile("book.csv", "id,title\n2,B\n3,C\n")
        try ForeignWriter.run(
            """
            CREATE TABLE book(objectID INTEGER PRIMARY KEY, id INTEGER UNIQUE, title TEXT);
            INSERT INTO book VALUES (1, 1, 'A');
            CREATE TABLE loan(code TEXT PRIMARY KEY, book INTEGER NOT NULL REFERENCES book) WITHOUT ROWID
            """, on: file.storePath)
        let adopted = try ToolProcess.run("library-import", ["adopt", file.storePath, "--tracked"])
        #expect(adopted.status == 0, "\(adopted)")
        // The entity has the name of the table, whose index makes the look-ups.
        #expect(try file.counts(["--key", "id"]).inserted == 2)
        try ForeignWriter.run("INSERT INTO loan VALUES ('x', 3)", on: file.storePath)
        func undo(_ options: String...) throws -> ToolRun {
            try ToolProcess.run("library-import", ["undo", file.storePath, "1"] + options)
        }
        let refused = try undo()
        #expect(refused.status == 2 && refused.errors.contains("is used by loan.book"), "\(refused)")
        try undo("--force").expectRefusal(saying: "A row of “loan.book”, which the model does not have")
        let kept = try undo("--keep-changed")
        #expect(kept.output.contains("1 deleted") && kept.output.contains("1 changed since"), "\(kept)")
        #expect(try ForeignWriter.run("SELECT id FROM book", on: file.storePath) == "1\n3\n")
    }
}
