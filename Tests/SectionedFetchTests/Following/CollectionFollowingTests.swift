import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Lists whose predicates read to-many relationships follow changes of the related rows.
///
/// The oracle is the fetch of a new context.
@Suite struct CollectionFollowingTests {
    /// Labels with artists, artists with albums and genres, albums with tracks; bands are artists.
    private static let json = """
        [{"name": "Label", "attributes": [{"name": "name", "type": "string"}],
          "relationships": [{"name": "artists", "destinationEntityName": "Artist", "isToMany": true, "inverseName": "label"}]},
         {"name": "Artist", "attributes": [{"name": "name", "type": "string"}],
          "relationships": [{"name": "label", "destinationEntityName": "Label", "inverseName": "artists"},
            {"name": "albums", "destinationEntityName": "Album", "isToMany": true, "inverseName": "artist"},
            {"name": "genres", "destinationEntityName": "Genre", "isToMany": true, "inverseName": "artists"},
            {"name": "pupils", "destinationEntityName": "Artist", "isToMany": true, "inverseName": "teacher"},
            {"name": "teacher", "destinationEntityName": "Artist", "inverseName": "pupils"},
            {"name": "guestTracks", "destinationEntityName": "Duet", "isToMany": true, "inverseName": "guest"},
            {"name": "favourites", "destinationEntityName": "Genre", "isToMany": true}]},
         {"name": "Band", "parentName": "Artist"},
         {"name": "Album", "attributes": [{"name": "year", "type": "integer32"}],
          "relationships": [{"name": "artist", "destinationEntityName": "Artist", "inverseName": "albums"},
            {"name": "tracks", "destinationEntityName": "Track", "isToMany": true, "inverseName": "album"}]},
         {"name": "Track", "attributes": [{"name": "length", "type": "double"}],
          "relationships": [{"name": "album", "destinationEntityName": "Album", "inverseName": "tracks"}]},
         {"name": "Duet", "parentName": "Track",
          "relationships": [{"name": "guest", "destinationEntityName": "Artist", "inverseName": "guestTracks"}]},
         {"name": "Genre", "attributes": [{"name": "name", "type": "string"}],
          "relationships": [{"name": "artists", "destinationEntityName": "Artist", "isToMany": true, "inverseName": "genres"}]}]
        """

    private static let rows = """
        INSERT INTO Label (name) VALUES ('x'), ('y');
        INSERT INTO Artist (".entity", name, label, teacher) VALUES ('Artist', 'a', 1, NULL), ('Artist', 'b', 1, 1),
            ('Band', 'c', 2, 1), ('Artist', 'd', NULL, 3), ('Band', 'e', 2, NULL);
        INSERT INTO Album (year, artist) VALUES (1980, 1), (1991, 1), (1992, 2), (1999, 3), (1985, 3), (2001, NULL);
        INSERT INTO Track (".entity", length, album, guest) VALUES ('Track', 1, 1, NULL), ('Track', 200, 2, NULL),
            ('Duet', 300, 3, 4), ('Duet', 50, 4, 4), ('Duet', 500, 6, 1);
        INSERT INTO Genre (name) VALUES ('jazz'), ('folk');
        INSERT INTO "Artist.genres" (source, target) VALUES (1, 1), (3, 1), (3, 2);
        INSERT INTO "Artist.favourites" (source, target) VALUES (1, 1), (2, 2)
        """

    private static let predicates = [
        "ANY albums.year > 1990", "albums.@count > 1", "NONE albums.year < 1990", "ALL albums.year > 1990",
        "albums.@max.year == 1999", "ANY albums.tracks.length > 100", "albums.tracks.@count == 1",
        "SUBQUERY(albums, $a, $a.year > 1985 AND ANY $a.tracks.length < 400).@count > 0",
        "ANY genres.name == 'jazz'", "genres.@count > 1", "ANY label.artists.albums.year > 1995",
        "ANY favourites.name == 'folk'", "SUBQUERY(label.artists, $b, $b.albums.@count > 1).@count > 0",
        "pupils.@count > 1", "SUBQUERY(pupils, $p, $p.name == 'c').@count == 1",
        "ANY pupils.label.name == 'y'",
        "name == 'd' OR teacher.albums.@count > 1", "guestTracks.@count > 1", "ANY guestTracks.length > 400",
        "ANY guestTracks.album.year == 1999",
    ]

