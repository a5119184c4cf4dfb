import Foundation
import ObjectStorage
import Testing

@Suite struct ExistingTableWritingTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    private func album(_ key: Int64, in context: ManagedObjectContext) throws -> ChinookAlbum {
        try #require(
            try context.existingObject(with: ObjectID(entityName: "Album", primaryKey: key)) as? ChinookAlbum)
    }

    @Test(arguments: bothWays)
    func `inserts, changes and deletions are written to the external tables`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        // In this order an immediate foreign key would fail.
        let track = ChinookTrack(context: context)
        let album = ChinookAlbum(context: context)
        let artist = ChinookArtist(context: context)
        artist.name = "Can"
        album.title = "Tago Mago"
        album.artist = artist
        album.price = Decimal(string: "12.25")
        album.released = Date(timeIntervalSinceReferenceDate: 1.5)
        track.name = "Oh Yeah"
        track.album = album
        try context.save()
        #expect(artist.objectID.primaryKey == 8)
        #expect(
            try chinook.sqlite(
                "SELECT AlbumId, Title, ArtistId, \"Release Date\", \"price.in €\", note, shout FROM albums WHERE AlbumId > 3"
            )
                == "4|Tago Mago|8|1.5|12.25|none|TAGO MAGO")
        #expect(try chinook.sqlite("SELECT * FROM tracks WHERE TrackId > 3") == "4|Oh Yeah|4|0")
        album.title = "Ege Bamyasi"
        album.artist = nil
        context.delete(track)
        try context.save()
        #expect(
            try chinook.sqlite("SELECT Title, ArtistId FROM albums WHERE AlbumId = 4") == "Ege Bamyasi|")
        #expect(try chinook.sqlite("SELECT count(*) FROM tracks") == "3")
        #expect(try chinook.sqlite("PRAGMA foreign_key_check") == "")
    }

    /// `rating` has no type; `price.in €` and `Release Date` are NUMERIC, in which 4.0 becomes 4.
    @Test func `values have the form of their attribute, even if the column converts them`() throws {
        let container = try chinook.open()
        let context = container.newContext()
        let album = try album(1, in: context)
        album.price = 4
        album.rating = 3
        album.released = Date(timeIntervalSinceReferenceDate: 60)
        try context.save()
        #expect(
            try chinook.sqlite(
                "SELECT typeof(\"price.in €\"), typeof(rating), typeof(\"Release Date\") FROM albums WHERE AlbumId = 1"
            )
                == "integer|real|integer")
        #expect(try album.value(forProperty: "price") == "4")
        #expect(try album.value(forProperty: "released") == 60.0)
        // Another context reads the same values, so neither context sees a change or a conflict.
        let other = container.newContext()
        let same = try self.album(1, in: other)
        #expect(try same.value(forProperty: "released") == 60.0)
        same.price = 5
        try other.save()
        try context.mergeChangesFromStore()
        #expect(album.price == 5)
    }

    @Test(arguments: bothWays)
    func `links are written to the external link table`(way: StoreOptions.ExistingTables) throws {
        let context = try chinook.open(way).newContext()
        let quiet = try #require(
            try context.fetch(FetchRequest<ChinookPlaylist>(predicate: \.name == "Quiet")).first)
        let tracks = try context.fetch(FetchRequest<ChinookTrack>(sortDescriptors: [.ascending("objectID")]))
        quiet.tracks = [tracks[0], tracks[1]]
        tracks[2].playlists = try Set(
            context.fetch(FetchRequest<ChinookPlaylist>(predicate: \.name == "Loud")))
        try context.save()
        #expect(try chinook.sqlite("SELECT * FROM playlist_track ORDER BY 1, 2") == "1|1\n1|2\n1|3\n2|1\n2|2")
        context.delete(quiet)
        try context.save()
        #expect(try chinook.sqlite("SELECT * FROM playlist_track ORDER BY 1, 2") == "1|1\n1|2\n1|3")
    }

    @Test func `an order column stores the order of a relationship`() throws {
        let owner = try Chinook(
            schema: """
                CREATE TABLE lists (id INTEGER PRIMARY KEY); CREATE TABLE songs (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE entries (
                    id INTEGER PRIMARY KEY, list INTEGER NOT NULL, song INTEGER NOT NULL, "place no" INTEGER NOT NULL,
                    UNIQUE (list, song));
                """,
            rows: """
                INSERT INTO lists VALUES (1); INSERT INTO songs VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
                INSERT INTO entries (list, song, "place no") VALUES (1, 3, 1), (1, 1, 2), (1, 2, 3);
                """)
        let link = ExistingLinkTable(
            name: "entries", ownColumn: "list", otherColumn: "song", orderColumn: "place no")
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "List", attributes: [],
                relationships: [.toMany("songs", to: "Song", isOrdered: true)],
                existingTable: ExistingTable(name: "lists", primaryKey: "id", links: ["songs": link])),
            EntityDescription(
                name: "Song", attributes: [AttributeDescription(name: "name", type: .string)],
                existingTable: ExistingTable(name: "songs", primaryKey: "id")),
        ])
        let context = try PersistentContainer(
            url: owner.url, model: model, options: StoreOptions(existingTables: .untracked)
        ).newContext()
        let list = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "List")).first)
        let songs = try list.relatedObjects("songs")
        #expect(songs.map { $0["name"] } == ["c", "a", "b"])
        let fourth = try context.object(with: ObjectID(entityName: "Song", primaryKey: 4))
        try list.setRelatedObjects([songs[1], fourth, songs[0]], forRelationship: "songs")
        try context.save()
        #expect(
            try owner.sqlite(
                "SELECT group_concat(name, '') FROM (SELECT name FROM entries JOIN songs ON songs.id = song ORDER BY \"place no\")"
            )
                == "adc")
    }

    @Test(arguments: bothWays)
    func `references to a deleted object are cleared if the existing schema does not clear them`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        let loaded = try album(2, in: context)
        let artist = try #require(loaded.artist)
        context.delete(artist)
        let changes = try context.save()
        #expect(try chinook.sqlite("SELECT ArtistId IS NULL FROM albums ORDER BY AlbumId") == "0\n1\n0")
        #expect(loaded.artist == nil)
        #expect(changes.updatedObjectIDs == [loaded.objectID])
        try context.batchDelete(FetchRequest<ChinookArtist>(predicate: \.name == "AC/DC"))
        #expect(try chinook.sqlite("SELECT ArtistId IS NULL FROM albums ORDER BY AlbumId") == "1\n1\n0")
        // A cascade deletes the tracks and their links first.
        context.delete(loaded)
        try context.save()
        #expect(try chinook.sqlite("SELECT TrackId FROM tracks") == "1")
        #expect(try chinook.sqlite("SELECT * FROM playlist_track") == "1|1")
        #expect(try chinook.sqlite("PRAGMA foreign_key_check") == "")
        try context.batchDelete(FetchRequest<ChinookAlbum>())
        #expect(try chinook.sqlite("SELECT count(*) FROM tracks") == "0")
    }

    @Test(arguments: bothWays)
    func `the order of the statements satisfies immediate foreign keys`(
        way: StoreOptions.ExistingTables
    ) throws {
        let strict = Chinook.schema.replacing(
            "REFERENCES albums", with: "REFERENCES albums ON DELETE RESTRICT"
        )
        .replacing("REFERENCES artists (ArtistId)", with: "REFERENCES artists (ArtistId) ON DELETE RESTRICT")
        let owner = try Chinook(schema: strict)
        let context = try owner.open(way).newContext()
        let album = try #require(
            try context.fetch(FetchRequest<ChinookAlbum>(predicate: \.title == "Breaker")).first)
        let artist = try #require(album.artist)
        context.delete(artist)
        context.delete(album)
        try context.save()
        #expect(try owner.sqlite("SELECT count(*) FROM artists JOIN albums USING (ArtistId)") == "2")
        let powerage = try #require(
            try context.fetch(FetchRequest<ChinookAlbum>(predicate: \.title == "Powerage")).first)
        for track in powerage.tracks { context.delete(track) }
        context.delete(powerage)
        try context.save()
        #expect(try owner.sqlite("SELECT count(*) FROM tracks") == "0")
    }
}
