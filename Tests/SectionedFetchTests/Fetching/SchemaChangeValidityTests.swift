import Foundation
import GRDB
import SectionedFetch
import Testing

/// Cache validity after schema changes: changes that do not affect the rows of a request, and changes that
/// only seem not to.
@Suite struct SchemaChangeValidityTests {
    let catalogue: Catalogue
    let request = SectionedFetch.FetchRequest<Artwork>(
        sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        try catalogue.fill(60)
        _ = try start()
        #expect(try start()?.isCurrent == true)
    }

    private var store: URL { catalogue.url.appending(path: "store.sqlite") }

    /// Fetches as after a restart, compares the results with a fetch without a cache, and returns the result
    /// of the look-up.
    @discardableResult
    private func start(_ container: PersistentContainer? = nil) throws -> CacheLookup? {
        let container = try container ?? PersistentContainer(url: store, model: Catalogue.model())
        let outlines = try ["artworks", nil].map { name in
            let controller = try FetchedResultsController(
                fetchRequest: request, context: container.newContext(), sectionNameKeyPath: "department",
                cacheName: name.map { try CacheName($0) },
                cacheStore: SectionCacheStore(directory: catalogue.caches.directory))
            try controller.performFetch()
            controller.settle()
            return (controller.outline, controller.fetchedObjects?.map(\.title), controller.cacheLookup)
        }
        #expect(outlines[0].0 == outlines[1].0)
        #expect(outlines[0].1 == outlines[1].1)
        return outlines[0].2
    }

