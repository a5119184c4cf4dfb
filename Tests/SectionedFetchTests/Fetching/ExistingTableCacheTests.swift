import Foundation
import SectionedFetch
import Testing

private final class Song: ManagedObject {
    override class var existingTable: ExistingTable? {
        ExistingTable(
            name: "Songs", primaryKey: "id", columns: ["singer": "singer_id"],
            links: ["lists": ExistingLinkTable(name: "listed", ownColumn: "song", otherColumn: "list")])
    }
    @Attribute var title: String = ""
    @Attribute var genre: String?
    @Relationship var singer: Singer?
    @Relationship var lists: Set<List>
}

private final class Singer: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "singers", primaryKey: "id") }
    @Attribute var name: String = ""
}

private final class List: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "lists", primaryKey: "id") }
    @Attribute var name: String = ""
}

@Suite final class ExistingTableCacheTests {
    private let directory: URL
    private let store: URL
    private let caches: SectionCacheStore
    private let schema = """
        CREATE TABLE singers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE Songs (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, genre TEXT COLLATE NOCASE,
            singer_id INTEGER REFERENCES singers ON DELETE CASCADE);
        CREATE TABLE lists (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE listed (song INTEGER, list INTEGER, PRIMARY KEY (song, list)) WITHOUT ROWID;
        CREATE TABLE unrelated (x);
        """
    private let rows = """
        INSERT INTO singers VALUES (1, 'Ann'), (2, 'Bob');
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
            INSERT INTO Songs SELECT i, 'song ' || i, CASE i % 3 WHEN 0 THEN 'rock' WHEN 1 THEN 'jazz' END, 1 + i % 2 FROM n;
        INSERT INTO lists VALUES (1, 'mine'); INSERT INTO listed VALUES (3, 1), (4, 1);
        """

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = directory.appending(path: "songs.db")
        caches = SectionCacheStore(directory: directory.appending(path: "caches"))
        try sqlite(schema + rows)
    }

    deinit {
        caches.waitForWrites()
        try? FileManager.default.removeItem(at: directory)
    }

    @discardableResult
    private func sqlite(_ sql: String) throws -> String {
        try ForeignProgram.run([sql], store: store)
    }

    /// Fetches as after a restart, and compares the section counts and titles with the `sqlite3` shell's.
    @discardableResult
    private func start(
        _ way: StoreOptions.ExistingTables = .tracked, where predicate: FetchRequest<Song>.Predicate? = nil,
        _ condition: String = "1"
    ) throws -> FetchedResultsController<Song> {
        let container = try PersistentContainer(
            url: store, model: ManagedObjectModel(types: Song.self, Singer.self, List.self),
            options: StoreOptions(existingTables: way))
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Song>(
                predicate: predicate, sortDescriptors: [.ascending(\.genre), .ascending(\.title)]),
            context: container.newContext(), sectionNameKeyPath: "genre", cacheName: "songs",
            cacheStore: SectionCacheStore(directory: caches.directory))
        try controller.performFetch()
        controller.settle()
        #expect(
            controller.sections?.map { "\($0.numberOfObjects)" }.joined(separator: "\n") ?? ""
                == (try sqlite("SELECT count(*) FROM Songs WHERE \(condition) GROUP BY genre COLLATE BINARY"))
        )
        #expect(
            controller.fetchedObjects?.map(\.title).joined(separator: "\n") ?? ""
                == (try sqlite(
                    "SELECT title FROM Songs WHERE \(condition) ORDER BY genre COLLATE BINARY, title")))
        return controller
    }

    @Test(arguments: [
        "INSERT INTO Songs VALUES (100, 'new', 'pop', NULL)", "UPDATE songs SET genre = 'ROCK' WHERE id = 6",
        "REPLACE INTO Songs VALUES (7, 'r', 'jazz', 1)",
        "INSERT INTO Songs VALUES (7, 'u', 'jazz', 1) ON CONFLICT (id) DO UPDATE SET genre = 'upserted'",
        "UPDATE OR REPLACE Songs SET title = 'song 9' WHERE id = 10",
        "DELETE FROM SONGS WHERE id = 7", "DELETE FROM Songs",
        "PRAGMA foreign_keys = ON; DELETE FROM singers WHERE id = 2",
        "PRAGMA foreign_keys = ON; REPLACE INTO singers VALUES (1, 'Ann')",
        "UPDATE Songs SET id = 1000 WHERE id = 7",
    ])
    func `a change by another program is detected for every kind of statement`(sql: String) throws {
        try start()
        #expect(try start().cacheLookup?.isHit == true)
        try sqlite(sql)
        #expect(try start().cacheLookup?.isAdvanced == true)
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test(arguments: [
        "INSERT INTO unrelated VALUES (1)", "UPDATE singers SET name = 'Cy' WHERE id = 1",
        "DELETE FROM listed", "BEGIN; DELETE FROM Songs; ROLLBACK",
    ])
    func `changes that the request does not read leave the cache a hit`(sql: String) throws {
        try start()
        try sqlite(sql)
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `changes to related tables and link tables are detected if the request reads them`() throws {
        let bySinger = try FetchRequest<Song>.Predicate(format: "singer.name == 'Ann'")
        let ann = "singer_id IN (SELECT id FROM singers WHERE name = 'Ann')"
        try start(where: bySinger, ann)
        #expect(try start(where: bySinger, ann).cacheLookup?.isHit == true)
        try sqlite(
            "UPDATE singers SET name = 'Ann ' WHERE id = 1; UPDATE singers SET name = 'Ann' WHERE id = 2")
        #expect(try start(where: bySinger, ann).cacheLookup?.isAdvanced == true)
        let listed = try FetchRequest<Song>.Predicate(format: "ANY lists.name == 'mine'")
        let condition = "id IN (SELECT song FROM listed)"
        try start(where: listed, condition)
        try sqlite("INSERT INTO listed VALUES (5, 1)")
        #expect(try start(where: listed, condition).cacheLookup?.isAdvanced == true)
        #expect(try start(where: listed, condition).cacheLookup?.isHit == true)
    }

    @Test(arguments: [
        // The triggers are dropped with the table.
        "DROP TABLE Songs; CREATE TABLE Songs (id INTEGER PRIMARY KEY, title, genre, singer_id); INSERT INTO Songs VALUES (1, 't', 'g', NULL)",
        "CREATE TABLE copy AS SELECT * FROM Songs; DROP TABLE Songs; CREATE TABLE Songs (id INTEGER PRIMARY KEY, title, genre, singer_id); INSERT INTO Songs SELECT id, title, 'all', singer_id FROM copy",
        // The triggers stay with the renamed table.
        "ALTER TABLE Songs RENAME TO old; CREATE TABLE Songs (id INTEGER PRIMARY KEY, title, genre, singer_id); INSERT INTO Songs SELECT id, title, 'all', NULL FROM old",
        "ALTER TABLE Songs RENAME TO old; ALTER TABLE old RENAME TO Songs; UPDATE Songs SET genre = 'x'",
        "DROP TRIGGER sc_Songs_update; UPDATE Songs SET genre = 'y'",
        "ALTER TABLE Songs ADD COLUMN more",
        "ALTER TABLE Songs RENAME COLUMN genre TO kind; ALTER TABLE Songs RENAME COLUMN kind TO genre",
    ])
    func `a changed table definition is a miss, and tracking is repaired`(sql: String) throws {
        try start()
        #expect(try start().cacheLookup?.isHit == true)
        try sqlite(sql)
        #expect(try start().cacheLookup?.isCurrent == false)
        #expect(try start().cacheLookup?.isHit == true)
        try sqlite("UPDATE Songs SET genre = 'z' WHERE id = 1")
        #expect(try start().cacheLookup?.isCurrent == false)
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `a save of a context is detected as well`() throws {
        let controller = try start()
        let song = try #require(controller.fetchedObjects?.first)
        song.genre = "saved"
        try controller.managedObjectContext.save()
        #expect(try start().cacheLookup?.isAdvanced == true)
        #expect(try start().cacheLookup?.isHit == true)
        song.singer = nil
        try controller.managedObjectContext.save()
        #expect(try start().cacheLookup?.isCurrent == false)
    }

    @Test func `without tracking, every start computes, writes nothing and reports .untracked`() throws {
        let before = try sqlite("PRAGMA schema_version; SELECT * FROM sqlite_schema")
        for _ in 0..<2 {
            let controller = try start(.untracked)
            #expect(controller.missReason == .untracked)
            #expect(
                controller.cacheLookup?.description
                    == "miss: the store is opened without change tracking, so only reading all data could show whether a cache is current"
            )
            guard case .miss(.untracked)? = try controller.lookUpCache() else {
                Issue.record("lookUpCache() gives another reason than the fetch")
                return
            }
            #expect(try controller.verifyCache() == .unused(.untracked))
            try sqlite("UPDATE Songs SET genre = 'u' WHERE id = 9")
        }
        #expect(!FileManager.default.fileExists(atPath: caches.directory.path))
        #expect(try sqlite("PRAGMA schema_version; SELECT * FROM sqlite_schema") == before)
    }

    /// An untracked container does not use the entry that a tracked one saved, and the next tracked one
    /// detects the rows that the untracked one saved.
    @Test func `saves of an untracked container are detected like those of another program`() throws {
        try start()
        let untracked = try start(.untracked)
        #expect(untracked.missReason == .untracked)
        untracked.fetchedObjects?.first?.genre = "by hand"
        try untracked.managedObjectContext.save()
        #expect(try start().cacheLookup?.isAdvanced == true)
    }
}
