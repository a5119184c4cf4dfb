import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Imports whose rows are recorded, and that are undone: the tables as the `sqlite3` shell sees them.
@Suite struct ImportUndoTests {
    private let library: Library
    private var path: String { library.directory.file("library.sqlite").path }

    init() throws { library = try Library() }

    /// The tables with large values in place of their numbers.
    private func dump() throws -> String {
        try Library.output(
            of: """
                SELECT 'Author', * FROM Author ORDER BY objectID;
                SELECT 'Work', objectID, title, year, pages, key, rating, weight, isRead, added, hex(uuid), genre, author,
                    typeof(added), typeof(rating), typeof(weight), CASE typeof(cover) WHEN 'integer'
                    THEN (SELECT hex(data) FROM sc_data WHERE id = cover) ELSE hex(cover) END FROM Work ORDER BY objectID;
                """, path: path)
    }

    /// Imports rows of works, each with the name of an author or nil, by their keys.
    @discardableResult
    private func importWorks(
        _ rows: [[String: StoredValue]], number: Int64 = 0, isComplete: Bool = true,
        limit: Int = BatchWriter.undoDataLimit
    ) throws -> Int64 {
        try importRows(
            rows, of: "Work", key: "key", related: ("author", "Author", "name"), in: library.container,
            number: number, isComplete: isComplete, limit: limit)
    }

    private func randomWork(_ key: Int64, _ random: inout SeededGenerator) -> [String: StoredValue] {
        func some(_ value: StoredValue) -> StoredValue { Bool.random(using: &random) ? value : .null }
        return [
            "title": .text(["", "é", "Title", "A longer title of a work"].randomElement(using: &random)!),
            "year": some(.integer(.random(in: -2_000...2_000, using: &random))),
            "pages": .integer(.random(in: 0...1, using: &random)), "key": .integer(key),
            "rating": some(.real([0, -0.0, 1, 2.5, 1e300].randomElement(using: &random)!)),
            "weight": .real([0, 3, 0.25].randomElement(using: &random)!),
            "isRead": .integer(.random(in: 0...1, using: &random)),
            "added": some(.real([0, 86_400, 0.5].randomElement(using: &random)!)),
            "cover": some(.blob(Array(Data.cover(&random)))),
            "uuid": some(.blob(random.bytes(16))),
            "genre": .text(["novel", "poetry", "drama"].randomElement(using: &random)!),
            "author": some(.text("Author \(Int.random(in: 0..<5, using: &random))")),
        ]
    }

