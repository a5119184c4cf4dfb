import CheckSupport
import Foundation
import ObjectStorage
import GRDB
import Testing

@Suite struct ExistingTableOpeningTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    private func open(
        _ table: ExistingTable, _ schema: String = "", way: StoreOptions.ExistingTables? = .tracked,
        attributes: [String] = ["name"]
    ) throws {
        if !schema.isEmpty { try chinook.sqlite(schema) }
        let entity = EntityDescription(
            name: "Thing",
            attributes: attributes.map { AttributeDescription(name: $0, type: .string, isOptional: true) },
            existingTable: table)
        _ = try PersistentContainer(
            url: chinook.url, model: ManagedObjectModel(entities: [entity]),
            options: StoreOptions(existingTables: way))
    }

    @Test(arguments: [
        ("", ExistingTable(name: "artist", primaryKey: "ArtistId"), "Did you mean “artists”?"),
        (
            "", ExistingTable(name: "Artists", primaryKey: "ArtistId"),
            "is called “artists” in the database. Use that spelling."
        ),
        ("", ExistingTable(name: "artists", primaryKey: "ArtistID2"), "Did you mean “ArtistId”?"),
        (
            "", ExistingTable(name: "artists", primaryKey: "ArtistId", columns: ["name": "Nme"]),
            "no column “Nme” for “name”. Did you mean “Name”?"
        ),
        (
            "CREATE VIEW v AS SELECT * FROM artists", ExistingTable(name: "v", primaryKey: "ArtistId"),
            "is a view"
        ),
        (
            "CREATE VIRTUAL TABLE f USING fts5(name)", ExistingTable(name: "f", primaryKey: "rowid"),
            "is a virtual table"
        ),
        ("CREATE TABLE n (name)", ExistingTable(name: "n", primaryKey: "rowid"), "VACUUM"),
        (
            "CREATE TABLE c (a INTEGER, b INTEGER, name, PRIMARY KEY (a, b))",
            ExistingTable(name: "c", primaryKey: "a"), "consists of a, b"
        ),
        (
            "CREATE TABLE x (code TEXT PRIMARY KEY NOT NULL, name)",
            ExistingTable(name: "x", primaryKey: "code"),
            "is declared TEXT, and keys of objects are integers"
        ),
        (
            "CREATE TABLE u (id INT UNIQUE, name)", ExistingTable(name: "u", primaryKey: "id"), "may be NULL"
        ),
        (
            "CREATE TABLE d (id INTEGER PRIMARY KEY DESC, name)", ExistingTable(name: "d", primaryKey: "id"),
            "may be NULL"
        ),
        (
            "CREATE TABLE p (id INTEGER NOT NULL, name); CREATE UNIQUE INDEX pi ON p (id) WHERE id > 3",
            ExistingTable(name: "p", primaryKey: "id"), "is not declared as unique"
        ),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name) WITHOUT ROWID; INSERT INTO t VALUES ('x', 'y')",
            ExistingTable(name: "t", primaryKey: "id"), "has a value that is not an integer"
        ),
        (
            "CREATE TABLE g (id INTEGER PRIMARY KEY, name AS (id + 1))",
            ExistingTable(name: "g", primaryKey: "id"),
            "is generated"
        ),
    ])
    func `a mapping that does not fit its table is refused with a remedy`(
        schema: String, table: ExistingTable, message: String
    ) throws {
        for way in bothWays {
            let error = #expect(throws: ObjectStorageError.self) {
                try open(table, way == .tracked ? schema : "", way: way)
            }
            #expect(error?.code == .existingTableMismatch)
            #expect(error?.entityName == "Thing")
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
        #expect(try chinook.sqlite("SELECT name FROM sqlite_schema WHERE name GLOB 'sc_*'") == "")
    }

    @Test(arguments: [
        (
            ["name", "other"], ExistingTable(name: "t", primaryKey: "id", columns: ["other": "NAME"]),
            "both use the column"
        ),
        (["id"], ExistingTable(name: "t", primaryKey: "id"), "both use the column"),
        (["name"], ExistingTable(name: "t", primaryKey: "id", columns: ["nam": "x"]), "Did you mean “name”?"),
        (["name"], ExistingTable(name: "sqlite_schema", primaryKey: "id"), "are reserved"),
        (["name"], ExistingTable(name: "sc_gen", primaryKey: "id"), "are reserved"),
        (
            ["name"],
            ExistingTable(
                name: "t", primaryKey: "id",
                links: ["name": ExistingLinkTable(name: "l", ownColumn: "a", otherColumn: "b")]),
            "not a many-to-many relationship"
        ),
        (["objectID"], ExistingTable(name: "t", primaryKey: "id"), "is reserved"),
    ])
    func `a model that contradicts itself is refused`(
        attributes: [String], table: ExistingTable, message: String
    ) throws {
        let error = #expect(throws: ObjectStorageError.self) { try open(table, attributes: attributes) }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func `two entities cannot share a table, regardless of case`() throws {
        let table = ExistingTable(name: "Song", primaryKey: "id")
        let own = EntityDescription(name: "song", attributes: [])
        let mapped = EntityDescription(name: "Tune", attributes: [], existingTable: table)
        let error = #expect(throws: ObjectStorageError.self) {
            try ManagedObjectModel(entities: [own, mapped])
        }
        #expect(error?.message.contains("is also the table of “song”") == true, "\(error?.message ?? "")")
    }

    @Test func `a mapped entity cannot declare indexes or unique values`() throws {
        let entity = EntityDescription(
            name: "Thing", attributes: [AttributeDescription(name: "name", type: .string, isUnique: true)],
            existingTable: ExistingTable(name: "artists", primaryKey: "ArtistId"))
        let error = #expect(throws: ObjectStorageError.self) { try ManagedObjectModel(entities: [entity]) }
        #expect(error?.propertyName == "name")
    }

    @Test func `external tables are tracked only if the options allow it`() throws {
        let schema = try chinook.schema()
        let error = #expect(throws: ObjectStorageError.self) { try chinook.open(nil) }
        #expect(error?.code == .foreignStore)
        #expect(error?.message.contains("StoreOptions.existingTables") == true)
        #expect(try chinook.schema() == schema)
        _ = try chinook.open(.tracked)
        #expect(try chinook.open(nil).isTracked)
    }

    @Test func `an untracked store has neither tables of the library nor a stored model`() throws {
        let own = EntityDescription(name: "Own", attributes: [])
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: chinook.url, model: ManagedObjectModel(entities: Chinook.model().entities + [own]),
                options: StoreOptions(existingTables: .untracked))
        }
        #expect(error?.code == .existingTableMismatch)
        #expect(error?.entityName == "Own")
        let missing = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(url: chinook.url, options: StoreOptions(existingTables: .untracked))
        }
        #expect(missing?.code == .storeMissing)
    }

    @Test(arguments: bothWays)
    func `a missing file is not created`(way: StoreOptions.ExistingTables) throws {
        let url = chinook.directory.file("nothing.db")
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: url, model: Chinook.model(), options: StoreOptions(existingTables: way))
        }
        #expect(error?.code == .storeMissing)
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `an untracked store leaves the schema and the journal mode unchanged`() throws {
        let schema = try chinook.schema()
        let bytes = try Data(contentsOf: chinook.url)
        let container = try chinook.open(.untracked)
        let context = container.newContext()
        #expect(try context.fetch(FetchRequest<ChinookAlbum>()).count == 3)
        _ = try context.mergeChangesFromStore()
        #expect(try Data(contentsOf: chinook.url) == bytes)
        let artist = ChinookArtist(context: context)
        artist.name = "New"
        #expect(try context.count(for: FetchRequest<ChinookArtist>()) == 5)
        #expect(try Data(contentsOf: chinook.url) == bytes)
        try context.save()
        try context.batchUpdate(FetchRequest<ChinookTrack>(), set: [.set(\.milliseconds, to: 1)])
        #expect(try chinook.schema() == schema)
        #expect(try chinook.sqlite("PRAGMA journal_mode") == "delete")
        #expect(!container.isTracked)
    }

    @Test func `tracking adds to the database and alters no existing schema`() throws {
        let before = try chinook.sqlite("SELECT * FROM sqlite_schema ORDER BY name")
        _ = try chinook.open(.tracked)
        let own = "name NOT GLOB 'sc_*' AND name NOT LIKE 'sqlite_autoindex_sc%'"
        #expect(try chinook.sqlite("SELECT * FROM sqlite_schema WHERE \(own) ORDER BY name") == before)
        #expect(try chinook.sqlite("PRAGMA journal_mode") == "delete")
        #expect(
            try chinook.sqlite("SELECT tbl FROM sc_gen ORDER BY tbl")
                == "albums\nartists\nplaylist_track\nplaylists\ntracks")
    }

    @Test func `a pool is refused, because it would change the journal mode`() throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: chinook.url, model: Chinook.model(),
                options: StoreOptions(connections: .pool, existingTables: .untracked))
        }
        #expect(error?.message.contains("connections: .single") == true)
        #expect(try chinook.sqlite("PRAGMA journal_mode") == "delete")
    }

    @Test func `a read-only file can be opened untracked`() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: chinook.url.path)
        let options = StoreOptions(isReadOnly: true, existingTables: .untracked)
        let container = try PersistentContainer(url: chinook.url, model: Chinook.model(), options: options)
        let context = container.newContext()
        #expect(try context.fetch(FetchRequest<ChinookAlbum>()).count == 3)
        ChinookArtist(context: context).name = "x"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .storeReadOnly)
        let tracked = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: chinook.url, model: Chinook.model(),
                options: StoreOptions(isReadOnly: true, existingTables: .tracked))
        }
        #expect(tracked?.message.contains("existingTables: .untracked") == true)
    }

    @Test func `a trigger of the library does not replace an existing one of the same name`() throws {
        try chinook.sqlite("CREATE TRIGGER SC_albums_Insert AFTER INSERT ON albums BEGIN SELECT 1; END")
        let schema = try chinook.schema()
        let error = #expect(throws: ObjectStorageError.self) { try chinook.open(.tracked) }
        #expect(error?.code == .existingTableMismatch)
        #expect(try chinook.schema() == schema)
        _ = try chinook.open(.untracked)
    }

    @Test(arguments: bothWays)
    func `a container shares an application's connection`(way: StoreOptions.ExistingTables) throws {
        let queue = try DatabaseQueue(path: chinook.url.path)
        let container = try PersistentContainer(
            writer: queue, model: Chinook.model(), options: StoreOptions(existingTables: way))
        let context = container.newContext()
        let artist = ChinookArtist(context: context)
        artist.name = "Shared"
        try context.save()
        #expect(try chinook.sqlite("SELECT Name FROM artists WHERE ArtistId = 8") == "Shared")
    }

    @Test func `a store keeps its mapping and opens without a model`() throws {
        _ = try chinook.open(.tracked)
        let container = try PersistentContainer(url: chinook.url)
        #expect(container.model.versionDigest == (try Chinook.model().versionDigest))
        let context = container.newContext()
        let request = FetchRequest<ManagedObject>(entityName: "Album", sortDescriptors: [.ascending("price")])
        #expect(try context.fetch(request).map { $0["title"] } == ["breaker", "Powerage", "Breaker"])
        try chinook.sqlite("ALTER TABLE albums RENAME TO records")
        let error = #expect(throws: ObjectStorageError.self) { try PersistentContainer(url: chinook.url) }
        #expect(error?.code == .existingTableMismatch)
    }
}