    /// Returns the names and the statements of the triggers of the table `Artwork`.
    private func triggers() throws -> [(name: String, sql: String)] {
        try DatabaseQueue(path: store.path).read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'Artwork'
                    ORDER BY rowid
                    """
            ).map { ($0["name"], $0["sql"]) }
        }
    }

    private func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: store.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test func `a pool that is closed after each start hits at every start`() throws {
        let options = StoreOptions(connections: .pool)
        for number in 0..<6 {
            let container = try PersistentContainer(url: store, model: Catalogue.model(), options: options)
            #expect(try start(container)?.isCurrent == true, "start \(number)")
        }
    }

    @Test(arguments: ["queue", "pool"])
    func `an application's connection in WAL mode that is closed after each start hits`(
        kind: String
    ) throws {
        for number in 0..<6 {
            var configuration = Configuration()
            configuration.journalMode = .wal
            let writer: any DatabaseWriter =
                kind == "queue"
                ? try DatabaseQueue(path: store.path, configuration: configuration)
                : try DatabasePool(path: store.path)
            let container = try PersistentContainer(writer: writer, model: Catalogue.model())
            #expect(try start(container)?.isCurrent == true, "start \(number)")
            try writer.close()
        }
    }

    @Test(arguments: [
        "CREATE INDEX others ON Artwork (year)", "CREATE INDEX others ON Note (text)", "ANALYZE",
        "CREATE TABLE others (a); INSERT INTO others VALUES (1); DROP TABLE others",
        "CREATE TABLE others (a)", "CREATE VIEW others AS SELECT * FROM Artwork",
        "CREATE TRIGGER others AFTER INSERT ON Note BEGIN SELECT 1; END",
    ])
    func `a schema change that does not affect the rows of the request is a hit`(sql: String) throws {
        try change(sql)
        #expect(try start()?.isCurrent == true)
        try change("UPDATE Artwork SET department = 'X' WHERE objectID % 5 = 0")
        #expect(try start()?.isCurrent == false)
        #expect(try start()?.isCurrent == true)
    }

    @Test(arguments: 1...5)
    func `dropping and recreating the last triggers of a table is detected`(
        count: Int
    ) throws {
        let triggers = try triggers().suffix(count)
        let dropped = triggers.map { "DROP TRIGGER \"\($0.name)\";" }.joined()
        let made = triggers.map { $0.sql + ";" }.joined()
        let write = "UPDATE Artwork SET department = 'X' WHERE objectID % 5 = 0"
        try change("BEGIN; \(dropped) \(write); \(made) COMMIT")
        #expect(try start()?.isCurrent == false)
        #expect(try start()?.isCurrent == true)
    }

    @Test(arguments: ["sqlb_temp_table_1", "Artwork_new_0a1b2c3d4e5f", "_alembic_tmp_Artwork"])
    func `a table that another tool rebuilds with the library's triggers is detected`(name: String) throws {
        let made = try triggers().map { $0.sql + ";" }.joined()
        let table = try DatabaseQueue(path: store.path).read {
            try String.fetchOne(
                $0, sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'Artwork'")
        }
        let creation = try #require(
            table?.replacing("CREATE TABLE \"Artwork\"", with: "CREATE TABLE \"\(name)\""))
        try change(
            """
            PRAGMA foreign_keys = OFF; BEGIN; \(creation); INSERT INTO "\(name)" SELECT * FROM Artwork;
            UPDATE "\(name)" SET department = 'X' WHERE objectID % 5 = 0; DROP TABLE Artwork;
            ALTER TABLE "\(name)" RENAME TO Artwork; \(made) COMMIT
            """)
        #expect(try start()?.isCurrent == false)
        #expect(try start()?.isCurrent == true)
    }

    @Test(arguments: [
        "AFTER UPDATE OF nonce ON sc_gen WHEN NEW.nonce IS NULL BEGIN UPDATE sc_gen SET nonce = OLD.nonce WHERE id = NEW.id; END",
        "BEFORE UPDATE ON SC_GEN BEGIN SELECT RAISE(IGNORE); END",
        "AFTER UPDATE ON sc_gen BEGIN DELETE FROM sc_log; END",
    ])
    func `nothing is cached while the table of version stamps has another program's trigger`(
        text: String
    ) throws {
        try change("CREATE TRIGGER others \(text)")
        for number in 0..<3 {
            #expect(try start()?.isCurrent == false)
            try change("UPDATE Artwork SET department = 'X\(number)' WHERE objectID % 5 = 0")
        }
        #expect(try start()?.isCurrent == false)
        try change("DROP TRIGGER others; UPDATE Artwork SET department = 'Y' WHERE objectID % 5 = 0")
        #expect(try start()?.isCurrent == false)
        #expect(try start()?.isCurrent == true)
    }

    @Test(arguments: ["DELETE FROM sc_log WHERE key % 2 = 0", "UPDATE sc_log SET key = 1000 WHERE key = 10"])
    func `a change log with deleted or changed rows is not used`(sql: String) throws {
        // First in the current epoch, then in an epoch that a version stamp ends.
        try change("UPDATE Artwork SET department = 'X' WHERE objectID % 5 = 0; \(sql)")
        #expect(try start()?.isAdvanced == false)
        #expect(try start()?.isCurrent == true)
        try catalogue.container.write { writer in _ = try writer.table("Note").columns }
        try change("UPDATE Artwork SET department = 'Y' WHERE objectID % 5 = 0")
        let context = try PersistentContainer(url: store, model: Catalogue.model()).newContext()
        Artwork(context: context).title = "stamped"
        try context.save()
        try change(sql)
        #expect(try start()?.isAdvanced == false)
        #expect(try start()?.isCurrent == true)
    }

    @Test func `dropping a parent table, which clears the references to its rows, is detected`() throws {
        try change(
            """
            INSERT INTO Artist (name) VALUES ('Ann'); UPDATE Artwork SET artist = 1;
            """)
        _ = try start()
        #expect(try start()?.isCurrent == true)
        try change("PRAGMA foreign_keys = ON; DROP TABLE Artist")
        let changed = try DatabaseQueue(path: store.path).read {
            try Bool.fetchOne($0, sql: "SELECT nonce IS NULL FROM sc_gen WHERE tbl = 'Artwork'")
        }
        #expect(changed == true)
    }
}