    private static let changes = [
        "UPDATE Album SET artist = 4 WHERE year = 1991", "UPDATE Album SET artist = NULL WHERE artist = 3",
        "DELETE FROM Album WHERE artist = 1", "INSERT INTO Album (year, artist) VALUES (1999, 5), (1970, 2)",
        "UPDATE Album SET year = 1999 - year % 3", "UPDATE Track SET album = 5 WHERE length < 250",
        "DELETE FROM Track", "UPDATE Track SET guest = 2 WHERE guest = 4 AND length = 50",
        "UPDATE Track SET guest = NULL, album = 4 WHERE length = 500",
        "UPDATE Track SET length = 150; UPDATE Album SET artist = 5 WHERE artist = 3",
        "DELETE FROM Album WHERE year = 1999; UPDATE Track SET album = 1 WHERE length = 50",
        "DELETE FROM \"Artist.genres\" WHERE source = 3",
        "INSERT INTO \"Artist.genres\" (source, target) VALUES (4, 1), (1, 2)",
        "UPDATE Genre SET name = 'rock' WHERE name = 'jazz'", "DELETE FROM \"Artist.favourites\"",
        "UPDATE Artist SET label = 2 WHERE label = 1", "UPDATE Artist SET label = NULL",
        "UPDATE Artist SET teacher = 5 WHERE teacher = 1", "UPDATE Artist SET name = 'c' WHERE name = 'b'",
        "DELETE FROM Artist WHERE name = 'c'; UPDATE Artist SET teacher = NULL WHERE teacher = 3",
        "INSERT INTO Album (year, artist) VALUES (1960, 1); UPDATE Album SET artist = 2 WHERE year = 1960",
    ]

    /// Changes after which the log lacks the artists that the album belonged to before.
    private static let replacements = [
        "REPLACE INTO Album (objectID, year, artist) VALUES (2, 2005, 4)",
        "UPDATE OR REPLACE Album SET objectID = 2 WHERE objectID = 6",
    ]

    private final class Listener: FetchedResultsControllerDelegate {
        typealias Object = ManagedObject
        var reloads = 0
        var rows: [ObjectID] = []

        func controller(
            _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith change: ResultsChange
        ) {
            if change.isReload { reloads += 1 }
            rows = controller.fetchedObjects?.map(\.objectID) ?? []
        }
    }

    private func request(_ format: String) throws -> FetchRequest<ManagedObject> {
        FetchRequest(
            entityName: "Artist", predicate: try FetchRequest<ManagedObject>.Predicate(format: format),
            sortDescriptors: [.ascending("name")])
    }

    private func controller(
        _ format: String, _ store: TemporaryStore, in context: ManagedObjectContext
    ) throws -> FetchedResultsController<ManagedObject> {
        try FetchedResultsController(
            fetchRequest: request(format), context: context, sectionNameKeyPath: nil as SectionKey?,
            cacheName: try CacheName("artists: \(format)"), cacheStore: store.caches)
    }

    private func makeStore() throws -> TemporaryStore {
        let store = try TemporaryStore(ManagedObjectModel(jsonText: Self.json))
        try store.runElsewhere(Self.rows)
        return store
    }

    /// Returns a new store with a list that a delegate follows.
    private func follow(_ format: String) throws -> (
        store: TemporaryStore, context: ManagedObjectContext, listener: Listener,
        controller: FetchedResultsController<ManagedObject>
    ) {
        let store = try makeStore()
        let context = store.container.newContext()
        let (listener, controller) = try follow(format, store, in: context)
        return (store, context, listener, controller)
    }

    /// Returns a list of a store that a delegate follows.
    private func follow(
        _ format: String, _ store: TemporaryStore, in context: ManagedObjectContext
    ) throws -> (listener: Listener, controller: FetchedResultsController<ManagedObject>) {
        let listener = Listener()
        let controller = try controller(format, store, in: context)
        controller.delegate = listener
        try controller.performFetch()
        listener.rows = controller.fetchedObjects?.map(\.objectID) ?? []
        return (listener, controller)
    }

    /// The predicates, beginning with another one for each change.
    private func predicates(for change: String) -> [String] {
        let first = ((Self.changes + Self.replacements).firstIndex(of: change) ?? 0) % Self.predicates.count
        return Array(Self.predicates[first...] + Self.predicates[..<first])
    }

