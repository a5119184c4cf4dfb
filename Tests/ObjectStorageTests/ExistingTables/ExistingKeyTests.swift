import Foundation
import ObjectStorage
import Testing

/// SQLite reuses the key of a deleted row if it was the largest, unless the table is declared AUTOINCREMENT.
@Suite struct ExistingKeyTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    private func artist(_ key: Int64, in context: ManagedObjectContext) throws -> ChinookArtist {
        try #require(
            try context.existingObject(with: ObjectID(entityName: "Artist", primaryKey: key))
                as? ChinookArtist)
    }

    private func insert(_ name: String, in context: ManagedObjectContext) throws -> ChinookArtist {
        let artist = ChinookArtist(context: context)
        artist.name = name
        try context.save()
        return artist
    }

    @Test(arguments: bothWays)
    func `a container does not reuse a key that it has seen in use`(way: StoreOptions.ExistingTables) throws {
        let container = try chinook.open(way)
        let context = container.newContext()
        let eighth = try insert("eighth", in: context)
        context.delete(eighth)
        try context.save()
        let ninth = try insert("ninth", in: context)
        #expect(ninth.objectID.primaryKey == 9)
        try chinook.sqlite("DELETE FROM artists WHERE ArtistId >= 9")
        #expect(try insert("tenth", in: container.newContext()).objectID.primaryKey == 10)
        try context.batchDelete(FetchRequest<ChinookArtist>(predicate: \.name == "tenth"))
        let rows: [[String: StoredValue]] = [["name": "a"], ["name": "b"]]
        let result = try context.batchInsert(ChinookArtist.self, rows: rows, resultType: .objectIDs)
        #expect(result.objectIDs.map(\.primaryKey) == [11, 12])
        try container.write { writer in
            let table = try writer.table("Artist")
            #expect(try table.insert(["c"]) == 13)
            #expect(try table.upsert(["c"], keyColumn: 0).outcome == .unchanged)
            #expect(try table.upsert(["C"], keyColumn: 0).outcome == .inserted)
        }
        #expect(try chinook.sqlite("SELECT max(ArtistId) FROM artists") == "14")
    }

    @Test(arguments: bothWays)
    func `no new object gets the key of a row that was deleted elsewhere and is still referenced`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        let playlist = try #require(
            try context.fetch(FetchRequest<ChinookPlaylist>(sortDescriptors: [.ascending("objectID")])).first)
        let track = try #require(
            try context.fetch(FetchRequest<ChinookTrack>(sortDescriptors: [.descending("objectID")])).first)
        let key = try #require(track.objectID.primaryKey)
        playlist.tracks = [track]
        try chinook.sqlite(
            "DELETE FROM playlist_track WHERE TrackId = \(key); DELETE FROM tracks WHERE TrackId = \(key)")
        let other = ChinookTrack(context: context)
        other.album = try context.fetch(FetchRequest<ChinookAlbum>()).first
        #expect { try context.save() } throws: {
            ($0 as? ObjectStorageError)?.code == .conflict
        }
        playlist.tracks = []
        try context.save()
        #expect(try #require(other.objectID.primaryKey) > key)
        #expect(try chinook.sqlite("SELECT count(*) FROM playlist_track WHERE TrackId = \(key)") == "0")

        let artist = try artist(7, in: context)
        let album = ChinookAlbum(context: context)
        album.title = "new"
        album.artist = artist
        try chinook.sqlite("PRAGMA foreign_keys = OFF; DELETE FROM artists WHERE ArtistId >= 3")
        let newArtist = ChinookArtist(context: context)
        newArtist.name = "new"
        for _ in 0..<5 {
            let more = ChinookArtist(context: context)
            more.name = "more"
        }
        #expect { try context.save() } throws: {
            ($0 as? ObjectStorageError)?.code == .conflict
        }
        album.artist = newArtist
        try context.save()
        #expect(
            try chinook.sqlite("SELECT Name FROM albums JOIN artists USING (ArtistId) WHERE Title = 'new'")
                == "new")
    }

    @Test(arguments: bothWays)
    func `a row that is written again keeps its key beside a new row`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        context.mergePolicy = .contextWins
        let kept = try artist(7, in: context)
        kept.name = "kept"
        try chinook.sqlite("PRAGMA foreign_keys = OFF; DELETE FROM artists WHERE ArtistId = 7")
        let new = try insert("new", in: context)
        #expect(try chinook.sqlite("SELECT Name FROM artists WHERE ArtistId = 7") == "kept")
        #expect(new.objectID.primaryKey == 8)
    }

    @Test func `a reference to a row that does not exist reserves no keys`() throws {
        try chinook.sqlite(
            "PRAGMA foreign_keys = OFF; UPDATE albums SET ArtistId = \(Int64.max - 1) WHERE AlbumId = 1")
        let context = try chinook.open(.tracked).newContext()
        let album = try #require(
            try context.fetch(FetchRequest<ChinookAlbum>(sortDescriptors: [.ascending("objectID")])).first)
        album.title = "changed"
        #expect(try insert("new", in: context).objectID.primaryKey == 8)
    }

    @Test(arguments: bothWays)
    func `an object whose key was given to another row is deleted`(way: StoreOptions.ExistingTables) throws {
        let context = try chinook.open(way).newContext()
        let old = try artist(7, in: context)
        try chinook.sqlite("PRAGMA foreign_keys = OFF; DELETE FROM artists WHERE ArtistId = 7")
        let new = try insert("new", in: context)
        #expect(new.objectID.primaryKey == 4)
        let highest = try artist(4, in: context)
        #expect(highest === new)
        #expect(!old.isDeleted)
        // The largest key is free again, and the context still has its previous object.
        let oldest = try artist(3, in: context)
        try chinook.sqlite("DELETE FROM artists WHERE ArtistId > 2")
        let other = try chinook.open(way).newContext()
        let stale = try artist(2, in: other)
        try chinook.sqlite("DELETE FROM artists WHERE ArtistId = 2")
        let again = try insert("again", in: other)
        #expect(again.objectID == stale.objectID)
        #expect(stale !== again)
        #expect(stale.isDeleted)
        #expect(!again.isDeleted && again.name == "again")
        #expect(try artist(2, in: other) === again)
        try context.mergeChangesFromStore()
        #expect(oldest.isDeleted)
        #expect(new.isDeleted)
    }

    @Test(arguments: bothWays)
    func `changes of the old row are not written over a new row with its key`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try chinook.open(way).newContext()
        let artist = try artist(7, in: context)
        artist.name = "Björk Guðmundsdóttir"
        try chinook.sqlite("DELETE FROM artists WHERE ArtistId = 7; INSERT INTO artists VALUES (7, 'Other')")
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict)
        context.rollback()
        context.delete(artist)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        context.rollback()
        try context.mergeChangesFromStore()
        #expect(artist.name == "Other")
    }

    @Test func `the sequence of an AUTOINCREMENT table is continued`() throws {
        let owner = try Chinook(
            schema: "CREATE TABLE artists (ArtistId INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT);",
            rows: "INSERT INTO artists VALUES (40, 'x'), (41, 'y'); DELETE FROM artists WHERE ArtistId = 41")
        let entity = EntityDescription(
            name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
            existingTable: ExistingTable(name: "artists", primaryKey: "ArtistId"))
        let context = try PersistentContainer(
            url: owner.url, model: ManagedObjectModel(entities: [entity]),
            options: StoreOptions(existingTables: .untracked)
        ).newContext()
        let new = try context.insert(entityNamed: "Artist")
        new["name"] = "z"
        try context.save()
        #expect(new.objectID.primaryKey == 42)
        #expect(try owner.sqlite("SELECT seq FROM sqlite_sequence") == "42")
    }

    @Test func `a batch inserts into a table without rowids`() throws {
        let owner = try Chinook(
            schema: "CREATE TABLE artists (ArtistId INTEGER PRIMARY KEY, Name TEXT) WITHOUT ROWID;", rows: "")
        let entity = EntityDescription(
            name: "Artist", attributes: [AttributeDescription(name: "name", type: .string)],
            existingTable: ExistingTable(name: "artists", primaryKey: "ArtistId"))
        let context = try PersistentContainer(
            url: owner.url, model: ManagedObjectModel(entities: [entity]),
            options: StoreOptions(existingTables: .tracked)
        ).newContext()
        let rows: [[String: StoredValue]] = [["name": "a"], ["name": "b"]]
        let result = try context.batchInsert(
            ManagedObject.self, entityName: "Artist", rows: rows, resultType: .objectIDs)
        #expect(result.objectIDs.map(\.primaryKey) == [1, 2])
        #expect(try owner.sqlite("SELECT * FROM artists") == "1|a\n2|b")
    }

    @Test func `a table that has used the largest key accepts no more objects`() throws {
        try chinook.sqlite("INSERT INTO artists VALUES (9223372036854775807, 'last')")
        let context = try chinook.open().newContext()
        #expect(try artist(.max, in: context).name == "last")
        ChinookArtist(context: context).name = "more"
        #expect(throws: ObjectStorageError.self) { try context.save() }
        let rows: [[String: StoredValue]] = [["name": "x"]]
        let error = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(ChinookArtist.self, rows: rows)
        }
        #expect(error?.message.contains("has used its last key") == true)
    }
}
