import Foundation
import ObjectStorage
import Testing

@Suite struct ExistingTableReadingTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    @Test(arguments: bothWays)
    func `rows, relationships and links of external tables are read`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        let albums = try context.fetch(FetchRequest<ChinookAlbum>(sortDescriptors: [.ascending(\.title)]))
        #expect(albums.map(\.title) == ["Breaker", "Powerage", "breaker"])
        #expect(albums.map { $0.objectID.primaryKey } == [2, 1, 3])
        #expect(albums.map { $0.artist?.name } == ["Accept", "AC/DC", "accept"])
        #expect(albums[1].released == Date(timeIntervalSinceReferenceDate: 0))
        #expect(albums.map(\.price) == [10, Decimal(string: "9.5"), nil])
        #expect(albums.map(\.rating) == [4.5, 5, nil])
        #expect(Set(albums[0].tracks.map(\.milliseconds)) == [233_000, 0])
        let loud = try #require(
            try context.fetch(FetchRequest<ChinookPlaylist>(predicate: \.name == "Loud")).first)
        #expect(Set(loud.tracks.map { $0.name ?? "" }) == ["Riff Raff", "Starlight"])
        #expect(loud.tracks.allSatisfy { $0.playlists == [loud] })
    }

    @Test(arguments: bothWays)
    func `requests use mapped columns and link tables`(way: StoreOptions.ExistingTables) throws {
        let context = try chinook.open(way).newContext()
        func names(_ format: String) throws -> [String?] {
            try context.fetch(
                FetchRequest<ChinookTrack>(
                    predicate: .init(format: format), sortDescriptors: [.ascending(\.milliseconds)])
            ).map(\.name)
        }
        #expect(try names("album.artist.name == 'Accept'") == [nil, "Starlight"])
        #expect(try names("album.price > 9.9") == [nil, "Starlight"])
        #expect(try names("album.price == 9.50") == ["Riff Raff"])
        #expect(try names("ANY playlists.name == 'Loud'") == ["Starlight", "Riff Raff"])
        #expect(try names("playlists.@count == 0") == [])
        let request = try FetchRequest<ChinookPlaylist>(
            predicate: .init(format: "ANY tracks.name BEGINSWITH 'R'"))
        #expect(try context.fetch(request).map(\.name) == ["Loud"])
        var prefetching = FetchRequest<ChinookArtist>()
        prefetching.relationshipKeyPathsForPrefetching = ["albums.tracks"]
        let artists = try context.fetch(prefetching)
        #expect(artists.flatMap(\.albums).flatMap(\.tracks).count == 3)
        #expect(
            try context.aggregate(.sum(\.milliseconds), of: FetchRequest<ChinookTrack>(), as: Int64.self)
                == 545_000)
    }

    /// `artists.Name` is NOCASE, but texts are compared by their bytes, in SQL as in memory.
    @Test func `the collation of a mapped column does not change results`() throws {
        let context = try chinook.open().newContext()
        let request = FetchRequest<ChinookArtist>(predicate: \.name == "accept")
        #expect(try context.fetch(request).map { $0.objectID.primaryKey } == [3])
        let all = try context.fetch(FetchRequest<ChinookArtist>(sortDescriptors: [.ascending(\.name)]))
        #expect(all.map(\.name) == ["AC/DC", "Accept", "Björk", "accept"])
        #expect(
            try context.fetchDistinctValues(of: \.name, in: FetchRequest<ChinookArtist>())
                == ["AC/DC", "Accept", "Björk", "accept"])
        let expected = try chinook.sqlite("SELECT Name FROM artists ORDER BY Name COLLATE BINARY")
        #expect(all.map(\.name).joined(separator: "\n") == expected)
        let predicate = try FetchRequest<ChinookArtist>.Predicate(format: "name IN {'ACCEPT', 'Björk'}")
        #expect(try context.fetch(FetchRequest<ChinookArtist>(predicate: predicate)).map(\.name) == ["Björk"])
    }

    @Test func `a value that the attribute cannot hold is a read error`() throws {
        try chinook.sqlite("UPDATE tracks SET milliseconds = 'long' WHERE TrackId = 1")
        let context = try chinook.open().newContext()
        let track = try #require(
            try context.existingObject(with: ObjectID(entityName: "Track", primaryKey: 1)) as? ChinookTrack)
        #expect(track.milliseconds == 0)
        #expect(track.readError?.code == .invalidValue)
        #expect(track.readError?.propertyName == "milliseconds")
    }

    /// SQLite would read the double-quoted name of a missing column as a text.
    @Test func `a dropped column is an error and is not read as a text`() throws {
        let container = try chinook.open(.untracked)
        let context = container.newContext()
        try chinook.sqlite("ALTER TABLE albums DROP COLUMN rating")
        #expect(throws: ObjectStorageError.self) {
            try context.existingObject(with: ObjectID(entityName: "Album", primaryKey: 1))
        }
        #expect(throws: ObjectStorageError.self) { try context.fetch(FetchRequest<ChinookAlbum>()) }
    }

    @Test(arguments: [
        "INTEGER PRIMARY KEY) WITHOUT ROWID", "INT NOT NULL UNIQUE)", "BIGINT NOT NULL PRIMARY KEY)",
    ])
    func `names may have any characters, and a key may be declared in several ways`(key: String) throws {
        let owner = try Chinook(
            schema: """
                CREATE TABLE "My ""own"" Töne.2024" ("select" TEXT, "a `b` c" INTEGER, "Schlüssel Nr." \(key);
                """,
            rows: """
                INSERT INTO "My ""own"" Töne.2024" VALUES ('one', 1, 10), ('two', 2, -20), (NULL, 3, 30);
                """)
        let entity = EntityDescription(
            name: "Sound",
            attributes: [
                AttributeDescription(name: "word", type: .string, isOptional: true),
                AttributeDescription(name: "number", type: .integer64),
            ],
            existingTable: ExistingTable(
                name: "My \"own\" Töne.2024", primaryKey: "Schlüssel Nr.",
                columns: ["word": "select", "number": "a `b` c"]))
        for way in bothWays {
            let container = try PersistentContainer(
                url: owner.url, model: ManagedObjectModel(entities: [entity]),
                options: StoreOptions(existingTables: way))
            let context = container.newContext()
            let request = try FetchRequest<ManagedObject>(
                entityName: "Sound", predicate: .init(format: "number > 1"),
                sortDescriptors: [.descending("number")])
            let sounds = try context.fetch(request)
            #expect(sounds.first?.objectID.primaryKey.map { $0 >= 30 } == true)
            #expect(sounds.last?["word"] == "two")
            #expect(sounds.last?.objectID.primaryKey == -20)
            let new = try context.insert(entityNamed: "Sound")
            new["word"] = "new"
            new["number"] = 4
            sounds.last?["word"] = "zwei"
            try context.save()
            #expect(
                try owner.sqlite(
                    "SELECT \"select\" FROM \"My \"\"own\"\" Töne.2024\" WHERE \"Schlüssel Nr.\" = \(new.objectID.primaryKey ?? 0)"
                )
                    == "new")
            context.delete(new)
            sounds.last?["word"] = "two"
            try context.save()
        }
        #expect(
            try owner.sqlite("SELECT count(*), group_concat(\"select\") FROM \"My \"\"own\"\" Töne.2024\"")
                .hasPrefix("3|"))
    }
}