    @Test(arguments: changes + replacements)
    func `a start advances the entry by rows whose related rows another program changed`(
        change: String
    ) throws {
        let store = try makeStore()
        let formats = predicates(for: change)
        for format in formats {
            try controller(format, store, in: store.container.newContext()).performFetch()
        }
        store.caches.waitForWrites()
        try store.runElsewhere(change)
        for format in formats {
            let next = try controller(format, store, in: store.container.newContext())
            try next.performFetch()
            let fetched = try store.container.newContext().fetch(request(format)).map(\.objectID)
            #expect(next.fetchedObjects?.map(\.objectID) == fetched, "\(format)")
            #expect(
                next.cacheLookup?.isHit == true || Self.replacements.contains(change),
                "\(format): \(next.cacheLookup as Any)")
        }
    }

    @Test(arguments: changes + replacements)
    func `a list reports what commits of others change, without a reload`(change: String) throws {
        let store = try makeStore()
        let context = store.container.newContext()
        let lists = try predicates(for: change).map { ($0, try follow($0, store, in: context)) }
        defer { withExtendedLifetime(lists) {} }
        try store.runElsewhere(change)
        try context.mergeChangesFromStore()
        for (format, list) in lists {
            let fetched = try store.container.newContext().fetch(request(format)).map(\.objectID)
            #expect(list.listener.rows == fetched && list.listener.reloads == 0, "\(format)")
        }
    }

    @Test(arguments: ["albums.@count > 1", "ANY albums.year > 1990", "ANY genres.name == 'jazz'"])
    func `a rollback restores the rows that unsaved changes of related rows brought or removed`(
        format: String
    ) throws {
        let (store, context, listener, controller) = try follow(format)
        defer { withExtendedLifetime(store) {} }
        let before = controller.fetchedObjects?.map(\.objectID)
        func object(_ entity: String, _ key: Int64) throws -> ManagedObject {
            try context.existingObject(with: ObjectID(entityName: entity, primaryKey: key))
        }
        let other = try context.existingObject(with: ObjectID(entityName: "Artist", primaryKey: 4))
        for key in [1, 2, 4, 5] as [Int64] {
            try object("Album", key).setRelatedObject(other, forRelationship: "artist")
        }
        try other.setRelatedObjects([object("Genre", 1)], forRelationship: "genres")
        try context.processPendingChanges()
        #expect(listener.rows.contains(other.objectID) && listener.rows != before)
        context.rollback()
        #expect(listener.rows == before && listener.reloads == 0)
    }

    @Test func `a save of more rows than the log holds is followed`() throws {
        let (store, context, listener, controller) = try follow("albums.@count > 1")
        defer { withExtendedLifetime((store, controller)) {} }
        for year in 0..<5_000 {
            let album = try context.insert(entityNamed: "Album")
            album["year"] = .integer(Int64(year))
            try album.setRelatedObject(
                context.existingObject(with: ObjectID(entityName: "Artist", primaryKey: Int64(year % 4 + 1))),
                forRelationship: "artist")
        }
        try context.save()
        #expect(listener.rows.count == 4)
        for album in try context.fetch(FetchRequest<ManagedObject>(entityName: "Album")) {
            context.delete(album)
        }
        try context.save()
        #expect(listener.rows.isEmpty)
    }

    @Test func `a change that more rows read than are examined is followed by fetching again`() throws {
        let store = try makeStore()
        try store.runElsewhere(
            """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 25000)
            INSERT INTO Artist (objectID, ".entity", name) SELECT i, 'Artist', i FROM n;
            INSERT INTO "Artist.genres" (source, target) SELECT objectID, 2 FROM Artist WHERE objectID >= 100
            """)
        let context = store.container.newContext()
        let listener = Listener()
        let controller = try controller("ANY genres.name == 'folk'", store, in: context)
        controller.delegate = listener
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 25_001)
        try store.runElsewhere("UPDATE Genre SET name = 'other' WHERE name = 'folk'")
        try context.mergeChangesFromStore()
        #expect(controller.fetchedObjects?.count == 0)
        try store.runElsewhere("UPDATE Genre SET name = 'folk' WHERE name = 'jazz'")
        try context.mergeChangesFromStore()
        let fetched = try store.container.newContext().fetch(request("ANY genres.name == 'folk'"))
        #expect(controller.fetchedObjects?.map(\.objectID) == fetched.map(\.objectID) && fetched.count == 2)
    }

    @Test func `an owner with the key 0 in an external table is examined when it loses a row`() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("mixed.sqlite")
        try ForeignProgram.run(
            [
                "CREATE TABLE singers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO singers VALUES (0, 'a'), (1, 'b')"
            ],
            store: url)
        let model = try ManagedObjectModel(
            jsonText: """
                [{"name": "Artist", "attributes": [{"name": "name", "type": "string", "isOptional": true}],
                  "relationships": [{"name": "albums", "destinationEntityName": "Album", "isToMany": true, "inverseName": "artist"}],
                  "existingTable": {"name": "singers", "primaryKey": "id"}},
                 {"name": "Album", "attributes": [{"name": "year", "type": "integer32"}],
                  "relationships": [{"name": "artist", "destinationEntityName": "Artist", "inverseName": "albums"}]}]
                """)
        let container = try PersistentContainer(
            url: url, model: model, options: StoreOptions(existingTables: .tracked))
        try ForeignProgram.run(["INSERT INTO Album (year, artist) VALUES (1999, 0)"], store: url)
        let context = container.newContext()
        let listener = Listener()
        let controller = try FetchedResultsController(
            fetchRequest: request("ANY albums.year > 1990"), context: context)
        controller.delegate = listener
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.objectID.primaryKey) == [0])
        for (change, keys) in [
            ("UPDATE Album SET artist = 1", [1]), ("UPDATE Album SET artist = 0", [0]),
            ("DELETE FROM Album", []),
        ] as [(String, [Int64])] {
            try ForeignProgram.run([change], store: url)
            try context.mergeChangesFromStore()
            #expect(controller.fetchedObjects?.compactMap(\.objectID.primaryKey) == keys, "\(change)")
        }
        #expect(listener.reloads == 0)
    }
}