    @Test func `imports are undone in the opposite order, whatever they inserted and updated`() throws {
        let seed = SeededGenerator.newSeed()
        var random = SeededGenerator(seed: seed)
        var states: [(number: Int64, before: String)] = []
        for _ in 0..<24 {
            if states.isEmpty || Int.random(in: 0..<3, using: &random) > 0 {
                let before = try dump()
                var number: Int64 = 0
                let parts = Int.random(in: 1...3, using: &random)
                for part in 1...parts {
                    let rows = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                        randomWork(.random(in: 0..<30, using: &random), &random)
                    }
                    number = try importWorks(rows, number: number, isComplete: part == parts)
                }
                states.append((number, before))
            } else {
                let (number, before) = states.removeLast()
                let result = try library.container.undoImport(number, changedRows: .refuse)
                #expect(result.isUndone && result.changed == 0, "seed \(seed): \(result.examples)")
                #expect(try dump() == before, "seed \(seed)")
                #expect(try library.keepsCoversOnce(), "seed \(seed)")
            }
        }
        for (number, before) in states.reversed() {
            #expect(try library.container.undoImport(number, changedRows: .refuse).isUndone, "seed \(seed)")
            #expect(try dump() == before, "seed \(seed)")
        }
        #expect(
            try Library.output(of: "SELECT count(*) FROM sc_import_undo", path: path)
                == "0\n")
    }

    @Test func `rows that were changed since are named, and are undone or kept as requested`() throws {
        try importWorks([
            ["key": 1, "title": "One", "pages": 1], ["key": 2, "title": "Two", "pages": 2],
        ])
        let before = try dump()
        let second = try importWorks([
            ["key": 2, "title": "Deux", "pages": 2], ["key": 3, "title": "Trois", "author": "Cyd"],
            ["key": 4, "title": "Quatre", "author": "Dee"], ["key": 5, "title": "Cinq", "author": "Cyd"],
        ])
        try library.runElsewhere(
            "UPDATE Work SET pages = 22 WHERE key = 2; UPDATE Work SET title = 'Three' WHERE key = 3; DELETE FROM Work WHERE key = 5"
        )
        let changed = try dump()
        for isDryRun in [false, true] {
            let refused = try library.container.undoImport(second, changedRows: .refuse, isDryRun: isDryRun)
            #expect(!refused.isUndone && refused.changed == 2 && refused.absent == 1)
            #expect(refused.examples.map(\.change) == [.values, .values])
            #expect(refused.examples.map(\.key) == [2, 3])
            let title = refused.examples[0].fields.first { $0.name == "title" }
            #expect(title?.present == "Deux" && title?.earlier == "Two")
            #expect(try dump() == changed)
        }
        let kept = try library.container.undoImport(second, changedRows: .keep)
        #expect(kept.isUndone && kept.deleted == 1 && kept.restored == 0)
        #expect(kept.deletedRelated == 1 && kept.usedRelated == 1)
        #expect(
            try Library.lines(of: "SELECT key, title, pages, author FROM Work ORDER BY 1", path: path)
                == ["1|One|1|", "2|Deux|22|", "3|Three|0|1"])
        #expect(throws: ObjectStorageError.self) {
            try library.container.undoImport(second, changedRows: .undo)
        }
        try library.runElsewhere("DELETE FROM Work WHERE key > 1")
        try library.runElsewhere(
            "INSERT INTO Work (key, title, pages, weight, isRead, genre) VALUES (2, 'Two', 2, 0.0, 0, 'novel')"
        )
        let third = try importWorks([["key": 2, "title": "Deux", "pages": 2], ["key": 6, "title": "Six"]])
        try library.runElsewhere(
            "UPDATE Work SET pages = 22 WHERE key = 2; UPDATE Work SET pages = 66 WHERE key = 6")
        let forced = try library.container.undoImport(third, changedRows: .undo)
        #expect(forced.isUndone && forced.changed == 2 && forced.deleted == 1 && forced.restored == 1)
        // The column that the import did not change keeps its later value.
        #expect(
            try Library.lines(of: "SELECT key, title, pages FROM Work ORDER BY 1", path: path)
                == ["1|One|1", "2|Two|22"])
        _ = before
    }

    @Test func `an object that others use stays, and a row that others use is named`() throws {
        let first = try importWorks([["key": 1, "title": "One", "author": "Ann"]])
        try importWorks([["key": 2, "title": "Two", "author": "Ann"]])
        let result = try library.container.undoImport(first, changedRows: .refuse)
        #expect(result.isUndone && result.deleted == 1 && result.usedRelated == 1)
        // Authors as rows of a file, to which works refer.
        let authors = try importRows(
            [["name": "Bob"], ["name": "Cyd"]], of: "Author", key: nil, related: nil, in: library.container)
        try importWorks([["key": 3, "title": "Three", "author": "Bob"]])
        let refused = try library.container.undoImport(authors, changedRows: .refuse)
        #expect(!refused.isUndone && refused.examples.map(\.change) == [.used(by: "Work.author")])
        #expect(try library.container.undoImport(authors, changedRows: .undo).deleted == 2)
        #expect(
            try Library.lines(of: "SELECT title, author FROM Work", path: path) == ["Two|1", "Three|"])
    }

    @Test func `undo data of the oldest imports are dropped, and those beyond the limit are not kept`() throws
    {
        func rows(_ keys: Range<Int64>) -> [[String: StoredValue]] {
            keys.map { ["key": .integer($0), "title": .text("Work \($0)")] }
        }
        let limit = 1_000
        let first = try importWorks(rows(0..<100), limit: limit)
        let second = try importWorks(rows(100..<250), limit: limit)
        let third = try importWorks(rows(250..<400), limit: limit)
        let fourth = try importWorks(rows(400..<700), limit: limit)
        let records = try library.container.importRecords()
        #expect(records.map(\.number) == [first, second, third, fourth])
        #expect(records.map(\.undoData) == [.dropped, .dropped, .kept(bytes: 605), .tooLarge])
        #expect(
            try Library.output(of: "SELECT DISTINCT number FROM sc_import_undo", path: path) == "\(third)\n")
        let fifth = try importWorks(rows(700..<800), limit: limit)
        #expect(try library.container.importRecords()[2].undoData == .dropped)
        guard case .kept(let bytes) = try library.container.importRecords().last?.undoData else {
            Issue.record("The last import has no data.")
            return
        }
        #expect(bytes > 400 && bytes < 420)
        #expect(try library.container.undoImport(fifth, changedRows: .refuse).deleted == 100)
        let none = try importWorks(rows(700..<800), limit: 0)
        #expect(try library.container.importRecords().last?.undoData == ImportRecord.UndoData.none)
        #expect(throws: ObjectStorageError.self) {
            try library.container.undoImport(none, changedRows: .undo)
        }
        #expect(try Library.output(of: "SELECT count(*) FROM sc_import_undo", path: path) == "0\n")
    }

    @Test func `a deleted row whose unique value another row has is named, and does not come back`() throws {
        try importWorks([["key": 1, "title": "One"], ["key": 2, "title": "Two"]])
        let number = try library.container.write { writer -> Int64 in
            var record = ImportRecord(
                date: Date(), fileName: "file", digest: nil, entityName: "Work", options: "",
                counts: ImportCounts())
            record.number = try writer.beginImport(record, source: nil, limit: BatchWriter.undoDataLimit)
            let table = try writer.table("Work")
            try writer.recordRows(of: table, asRelated: false)
            let column = try #require(table.columns.firstIndex(of: "key"))
            for key in [1, 2] as [Int64] {
                let row = try #require(try table.row(whereColumn: column, is: .integer(key)))
                try table.delete(row.primaryKey, row.values)
            }
            try writer.endPart(of: record, isComplete: true)
            return record.number
        }
        try library.runElsewhere(
            "CREATE UNIQUE INDEX one ON Work (key); INSERT INTO Work (objectID, key, title, weight, isRead, genre) VALUES (9, 2, 'Other', 0.0, 0, 'novel')"
        )
        let refused = try library.container.undoImport(number, changedRows: .refuse)
        #expect(!refused.isUndone && refused.changed == 1, "\(refused.examples)")
        let error = try #require(throws: ObjectStorageError.self) {
            try library.container.undoImport(number, changedRows: .undo)
        }
        #expect(
            error.message.contains("Work.key") && error.message.contains("Nothing was undone"), "\(error)")
        #expect(try library.container.undoImport(number, changedRows: .keep).restored == 1)
        #expect(
            try Library.lines(of: "SELECT key, title FROM Work ORDER BY key", path: path) == [
                "1|One", "2|Other",
            ])
    }

    @Test func `damaged undo data are refused`() throws {
        let number = try importWorks([
            ["key": 1, "title": "One", "author": "Ann"], ["key": 1, "title": "Un", "author": "Ann"],
        ])
        let whole = try dump()
        let lines = try Library.lines(
            of: "SELECT part, length(data) FROM sc_import_undo ORDER BY part", path: path)
        for line in lines {
            let numbers = line.split(separator: "|").compactMap { Int($0) }
            try library.runElsewhere(
                "CREATE TABLE kept AS SELECT * FROM sc_import_undo; UPDATE sc_import_undo SET data = substr(data, 1, \(numbers[1] - 1)) WHERE part = \(numbers[0])"
            )
            #expect(throws: ObjectStorageError.self) {
                try library.container.undoImport(number, changedRows: .undo)
            }
            #expect(try dump() == whole)
            try library.runElsewhere(
                "DELETE FROM sc_import_undo; INSERT INTO sc_import_undo SELECT * FROM kept; DROP TABLE kept")
        }
        #expect(lines.count == 3)
        #expect(try library.container.undoImport(number, changedRows: .refuse).isUndone)
    }

    @Test(arguments: [StoreOptions.ExistingTables.tracked, .untracked])
    func `rows of an external table are compared in the form in which a trigger leaves them`(
        way: StoreOptions.ExistingTables
    ) throws {
        let shop = try Chinook()
        try shop.sqlite(
            "CREATE TRIGGER loud AFTER INSERT ON albums BEGIN UPDATE albums SET Title = upper(Title) WHERE AlbumId = new.AlbumId; END"
        )
        let tables = "SELECT * FROM artists; SELECT * FROM albums; SELECT * FROM tracks"
        let before = try shop.sqlite(tables)
        let container = try shop.open(way)
        let rows: [[String: StoredValue]] = [
            ["title": "New", "price": "10", "rating": 3.0, "artist": "Nina"],
            ["title": "Breaker", "price": "7", "released": 0.0, "artist": "Accept"],
        ]
        let number = try importRows(
            rows, of: "Album", key: "title", related: ("artist", "Artist", "name"), in: container)
        #expect(try shop.sqlite("SELECT Title FROM albums WHERE AlbumId = 4") == "NEW")
        let result = try container.undoImport(number, changedRows: .refuse)
        #expect(result.isUndone && result.deleted == 1 && result.restored == 1, "\(result.examples)")
        #expect(result.deletedRelated == 1)
        #expect(try shop.sqlite(tables) == before)
    }
}

