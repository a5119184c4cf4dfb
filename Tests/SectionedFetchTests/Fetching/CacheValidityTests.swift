import Foundation
import SectionedFetch
import Testing

@Suite struct CacheValidityTests {
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

    /// Fills the cache, and checks that the next start uses it.
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

    /// Fetches as after a restart, and compares the results with a fetch without a cache.
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
    func `a change by another program is detected for every kind of statement`(sql: String) throws {
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
    func `changes that the request does not read or that were rolled back leave a hit`(sql: String) throws {
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
    func `changes to tables and triggers are detected, and tracking is repaired`(sql: String) throws {
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

    @Test func `a store restored from a backup shows the backup's sections, even after later changes`() throws
    {
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

    @Test func `each different request has its own entry under the same cache name`() throws {
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
        // A cache name keeps eight entries, so only the last eight variants can hit.
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

    @Test func `a look-up names the changed parts of the request`() throws {
        var other = request
        other.predicate = \.year < 50
        let controller = try catalogue.restarted(other, by: "department")
        #expect(try controller.lookUpCache().map(String.init(describing:))?.contains("predicate") == true)
        try controller.performFetch()
        #expect(controller.missReason == .requestChanged(parts: ["predicate"]))
    }

    @Test func `controllers keep their results after their cache is deleted`() throws {
        let controller = try catalogue.restarted(request, by: "department")
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == true)
        FetchedResultsController<Artwork>.deleteCache(named: "artworks", in: catalogue.caches)
        FetchedResultsController<Artwork>.deleteCache(named: "unknown", in: catalogue.caches)
        catalogue.caches.waitForWrites()
        #expect(controller.fetchedObjects?.count == 100)
        #expect(controller.fetchedObjects?.compactMap(\.title).count == 100)
        let after = try catalogue.restarted(request, by: "department")
        try after.performFetch()
        #expect(after.missReason == .absent)
    }

    @Test func `a cache directory that is deleted while in use is created again`() throws {
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
    func `a store made from an original or edited dump does not hit the entries of the dumped store`(
        found: String, replaced: String
    ) throws {
        let store = catalogue.url.appending(path: "store.sqlite")
        var dump = try ForeignProgram.run([".dump"], store: store)
        if !found.isEmpty {
            let range = try #require(dump.range(of: found, options: found.hasPrefix("'") ? .backwards : []))
            dump.replaceSubrange(range, with: replaced)
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

    /// Fetches from a copy of the store with the same caches, compares the sections with a fetch without
    /// them, and returns the result of the look-up.
    private func start(on copy: URL) throws -> CacheLookup? {
        let outlines = try ["artworks", nil].map { name in
            let controller = try FetchedResultsController(
                fetchRequest: request,
                context: PersistentContainer(url: copy, model: Catalogue.model()).newContext(),
                sectionNameKeyPath: "department", cacheName: name.map { try CacheName($0) },
                cacheStore: SectionCacheStore(directory: catalogue.caches.directory))
            try controller.performFetch()
            controller.settle()
            return (controller.outline, controller.cacheLookup)
        }
        #expect(outlines[0].0 == outlines[1].0)
        return outlines[0].1
    }

    @Test(arguments: ["restored", "changed without triggers", "made anew"])
    func `copies that reach the same schema version in different ways do not share entries`(
        way: String
    ) throws {
        let store = catalogue.url.appending(path: "store.sqlite")
        try ForeignProgram.run(["PRAGMA wal_checkpoint(TRUNCATE)"], store: store)
        let dump = try ForeignProgram.run([".dump"], store: store)
        let triggers = try ForeignProgram.run(
            ["SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Artwork'"],
            store: store)
        for (number, name) in ["Movie", "Cinema"].enumerated() {
            let copy = catalogue.url.appending(path: "copy \(number).sqlite")
            try FileManager.default.copyItem(at: store, to: copy)
            let script = catalogue.url.appending(path: "script.sql")
            func run(_ text: String, on store: URL) throws {
                try text.write(to: script, atomically: true, encoding: .utf8)
                try ForeignProgram.run([".read '\(script.path)'"], store: store)
            }
            switch way {
            case "restored":
                let edited = catalogue.url.appending(path: "edited \(number).sqlite")
                try run(dump.replacing("'Film'", with: "'\(name)'"), on: edited)
                try ForeignProgram.run([".restore '\(edited.path)'"], store: copy)
            case "changed without triggers":
                try run(
                    "BEGIN; DROP TRIGGER sc_Artwork_update; UPDATE Artwork SET department = '\(name)' WHERE department = 'Film'; DROP TRIGGER sc_Artwork_insert; DROP TRIGGER sc_Artwork_delete; \(triggers) COMMIT;",
                    on: copy)
            default:
                try run(
                    "BEGIN; CREATE TABLE Other AS SELECT * FROM Artwork; DELETE FROM Other; DROP TABLE Other; DROP TRIGGER sc_Artwork_delete; DROP TRIGGER sc_Artwork_insert; DELETE FROM Artwork WHERE objectID > \(50 + number); DROP TRIGGER sc_Artwork_update; \(triggers) COMMIT;",
                    on: copy)
            }
            #expect(try start(on: copy)?.isHit == false)
            #expect(try start(on: copy)?.isCurrent == true)
        }
    }

    @Test(arguments: ["FAIL, 'no'", "IGNORE"])
    func `a row is detected even if another program's trigger ends the statement`(action: String) throws {
        try catalogue.runElsewhere(
            "CREATE TRIGGER keep AFTER INSERT ON Artwork WHEN NEW.title LIKE 'Q%' BEGIN SELECT RAISE(\(action)); END"
        )
        _ = try restart()
        #expect(try restart().cacheLookup?.isCurrent == true)
        // The statement fails and the row stays.
        try? catalogue.runElsewhere("INSERT INTO Artwork (title, department) VALUES ('Quux', 'Film')")
        let controller = try restart()
        #expect(controller.outline == ["Drawings:33", "Film:35", "Prints:33"])
        #expect(controller.cacheLookup?.isCurrent == false)
    }

    @Test func `the deletion of a row that REPLACE displaces by a default value is detected`() throws {
        try catalogue.runElsewhere(
            "ALTER TABLE Artwork ADD COLUMN code TEXT NOT NULL DEFAULT 'it''s'",
            "UPDATE Artwork SET code = CASE objectID WHEN 3 THEN 'it''s' ELSE objectID END",
            "CREATE UNIQUE INDEX codes ON Artwork (code)")
        _ = try restart()
        #expect(try restart().cacheLookup?.isCurrent == true)
        try catalogue.runElsewhere(
            "INSERT OR REPLACE INTO Artwork (title, department, code) VALUES ('new', 'Film', NULL)")
        let controller = try restart()
        #expect(controller.outline.map { Int($0.split(separator: ":")[1]) ?? 0 }.reduce(0, +) == 100)
        #expect(controller.cacheLookup?.isAdvanced == true)
        try catalogue.runElsewhere("UPDATE OR REPLACE Artwork SET code = NULL WHERE objectID = 7")
        #expect(try restart().fetchedObjects?.count == 99)
    }

    @Test func `a change log that another program emptied is not used`() throws {
        try catalogue.runElsewhere(
            "UPDATE Artwork SET department = 'X' WHERE objectID = 7; DELETE FROM sc_log")
        #expect(try restart().outline.contains("X:1"))
    }

    @Test func `a view or a virtual table instead of a table is refused`() throws {
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

    @Test func `without the table that identifies the store, a fetch computes its sections`() throws {
        try catalogue.runElsewhere("ALTER TABLE sc_store RENAME TO Elsewhere")
        let controller = try FetchedResultsController(
            fetchRequest: request, context: catalogue.container.newContext(),
            sectionNameKeyPath: "department", cacheName: "artworks", cacheStore: catalogue.caches)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 100)
        #expect(controller.missReason == .dirty(dependencies: ["Artwork"]))
    }

    @Test func `verification finds the cache equal`() throws {
        let controller = try catalogue.restarted(request, by: "department")
        #expect(try controller.verifyCache() == .equal(sections: 3, rows: 100))
    }

    @Test(arguments: ["Artwork": "UPDATE Artwork SET year = 1", "Artist": "UPDATE Artist SET name = 'Bea'"])
    func `verification names the table that another program changed, and no other`(
        tableName: String, sql: String
    ) throws {
        let request = FetchRequest<Artwork>(sortDescriptors: [.ascending("artist.name")])
        try warm(request, by: "artist.name")
        let controller = try catalogue.restarted(request, by: "artist.name")
        #expect(try controller.verifyCache() == .equal(sections: 1, rows: 100))
        try catalogue.runElsewhere(sql)
        #expect(try controller.verifyCache() == .unused(.dirty(dependencies: [tableName])))
    }

    @Test func `a hit computes nothing`() throws {
        // The rows are deleted with the triggers off, so only the cache can supply the old sections.
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
