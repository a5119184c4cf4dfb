import Foundation
import ObjectStorage
import Testing

@Suite struct ExternalTableRuleTests {
    let chinook: Chinook

    init() throws { chinook = try Chinook() }

    @Test func `a relationship in a NOT NULL column cannot be cleared`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Track", attributes: [], relationships: [.toOne("album", to: "Album")],
                existingTable: ExistingTable(
                    name: "tracks", primaryKey: "TrackId", columns: ["album": "AlbumId"])),
            EntityDescription(
                name: "Album", attributes: [],
                existingTable: ExistingTable(name: "albums", primaryKey: "AlbumId")),
        ])
        let context = try PersistentContainer(
            url: chinook.url, model: model, options: StoreOptions(existingTables: .untracked)
        ).newContext()
        context.delete(try context.object(with: ObjectID(entityName: "Album", primaryKey: 1)))
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .constraintViolation)
        #expect(error?.message.contains("“Track.album”") == true, "\(error?.message ?? "")")
        #expect(try chinook.sqlite("SELECT count(*) FROM albums") == "3")
    }

    @Test(arguments: [
        (
            "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, must TEXT NOT NULL)",
            "NOT NULL constraint failed: things.must"
        ),
        (
            "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT CHECK (length(name) < 2))",
            "CHECK constraint failed"
        ),
        (
            "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); CREATE TRIGGER no BEFORE INSERT ON things BEGIN SELECT RAISE(ABORT, 'not on Sundays'); END",
            "not on Sundays"
        ),
        (
            "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); CREATE TRIGGER no BEFORE INSERT ON things BEGIN SELECT RAISE(IGNORE); END",
            "it was not inserted"
        ),
        (
            "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); CREATE TRIGGER no AFTER INSERT ON things BEGIN DELETE FROM things WHERE id = NEW.id; END",
            "it was not inserted, or was deleted"
        ),
    ])
    func `a violated rule of an external table is a typed error with its cause`(
        schema: String, message: String
    ) throws {
        for way in bothWays {
            let owner = try Chinook(schema: schema, rows: "")
            let context = try things(owner, way).newContext()
            try context.insert(entityNamed: "Thing")["name"] = "longer"
            let error = #expect(throws: ObjectStorageError.self) { try context.save() }
            #expect(error?.code == .constraintViolation)
            #expect(error?.entityName == "Thing")
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(try owner.sqlite("SELECT count(*) FROM things") == "0")
            #expect(context.hasChanges)
        }
    }

    private func things(_ owner: Chinook, _ way: StoreOptions.ExistingTables) throws -> PersistentContainer {
        let entity = EntityDescription(
            name: "Thing", attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)],
            existingTable: ExistingTable(name: "things", primaryKey: "id"))
        return try PersistentContainer(
            url: owner.url, model: ManagedObjectModel(entities: [entity]),
            options: StoreOptions(existingTables: way))
    }

    @Test(arguments: bothWays)
    func `a duplicate unique value and a refused deletion are typed errors`(
        way: StoreOptions.ExistingTables
    ) throws {
        let owner = try Chinook(
            schema: """
                CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                CREATE TRIGGER keep BEFORE DELETE ON things WHEN OLD.name = 'kept' BEGIN SELECT RAISE(IGNORE); END;
                """, rows: "INSERT INTO things VALUES (1, 'one'), (2, 'kept')")
        let context = try things(owner, way).newContext()
        try context.insert(entityNamed: "Thing")["name"] = "one"
        #expect(throws: ObjectStorageError.self) { try context.save() }
        do throws(ObjectStorageError) {
            try context.save()
        } catch {
            #expect(error.code == .duplicateValue)
        }
        context.rollback()
        context.delete(try context.object(with: ObjectID(entityName: "Thing", primaryKey: 2)))
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .constraintViolation)
        #expect(error?.message.contains("still exists") == true)
        #expect(try owner.sqlite("SELECT count(*) FROM things") == "2")
    }

    @Test(arguments: bothWays)
    func `changes by existing triggers are visible after the save, here and in other contexts`(
        way: StoreOptions.ExistingTables
    ) throws {
        try chinook.sqlite(
            """
            CREATE TRIGGER tidy AFTER INSERT ON albums BEGIN UPDATE albums SET Title = upper(Title) WHERE AlbumId = NEW.AlbumId; END;
            CREATE TRIGGER echo AFTER UPDATE OF Title ON albums BEGIN
                UPDATE artists SET Name = Name || '!' WHERE ArtistId = NEW.ArtistId; END;
            """)
        let container = try chinook.open(way)
        let (context, other) = (container.newContext(), container.newContext())
        other.automaticallyMergesChanges = true
        let artist = try #require(
            try context.fetch(FetchRequest<ChinookArtist>(predicate: \.name == "Björk")).first)
        let same = try #require(try other.existingObject(with: artist.objectID) as? ChinookArtist)
        let album = ChinookAlbum(context: context)
        album.title = "Debut"
        album.artist = artist
        try context.save()
        #expect(album.title == "DEBUT")
        #expect(artist.name == "Björk!")
        try other.mergePendingChanges()
        #expect(same.name == "Björk!")
        album.title = "Post"
        try context.save()
        #expect(album.title == "Post")
        #expect(artist.name == "Björk!!")
        // No conflict remains.
        artist.name = "Björk"
        try context.save()
        #expect(try chinook.sqlite("SELECT Name FROM artists WHERE ArtistId = 7") == "Björk")
    }

    @Test func `a cascade of the existing schema is visible after the save`() throws {
        let cascading = Chinook.schema.replacing(
            "REFERENCES albums", with: "REFERENCES albums ON DELETE CASCADE")
        for way in bothWays {
            let owner = try Chinook(schema: cascading, rows: Chinook.rows + "DELETE FROM playlist_track;")
            let model = try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Track",
                    attributes: [AttributeDescription(name: "name", type: .string, isOptional: true)],
                    existingTable: ExistingTable(name: "tracks", primaryKey: "TrackId")),
                EntityDescription(
                    name: "Album", attributes: [],
                    existingTable: ExistingTable(name: "albums", primaryKey: "AlbumId")),
            ])
            let context = try PersistentContainer(
                url: owner.url, model: model, options: StoreOptions(existingTables: way)
            ).newContext()
            let tracks = try context.fetch(
                FetchRequest<ManagedObject>(entityName: "Track", sortDescriptors: [.ascending("objectID")]))
            context.delete(try context.object(with: ObjectID(entityName: "Album", primaryKey: 2)))
            try context.save()
            #expect(tracks.map(\.isDeleted) == [false, true, true])
        }
    }
}