/// Imports rows by a key, as the import of a file does, in one transaction.
///
/// - Parameter related: A relationship, its entity, and the attribute by which its objects are looked up.
@discardableResult
private func importRows(
    _ rows: [[String: StoredValue]], of entity: String, key: String?,
    related: (relationship: String, entity: String, attribute: String)?,
    in container: PersistentContainer, number: Int64 = 0, isComplete: Bool = true,
    limit: Int = BatchWriter.undoDataLimit
) throws -> Int64 {
    try container.write { writer in
        var record = ImportRecord(
            number: number, date: Date(), fileName: "file", digest: nil, entityName: entity, options: "",
            counts: ImportCounts())
        record.number = try writer.beginImport(record, source: nil, limit: limit)
        let table = try writer.table(entity)
        try writer.recordRows(of: table, asRelated: false)
        let others = try related.map { try writer.table($0.entity) }
        if let others { try writer.recordRows(of: others, asRelated: true) }
        for row in rows {
            var values = table.columns.enumerated().map { position, name in
                let attributes = table.entity.storedAttributes
                return row[name] ?? (position < attributes.count ? attributes[position].defaultValue : .null)
            }
            if let related, let others, case .text(let name)? = row[related.relationship],
                let column = table.columns.firstIndex(of: related.relationship),
                let attribute = others.columns.firstIndex(of: related.attribute)
            {
                var key = try others.primaryKey(whereColumn: attribute, is: .text(name))
                if key == nil {
                    var other = others.entity.storedAttributes.map(\.defaultValue)
                    other[attribute] = .text(name)
                    key = try others.insert(other)
                }
                values[column] = key.map { .integer($0) } ?? .null
            }
            if let key, let column = table.columns.firstIndex(of: key) {
                _ = try table.upsert(values, keyColumn: column)
            } else {
                _ = try table.insert(values)
            }
        }
        try writer.endPart(of: record, isComplete: isComplete)
        return record.number
    }
}
