import Foundation
import SectionedFetch
import Testing

@Suite struct `Cache validity` {
    let catalogue: Catalogue
    let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        let context = catalogue.container.newContext()
        let artist = Artist(context: context)
        artist.name = "Ann"
        for number in 0..<100 {
            let artwork = Artwork(context: context)
            artwork.department = ["Film", "Drawings", "Prints"][number % 3]
            artwork.title = "title \(number)"
            artwork.year = Int32(number)
            artwork.artist = artist
        }
        Note(context: context).text = "nothing reads this"
        try context.save()
        try warm()
    }

    /// Fills the cache and sees to it that it is used.
    private func warm(_ request: FetchRequest<Artwork>? = nil, by key: SectionKey = "department") throws {
        let first = try catalogue.restarted(request ?? self.request, by: key)
        try first.performFetch()
        first.settle()
        let second = try catalogue.restarted(request ?? self.request, by: key)
        try second.performFetch()
        #expect(
            second.cacheLookup?.isHit == true, "\(second.cacheLookup.map(String.init(describing:)) ?? "")")
        #expect(second.outline == first.outline)
        #expect(second.fetchedObjects?.map(\.objectID) == first.fetchedObjects?.map(\.objectID))
    }

    /// Fetches as a new start would, and checks the results against a fetch without a cache.
    private func restart(by key: SectionKey = "department") throws -> FetchedResultsController<Artwork> {
        let controller = try catalogue.restarted(request, by: key)
        try controller.performFetch()
        let plain = try catalogue.restarted(request, by: key, cacheName: nil)
        try plain.performFetch()
        #expect(controller.outline == plain.outline)
        #expect(controller.fetchedObjects?.map(\.title) == plain.fetchedObjects?.map(\.title))
        controller.settle()
        return controller
    }

    @Test(arguments: [
        "INSERT INTO Artwork (title, department) VALUES ('new', 'Film')",
        "UPDATE Artwork SET department = 'X' WHERE objectID = 7",
        "DELETE FROM Artwork WHERE objectID = 7", "DELETE FROM Artwork",
        "REPLACE INTO Artwork (objectID, title) VALUES (7, 'r')",
        "UPDATE Artwork SET objectID = 1000 WHERE objectID = 7",
        "BEGIN; SAVEPOINT a; UPDATE Artwork SET title = 'q'; ROLLBACK TO a; DELETE FROM Artwork WHERE objectID = 3; COMMIT",
        "PRAGMA foreign_keys = ON; DELETE FROM Artist",
    ])
    func `a change by another program is noticed, whatever the statement`(sql: String) throws {
        try catalogue.runElsewhere(sql)
        let controller = try restart()
        #expect(controller.cacheLookup?.isAdvanced == true)
        #expect(try restart().cacheLookup?.isHit == true)
    }

    @Test(arguments: [
        "UPDATE Note SET text = 'changed'", "INSERT INTO Note (text) VALUES ('more')",
        "UPDATE Artist SET name = 'Bob'",
        "BEGIN; DELETE FROM Artwork; ROLLBACK", "BEGIN; UPDATE Artwork SET title = 'x'; ROLLBACK",
    ])
    func `what the request does not read, or was rolled back, leaves the cache a hit`(sql: String) throws {
        try catalogue.runElsewhere(sql)
        #expect(try restart().cacheLookup?.isHit == true)
    }

    @Test(arguments: [
        "DROP TRIGGER sc_Artwork_update; UPDATE Artwork SET department = 'X'",
        "ALTER TABLE Artwork ADD COLUMN more TEXT",
        "DROP TRIGGER sc_Artwork_update; CREATE TRIGGER sc_Artwork_update AFTER UPDATE ON Artwork BEGIN SELECT 1; END; UPDATE Artwork SET title = 'y'",
        """
        CREATE TABLE copy AS SELECT * FROM Artwork; UPDATE copy SET department = 'Y';
        CREATE TRIGGER keep AFTER INSERT ON Note BEGIN SELECT 1; END; DELETE FROM Artwork;
        INSERT INTO Artwork SELECT * FROM copy
        """,
    ])
    func `changes to tables and triggers are noticed, and tracking is mended`(sql: String) throws {
        try catalogue.runElsewhere(sql)
        #expect(try restart().cacheLookup?.isCurrent == false)
        #expect(try restart().cacheLookup?.isHit == true)
        try catalogue.runElsewhere("UPDATE Artwork SET department = 'Z' WHERE objectID = 9")
        #expect(try restart().cacheLookup?.isCurrent == false)
    }

    @Test func `a copied store hits only while its content is equal`() throws {
        let copy = catalogue.url.appending(path: "copy.sqlite")
        try catalogue.runElsewhere("VACUUM INTO '\(copy.path)'")
        func open(_ url: URL) throws -> FetchedResultsController<Artwork> {
            let container = try PersistentContainer(url: url, model: Catalogue.model())
            let controller = try FetchedResultsController(
                fetchRequest: request, context: container.newContext(), sectionNameKeyPath: "department",
                cacheName: "artworks", cacheStore: catalogue.caches)
            try controller.performFetch()
            controller.settle()
            return controller
        }
        let before = try open(copy).outline
        #expect(before == ["Drawings:33", "Film:34", "Prints:33"])
        let container = try PersistentContainer(url: copy)
        try container.write { writer in
            let table = try writer.table("Artwork")
            var values = [StoredValue](repeating: .null, count: table.columns.count)
            values[1] = "Film"
            _ = try table.insert(values)
        }
        #expect(try open(copy).outline == ["Drawings:33", "Film:35", "Prints:33"])
        #expect(try restart().outline == before)
    }

    @Test func `a store restored from a backup is right, also after other changes`() throws {
        let store = catalogue.url.appending(path: "store.sqlite")
        let backup = catalogue.url.appending(path: "backup.sqlite")
        try catalogue.runElsewhere("VACUUM INTO '\(backup.path)'")
        try catalogue.runElsewhere("UPDATE Artwork SET department = 'Later'")
        #expect(try restart().outline == ["Later:100"])
        let restored = catalogue.url.appending(path: "restored.sqlite")
        try FileManager.default.copyItem(at: backup, to: restored)
        try Data().write(to: catalogue.url.appending(path: "unrelated"))
        let container = try PersistentContainer(url: restored, model: Catalogue.model())
        let controller = try FetchedResultsController(
            fetchRequest: request, context: container.newContext(), sectionNameKeyPath: "department",
            cacheName: "artworks", cacheStore: catalogue.caches)
        try controller.performFetch()
        #expect(controller.outline == ["Drawings:33", "Film:34", "Prints:33"])
        _ = store
    }

    @Test func `every difference in the request is another entry under the same name`() throws {
        var variants: [(FetchRequest<Artwork>, SectionKey)] = [(request, "department")]
        func add(_ key: SectionKey = "department", _ change: (inout FetchRequest<Artwork>) -> Void) {
            var other = request
            change(&other)
            variants.append((other, key))
        }
        add { $0.predicate = \.year < 50 }
        add { $0.predicate = \.year < 51 }
        add { $0.sortDescriptors = [.descending(\.department), .ascending(\.title)] }
        add { $0.sortDescriptors = [.ascending(\.department), .descending(\.title)] }
        add { $0.sortDescriptors = [.ascending(\.department, nulls: .last), .ascending(\.title)] }
        add { $0.fetchLimit = 10 }
        add { $0.fetchOffset = 10 }
        add("artist.name") { $0.sortDescriptors = [.ascending("artist.name")] }
        // Eight entries of a name are kept, so only as many can be asked for.
        for (request, key) in variants.suffix(8) {
            let controller = try catalogue.restarted(request, by: key)
            try controller.performFetch()
            controller.settle()
        }
        for (request, key) in variants.suffix(8) {
            let controller = try catalogue.restarted(request, by: key)
            try controller.performFetch()
            #expect(
                controller.cacheLookup?.isHit == true,
                "\(request.predicate.map(String.init(describing:)) ?? "")")
            let plain = try catalogue.restarted(request, by: key, cacheName: nil)
            try plain.performFetch()
            #expect(controller.outline == plain.outline)
            #expect(controller.fetchedObjects?.map(\.title) == plain.fetchedObjects?.map(\.title))
        }
    }

    @Test func `a look-up says what changed in the request`() throws {
        var other = request
        other.predicate = \.year < 50
        let controller = try catalogue.restarted(other, by: "department")
        #expect(try controller.lookUpCache().map(String.init(describing:))?.contains("predicate") == true)
        try controller.performFetch()
        #expect(controller.missReason == .requestChanged(parts: ["predicate"]))
    }

    @Test func `a deleted cache leaves its controllers answering`() throws {
        let controller = try catalogue.restarted(request, by: "department")
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == true)
        FetchedResultsController<Artwork>.deleteCache(named: "artworks", in: catalogue.caches)
        FetchedResultsController<Artwork>.deleteCache(named: "unknown", in: catalogue.caches)
        catalogue.caches.waitForSaves()
        #expect(controller.fetchedObjects?.count == 100)
        #expect(controller.fetchedObjects?.compactMap(\.title).count == 100)
        let after = try catalogue.restarted(request, by: "department")
        try after.performFetch()
        #expect(after.missReason == .absent)
    }

    @Test func `a cache directory that is deleted underneath is made again`() throws {
        let controller = try catalogue.restarted(request, by: "department")
        try controller.performFetch()
        try FileManager.default.removeItem(at: catalogue.caches.directory)
        try controller.performFetch()
        #expect(controller.missReason == .absent)
        controller.settle()
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == true)
    }

    @Test(arguments: [
        (" VALUES(7,", " VALUES(1007,"), ("'Film'", "'Movie'"), ("'title 42'", "'title 4'"),
        ("INSERT INTO Artwork VALUES(9,", "-- INSERT INTO Artwork VALUES(9,"), ("", ""),
    ])
    func `a store that is made from a dump, as it is or edited, has no sections of the one that was dumped`(
        found: String, replaced: String
    ) throws {
        let store = catalogue.url.appending(path: "store.sqlite")
        var dump = try ForeignProgram.run([".dump"], store: store)
        if !found.isEmpty {
            let place = try #require(dump.range(of: found, options: found.hasPrefix("'") ? .backwards : []))
            dump.replaceSubrange(place, with: replaced)
        }
        let script = catalogue.url.appending(path: "dump.sql")
        try dump.write(to: script, atomically: true, encoding: .utf8)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store.path + suffix)
        }
        try ForeignProgram.run([".read \(script.path)"], store: store)
        let controller = try restart()
        #expect(controller.cacheLookup?.isHit == false)
        #expect(try restart().cacheLookup?.isCurrent == true)
    }

    @Test func `a view or a virtual table in the place of a table is refused`() throws {
        for statement in [
            "ALTER TABLE Artwork RENAME TO Real; CREATE VIEW Artwork AS SELECT * FROM Real",
            "DROP VIEW Artwork; CREATE VIRTUAL TABLE Artwork USING fts5(title, department, year, added, artist)",
            "DROP TABLE Artwork; ALTER TABLE Real RENAME TO Artwork; ALTER TABLE sc_gen RENAME TO sc_real; CREATE VIEW sc_gen AS SELECT * FROM sc_real",
        ] {
            try catalogue.runElsewhere(statement)
            let error = try #require(throws: ObjectStorageError.self) {
                try catalogue.restarted(request, by: "department").performFetch()
            }
            #expect(
                error.code == .foreignStore && error.message.contains("a view or a virtual table"), "\(error)"
            )
        }
    }

    @Test func `verification finds the cache equal`() throws {
        let controller = try catalogue.restarted(request, by: "department")
        #expect(try controller.verifyCache() == .equal(sections: 3, rows: 100))
    }

    @Test func `a hit computes nothing`() throws {
        // With the rows gone behind the triggers' back, only a cache that is really used can give the old sections.
        try catalogue.runElsewhere(".dbconfig enable_trigger off", "DELETE FROM Artwork")
        let controller = try catalogue.restarted(request, by: "department")
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == true)
        #expect(controller.outline == ["Drawings:33", "Film:34", "Prints:33"])
        let gone = try #require(controller.fetchedObjects?.first)
        #expect(gone.title == nil)
        #expect(gone.readError?.code == .objectMissing)
    }
}
