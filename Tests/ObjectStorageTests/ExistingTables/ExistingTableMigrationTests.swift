import CheckSupport
import Foundation
import ObjectStorage
import Testing

@Suite struct ExistingTableMigrationTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    private func open(_ entities: EntityDescription..., way: StoreOptions.ExistingTables? = .tracked) throws
        -> PersistentContainer
    {
        try PersistentContainer(
            url: chinook.url, model: ManagedObjectModel(entities: entities),
            options: StoreOptions(existingTables: way))
    }

    private func artist(
        _ attributes: [String: AttributeType] = ["name": .string], table: ExistingTable? = nil,
        links: [String: ExistingLinkTable] = [:], relationships: [RelationshipDescription] = []
    ) -> EntityDescription {
        EntityDescription(
            name: "Artist",
            attributes: attributes.sorted { $0.key < $1.key }.map {
                AttributeDescription(name: $0.key, type: $0.value, isOptional: true)
            }, relationships: relationships,
            existingTable: table ?? ExistingTable(name: "artists", primaryKey: "ArtistId", links: links))
    }

    private let own = EntityDescription(
        name: "Artist", attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)])

    @Test func `a changed mapping is another model version, and the table is unchanged`() throws {
        let first = try open(artist())
        let rows = try chinook.sqlite("SELECT * FROM artists")
        let second = try open(
            artist(
                ["label": .string],
                table: ExistingTable(name: "artists", primaryKey: "ArtistId", columns: ["label": "Name"])),
            way: nil)
        #expect(first.model.versionDigest != second.model.versionDigest)
        #expect(
            try second.newContext().fetch(FetchRequest<ManagedObject>(entityName: "Artist")).first?["label"]
                == "AC/DC")
        // Back to the first mapping.
        _ = try open(artist(), way: nil)
        #expect(try chinook.sqlite("SELECT * FROM artists") == rows)
        #expect(try chinook.sqlite("SELECT sql FROM sqlite_schema WHERE name = 'artists'").contains("NOCASE"))
    }

    @Test func `an entity that is mapped to another table moves its triggers there`() throws {
        _ = try open(artist())
        try chinook.sqlite("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)")
        _ = try open(artist(table: ExistingTable(name: "people", primaryKey: "id")))
        #expect(try chinook.sqlite("SELECT tbl FROM sc_gen") == "people")
        #expect(
            try chinook.sqlite(
                "SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name <> 'sc_log'")
                == "people")
    }

    @Test func `an entity cannot move between a table of the library and an external table`() throws {
        _ = try open(artist())
        let error = #expect(throws: ObjectStorageError.self) { try open(own) }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message.contains("is mapped to table “artists” in the store and has its own table")
                == true)
        let other = try Chinook()
        _ = try PersistentContainer(
            url: other.directory.file("own.sqlite"), model: ManagedObjectModel(entities: [own]))
        try Library.runElsewhere(
            "CREATE TABLE artists (ArtistId INTEGER PRIMARY KEY, name)",
            path: other.directory.file("own.sqlite").path)
        let back = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(
                url: other.directory.file("own.sqlite"), model: ManagedObjectModel(entities: [artist()]),
                options: StoreOptions(existingTables: .tracked))
        }
        #expect(back?.code == .modelMismatch)
    }

    @Test func `links cannot move between a table of the library and an external table`() throws {
        let relationships = [RelationshipDescription.toMany("friends", to: "Artist")]
        try chinook.sqlite("CREATE TABLE friends (a INTEGER, b INTEGER, UNIQUE (b, a))")
        let link = ExistingLinkTable(name: "friends", ownColumn: "a", otherColumn: "b")
        _ = try open(artist(links: ["friends": link], relationships: relationships))
        let error = #expect(throws: ObjectStorageError.self) {
            try open(artist(relationships: relationships))
        }
        #expect(error?.code == .modelMismatch)
        #expect(try chinook.sqlite("SELECT count(*) FROM friends") == "0")
        // Removing the relationship keeps the external table and removes the library's triggers.
        _ = try open(artist())
        #expect(
            try chinook.sqlite(
                "SELECT name FROM sqlite_schema WHERE tbl_name = 'friends' AND type <> 'index'") == "friends")
    }

    @Test
    func `own entities are migrated beside mapped ones, even if existing foreign keys are violated`() throws {
        try chinook.sqlite("PRAGMA foreign_keys = OFF; INSERT INTO tracks VALUES (9, 'lost', 999, 1)")
        let note = EntityDescription(
            name: "Note", attributes: [AttributeDescription(name: "text", type: .string, isOptional: true)])
        let more = EntityDescription(
            name: "Note",
            attributes: note.attributes + [
                AttributeDescription(name: "more", type: .string, isOptional: true)
            ])
        let context = try open(artist(), note).newContext()
        try context.insert(entityNamed: "Note")["text"] = "kept"
        try context.save()
        let migrated = try open(artist(), more, way: nil).newContext()
        #expect(try migrated.fetch(FetchRequest<ManagedObject>(entityName: "Note")).first?["text"] == "kept")
    }

    @Test func `a mapping is encoded as JSON, printed, and part of the version digest`() throws {
        let model = try Chinook.model()
        let again = try ManagedObjectModel(jsonText: model.jsonText())
        #expect(again.versionDigest == model.versionDigest)
        #expect(again.entities.map(\.existingTable) == model.entities.map(\.existingTable))
        #expect(
            try model.jsonText().contains(
                "\"existingTable\":{\"columns\":{\"album\":\"AlbumId\"},\"name\":\"tracks\",\"primaryKey\":\"TrackId\"}"
            ))
        #expect(
            model.entity(named: "Playlist")?.description == """
                Playlist, table playlists by PlaylistId
                  name: string = “”
                  tracks → many Track.playlists
                  tracks in table playlist_track(PlaylistId, TrackId)
                """)
        let plain = EntityDescription(name: "A", attributes: [])
        let mapped = { (table: ExistingTable) in
            EntityDescription(name: "A", attributes: [], existingTable: table).versionDigest
        }
        let digests = [
            plain.versionDigest, mapped(ExistingTable(name: "a", primaryKey: "id")),
            mapped(ExistingTable(name: "b", primaryKey: "id")),
            mapped(ExistingTable(name: "a", primaryKey: "no")),
            mapped(ExistingTable(name: "a", primaryKey: "id", columns: ["x": "y"])),
        ]
        #expect(Set(digests).count == digests.count)
    }

    /// Golden values, which another program computed from the documented contents of the digest.
    @Test(arguments: [
        ("Shelf", "4693f11b9ad70cfb4941c1a747ec03ccc694ccc207aa1fae64f01ebe237f6ae9"),
        ("Author", "36a9c25e868e45f012fbb77e190e7d3df65c956a4382839f07a9a3a526d1d042"),
    ])
    func `the digest of an entity without a mapping is unchanged`(name: String, golden: String) throws {
        let digest = try #require(try Library.model().entity(named: name)).versionDigest
        #expect(digest.map { String(format: "%02x", $0) }.joined() == golden)
    }
}
