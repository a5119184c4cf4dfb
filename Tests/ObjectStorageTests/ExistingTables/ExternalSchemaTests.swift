import Foundation
import GRDB
import ObjectStorage
import Testing

@Suite struct ExternalSchemaTests {
    /// SQLite does not count a row that a constraint replaces.
    @Test(arguments: bothWays)
    func `a row that a constraint replaces is deleted in the context`(
        way: StoreOptions.ExistingTables
    ) throws {
        let owner = try Chinook(
            schema:
                "CREATE TABLE artists (ArtistId INTEGER PRIMARY KEY, Name TEXT UNIQUE ON CONFLICT REPLACE);",
            rows: "INSERT INTO artists VALUES (1, 'a'), (2, 'b')")
        let entity = EntityDescription(
            name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
            existingTable: ExistingTable(name: "artists", primaryKey: "ArtistId"))
        let context = try PersistentContainer(
            url: owner.url, model: ManagedObjectModel(entities: [entity]),
            options: StoreOptions(existingTables: way)
        ).newContext()
        let artists = try context.fetch(
            FetchRequest<ManagedObject>(entityName: "Artist", sortDescriptors: [.ascending("name")]))
        artists[1]["name"] = "a"
        try context.save()
        #expect(artists.map(\.isDeleted) == [true, false])
        #expect(try owner.sqlite("SELECT * FROM artists") == "2|a")
    }

    @Test func `a trigger that silently rejects a row of a batch is an error`() throws {
        let chinook = try Chinook()
        try chinook.sqlite("CREATE TRIGGER no BEFORE INSERT ON artists BEGIN SELECT RAISE(IGNORE); END")
        let context = try chinook.open().newContext()
        let rows: [[String: StoredValue]] = [["name": "x"]]
        let error = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(ChinookArtist.self, rows: rows)
        }
        #expect(error?.code == .constraintViolation)
    }

    @Test func `keys that are stored as texts refer to the rows that SQLite matches`() throws {
        let chinook = try Chinook(
            schema: Chinook.schema.replacing(
                "ArtistId INTEGER REFERENCES artists (ArtistId)", with: "ArtistId TEXT"))
        let context = try chinook.open(.untracked).newContext()
        let request = try FetchRequest<ChinookAlbum>(predicate: .init(format: "artist.name == 'Accept'"))
        let albums = try context.fetch(request)
        #expect(albums.map { $0.artist?.name } == ["Accept"])
        #expect(albums.first?.artist?.albums == Set(albums))
        #expect(try chinook.sqlite("SELECT typeof(ArtistId) FROM albums WHERE AlbumId = 2") == "text")
    }

    @Test(arguments: bothWays)
    func `relationships are cleared even if foreign keys are disabled`(
        way: StoreOptions.ExistingTables
    ) throws {
        let chinook = try Chinook()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let container = try PersistentContainer(
            writer: DatabaseQueue(path: chinook.url.path, configuration: configuration),
            model: Chinook.model(), options: StoreOptions(existingTables: way))
        let context = container.newContext()
        for artist in try context.fetch(FetchRequest<ChinookArtist>()) { context.delete(artist) }
        try context.save()
        for album in try context.fetch(FetchRequest<ChinookAlbum>()) { context.delete(album) }
        try context.save()
        #expect(
            try chinook.sqlite(
                "SELECT count(*) FROM albums UNION ALL SELECT count(*) FROM tracks UNION ALL SELECT count(*) FROM playlist_track"
            )
                == "0\n0\n0")
    }
}
