import Foundation
import SectionedFetch
import Testing

/// `library-import --from`, on databases of other programs and on stores of the library.
@Suite(.enabled(if: ForeignWriter.isAvailable, ForeignWriter.reason))
struct StoreMoveTests {
    private let directory: ScratchDirectory
    private var source: String { directory.path("any.sqlite") }
    private var new: String { directory.path("new.store") }

    init() throws { directory = try ScratchDirectory() }

    private func move(_ arguments: String...) throws -> ToolRun {
        try ToolProcess.run("library-import", ["--from", source, new] + arguments)
    }

    private func make(_ sql: String) throws { try ForeignWriter.run(sql, on: source) }

    private static let library = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, boss INTEGER REFERENCES person (id));
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author INTEGER REFERENCES person (id), price REAL);
        CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, label TEXT);
        CREATE TABLE book_tag (book INTEGER NOT NULL REFERENCES book (id), tag INTEGER NOT NULL REFERENCES tag (id), PRIMARY KEY (book, tag));
        CREATE VIEW titles AS SELECT title FROM book;
        INSERT INTO person VALUES (-3, 'Ann', NULL), (5, 'Bob', -3), (9, 'Cem', 5);
        INSERT INTO book VALUES (1, 'One', -3, 1.5), (2, 'Two', 5, 0.1), (7, NULL, NULL, NULL);
        INSERT INTO tag VALUES (1, 'a', 'x'), (2, 'b', 'y');
        INSERT INTO book_tag VALUES (1, 1), (1, 2), (7, 2)
        """

    @Test(.enabled(if: PublishedDatabase.chinook != nil, PublishedDatabase.reason))
    func `every row of Chinook is moved, compared with SQL`() throws {
        let chinook = try #require(PublishedDatabase.chinook)
        try FileManager.default.copyItem(atPath: chinook.path, toPath: source)
        let before = try ScratchDirectory.contents(of: directory.url)
        let report = try move("--json").jsonObject()
        #expect(report["isComplete"] as? Bool == true && report["numberOfLosses"] as? Int == 0)
        let after = try ScratchDirectory.contents(of: directory.url)
        #expect(after.filter { before.keys.contains($0.key) } == before)
        let pairs = [
            ("SELECT count(*) FROM Album", "SELECT count(*) FROM Album"),
            (
                "SELECT TrackId, Name, AlbumId, MediaTypeId, GenreId, Composer, Milliseconds, Bytes, UnitPrice FROM Track ORDER BY 1",
                "SELECT objectID, Name, Album, MediaType, Genre, Composer, Milliseconds, Bytes, UnitPrice FROM Track ORDER BY 1"
            ),
            (
                "SELECT PlaylistId, TrackId FROM PlaylistTrack ORDER BY 1, 2",
                "SELECT source, target FROM `Playlist.Track` ORDER BY 1, 2"
            ),
            (
                "SELECT InvoiceLineId, InvoiceId, TrackId, UnitPrice, Quantity FROM InvoiceLine ORDER BY 1",
                "SELECT objectID, Invoice, Track, UnitPrice, Quantity FROM InvoiceLine ORDER BY 1"
            ),
            (
                "SELECT InvoiceId, CustomerId, datetime(InvoiceDate), BillingCity, Total FROM Invoice ORDER BY 1",
                "SELECT objectID, Customer, datetime(InvoiceDate + 978307200, 'unixepoch'), BillingCity, Total FROM Invoice ORDER BY 1"
            ),
            (
                "SELECT EmployeeId, LastName, ReportsTo, datetime(BirthDate) FROM Employee ORDER BY 1",
                "SELECT objectID, LastName, ReportsTo, datetime(BirthDate + 978307200, 'unixepoch') FROM Employee ORDER BY 1"
            ),
        ]
        for (expected, found) in pairs {
            let rows = try ForeignWriter.run(expected, on: source)
            #expect(!rows.isEmpty)
            #expect(try ForeignWriter.run(found, on: new) == rows, "\(found)")
        }
        // 6,892 rows in ten tables.
        #expect(report["objects"] as? Int == 6_892)
    }

    @Test func `keys, constraints and links are kept, and the rest is reported`()
        throws
    {
        try make(Self.library)
        let run = try move()
        #expect(run.status == 0 && run.output.contains("all are equal in both"), "\(run)")
        #expect(run.output.contains("view “titles”: it has no rows of its own."), "\(run)")
        #expect(
            try ForeignWriter.run("SELECT * FROM `book.tag` ORDER BY 1, 2", on: new) == "1|1\n1|2\n7|2\n")
        let context = try PersistentContainer(url: directory.file("new.store")).newContext()
        let people = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "person", sortDescriptors: [.ascending("objectID")]))
        #expect(people.map(\.objectID.primaryKey) == [-3, 5, 9])
        #expect(people.map { $0["name"] } == ["Ann", "Bob", "Cem"])
        #expect(try people[2].relatedObject("boss") == people[1])
        #expect(people[0].entity.attribute(named: "name")?.isUnique == true)
        let tags = try context.fetch(FetchRequest<ManagedObject>(entityName: "tag"))
        #expect(tags.map { $0["label"] } == ["x", "y"])
        // A new object gets a key that no moved object has.
        let person = try context.insert(entityNamed: "person")
        try person.setValue("Dora", forProperty: "name")
        try context.save()
        #expect(person.objectID.primaryKey ?? 0 > 9)
    }

    @Test func `mapped tables of a tracked database are moved, with other names where a store requires them`()
        throws
    {
        try make(Self.library)
        let person = EntityDescription(
            name: "Person",
            attributes: [
                AttributeDescription(name: "oid", type: .string),
                AttributeDescription(name: "OID_", type: .string, isTransient: true),
            ],
            relationships: [
                .toOne("rowid", to: "Person", inverse: "Team"),
                .toMany("Team", to: "Person", inverse: "rowid"),
            ],
            existingTable: ExistingTable(
                name: "person", primaryKey: "id", columns: ["oid": "name", "rowid": "boss"]))
        _ = try PersistentContainer(
            url: directory.file("any.sqlite"), model: ManagedObjectModel(entities: [person]),
            options: StoreOptions(existingTables: .tracked))
        let run = try move()
        #expect(run.status == 1, "\(run)")
        let reason = "in the new store, because the name is reserved."
        for (old, new) in [("oid", "oid__"), ("rowid", "rowid_")] {
            #expect(run.output.contains("“Person.\(old)” is called “\(new)” \(reason)"), "\(run)")
        }
        #expect(run.output.contains("“Person.OID_”: transient"), "\(run)")
        for (table, rows) in [("book", 3), ("tag", 2), ("book_tag", 3)] {
            #expect(run.output.contains("table “\(table)”: \(rows) rows"), "\(run)")
        }
        let context = try PersistentContainer(url: directory.file("new.store")).newContext()
        let people = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Person", sortDescriptors: [.ascending("objectID")]))
        #expect(people.map { $0["oid__"] } == ["Ann", "Bob", "Cem"])
        #expect(try people.map { try $0.relatedObjects("Team") } == [[people[1]], [people[2]], []])
        #expect(try people[2].relatedObject("rowid_") == people[1])
    }

    @Test func `names that differ only in upper and lower case are changed`() throws {
        try make(Self.library)
        let tag = EntityDescription(
            name: "Tag",
            attributes: [
                AttributeDescription(name: "text", type: .string, isOptional: true),
                AttributeDescription(name: "Text", type: .string, isOptional: true),
            ],
            existingTable: ExistingTable(
                name: "tag", primaryKey: "id", columns: ["text": "name", "Text": "label"]))
        _ = try PersistentContainer(
            url: directory.file("any.sqlite"), model: ManagedObjectModel(entities: [tag]),
            options: StoreOptions(existingTables: .tracked))
        let run = try move()
        // The other tables are not part of the model.
        #expect(run.status == 1, "\(run)")
        #expect(
            run.output.contains(
                "is called “Text_” in the new store, because another property differs from it only in"),
            "\(run)")
        #expect(try ForeignWriter.run("SELECT text, Text_ FROM Tag", on: new) == "a|x\nb|y\n")
    }

    @Test func `a finished move is compared again, and a change on either side is found`() throws {
        try make(Self.library)
        #expect(try move().status == 0)
        let again = try move()
        #expect(again.status == 0 && again.output.contains("had already been moved to"), "\(again)")
        try ForeignWriter.run("UPDATE book SET price = 0.2 WHERE objectID = 2", on: new)
        let changed = try move()
        #expect(changed.status == 2, "\(changed)")
        #expect(changed.output.contains("book 2, price: 0.1, in the new store 0.2"), "\(changed)")
        #expect(changed.errors.contains("differs from"), "\(changed)")
        try ForeignWriter.run("UPDATE book SET price = 0.1 WHERE objectID = 2", on: new)
        for sql in [
            "DELETE FROM book_tag WHERE book = 7", "DELETE FROM person WHERE id = 9",
            "UPDATE person SET boss = NULL WHERE id = 9", "INSERT INTO person VALUES (10, 'Eve', NULL)",
            "UPDATE book SET title = 'one' WHERE id = 1", "UPDATE book SET title = '' WHERE id = 7",
        ] {
            try ForeignWriter.run("VACUUM INTO '\(directory.path("kept"))'", on: source)
            try ForeignWriter.run(sql, on: source)
            let run = try move()
            #expect(run.status == 2 && run.output.contains("Differences:"), "\(sql): \(run)")
            try FileManager.default.removeItem(atPath: source)
            try FileManager.default.moveItem(atPath: directory.path("kept"), toPath: source)
        }
        #expect(try move().status == 0)
    }

    @Test func `other stores and databases are not overwritten`() throws {
        try make(Self.library)
        try ForeignWriter.run("CREATE TABLE t (a)", on: new)
        try move().expectRefusal(saying: "is a database of another program")
        try FileManager.default.removeItem(atPath: new)
        let file = try LibraryImportFile("id,title\n1,One\n")
        #expect(try file.run().status == 0)
        try FileManager.default.copyItem(atPath: file.storePath, toPath: new)
        try move().expectRefusal(saying: "its model is not that of")
        try move("--restart").expectRefusal(saying: "is complete")
        try ToolProcess.run("library-import", ["--from", source, source]).expectRefusal(
            saying: "“\(source)” and --from name the same file")
        try ToolProcess.run("library-import", ["--from", directory.path("none"), new]).expectRefusal(
            saying: "There is no store")
    }

    @Test func `a store of the library is copied with large values, order and inheritance`() throws {
        let media = EntityDescription(
            name: "Media", isAbstract: true,
            attributes: [
                AttributeDescription(
                    name: "data", type: .binaryData, isOptional: true, allowsExternalStorage: true)
            ],
            relationships: [.toMany("parts", to: "Part", inverse: "media", isOrdered: true)])
        let song = EntityDescription(
            name: "Song", parentName: "Media",
            attributes: [AttributeDescription(name: "price", type: .decimal, isOptional: true)],
            relationships: [.toMany("friends", to: "Song", inverse: "friends")])
        let part = EntityDescription(
            name: "Part", attributes: [AttributeDescription(name: "time", type: .date)],
            relationships: [.toOne("media", to: "Media", inverse: "parts")])
        let url = directory.file("any.sqlite")
        let model = try ManagedObjectModel(entities: [media, song, part])
        var expected: [[StoredValue]] = []
        do {
            let context = try PersistentContainer(url: url, model: model).newContext()
            var songs: [ManagedObject] = []
            for number in 0..<20 {
                let song = try context.insert(entityNamed: "Song")
                song["data"] = .blob([UInt8](repeating: UInt8(number), count: number * 4_000))
                song["price"] = .text("12345678901234567890.\(number + 1)1")
                let parts = try (0..<5).map { number in
                    let part = try context.insert(entityNamed: "Part")
                    part["time"] = .real(Double(number) / 3)
                    return part
                }
                try song.setRelatedObjects([3, 1, 4, 0, 2].map { parts[$0] }, forRelationship: "parts")
                if let first = songs.first { try song.setRelatedObjects([first], forRelationship: "friends") }
                songs.append(song)
            }
            try context.save()
            expected = try contents(of: songs)
        }
        let run = try move("--batch", "3")
        #expect(run.status == 0, "\(run)")
        let context = try PersistentContainer(url: directory.file("new.store")).newContext()
        let songs = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Song", sortDescriptors: [.ascending("objectID")]))
        #expect(try contents(of: songs) == expected)
        #expect(
            try ForeignWriter.run("SELECT count(*) FROM sqlite_schema WHERE name = 'sc_move'", on: new)
                == "0\n")
    }

    private func contents(of songs: [ManagedObject]) throws -> [[StoredValue]] {
        try songs.map { song in
            try [song.value(forProperty: "data"), song.value(forProperty: "price")]
                + song.relatedObjects("parts").map { try $0.value(forProperty: "time") }
                + song.relatedObjects("friends").map { .integer($0.objectID.primaryKey ?? 0) }
        }
    }

    @Test func `options of other commands are refused with the reason`() throws {
        try make(Self.library)
        for option in [["--key", "id"], ["--mapping", "m.json"], ["--entity", "book"], ["--atomic"]] {
            let run = try ToolProcess.run("library-import", ["--from", source, new] + option)
            run.expectRefusal(status: 64, saying: option[0], "everything of a store is moved")
        }
        try move("--batch", "0").expectRefusal(status: 64, saying: "--batch 0 must be at least 1")
        try move("--model", "m.momd").expectRefusal(saying: "--model is for stores of Core Data")
        let help = try ToolProcess.run("library-import", ["help", "move"])
        #expect(help.output.contains("--from <store>") && !help.output.contains("--mapping"), "\(help)")
        #expect(try ToolProcess.run("library-import", ["move", "--from=\(source)", new]).status == 0)
        #expect(try ToolProcess.run("library-import", [new, "--from", source]).status == 0)
    }
}
