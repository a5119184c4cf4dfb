import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import SectionedFetch
import Testing

/// Lists of stores whose app keeps a persistent history: changed rows are read from it.
@Suite(
    .enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."),
    .timeLimit(.minutes(30)))
struct CoreDataHistoryTests {
    let directory: TemporaryDirectory
    let store: URL
    let caches: SectionCacheStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try SampleStore.copy("coredataplus/SampleModel2/SampleModel2_V1.sqlite", to: directory)
        caches = SectionCacheStore(directory: directory.file("caches"))
    }

    /// A change that an app saves: the SQL, and the row that the history lists for it.
    struct Change {
        let sql: String
        let entity: Int
        let key: Int
        let kind: Int
    }

    /// Saves changes as the app does, in a transaction of the history.
    ///
    /// - Parameter time: The time of the transaction; nil for the present.
    func save(_ changes: [Change], isListed: Bool = true, time: Double? = nil) throws {
        let list = changes.map { change in
            [change.sql, "\(change.entity)", "\(change.key)", "\(change.kind)"]
        }
        _ = try Python.output(
            of: """
                import json, sqlite3, sys, time
                c = sqlite3.connect(sys.argv[1], isolation_level=None)
                for name in ['NSCoreDataDATriggerUpdatedAffectedObjectValue', 'NSCoreDataDATriggerInsertUpdatedAffectedObjectValue']:
                    c.create_function(name, 5, lambda *a: None)
                c.execute('BEGIN IMMEDIATE')
                t = c.execute('SELECT ifnull(max(Z_PK), 0) + 1 FROM ATRANSACTION').fetchone()[0]
                if sys.argv[3] == 'listed':
                    c.execute('INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (?, 16002, 1, ?)', (t, float(sys.argv[4] or time.time())))
                for sql, entity, key, kind in json.loads(sys.argv[2]):
                    c.execute(sql)
                    if sys.argv[3] == 'listed':
                        c.execute('INSERT INTO ACHANGE (Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (16001, 1, ?, ?, ?, ?)', (kind, entity, key, t))
                c.execute('COMMIT')
                c.close()
                """,
            [
                store.path, String(decoding: JSONEncoder().encode(list), as: UTF8.self),
                isListed ? "listed" : "unlisted", time.map { "\($0)" } ?? "",
            ])
    }

    func feedback(_ key: Int, _ sql: String, kind: Int = 1) -> Change {
        Change(sql: sql, entity: 3, key: key, kind: kind)
    }

    func options(readsHistory: Bool = true, isUntrusted: Bool = false) -> StoreOptions {
        var options = StoreOptions(isUntrusted: isUntrusted, cachesByFileState: true)
        options.readsCoreDataHistory = readsHistory
        return options
    }

    func controller(
        _ entityName: String = "Feedback", key: String = "authorAlias",
        isCached: Bool = true, readsHistory: Bool = true, isUntrusted: Bool = false
    ) throws -> FetchedResultsController<ManagedObject> {
        let container = try PersistentContainer(
            coreDataStore: store, options: options(readsHistory: readsHistory, isUntrusted: isUntrusted))
        let request = FetchRequest<ManagedObject>(
            entityName: entityName,
            sortDescriptors: entityName == "Feedback"
                ? [.ascending("authorAlias"), .ascending("rating"), .ascending("objectID")]
                : [.ascending(.path(key)), .ascending("objectID")])
        let context = container.newContext()
        guard isCached else {
            return try FetchedResultsController(
                fetchRequest: request, context: context, sectionNameKeyPath: key)
        }
        return try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: key, cacheName: "list",
            cacheStore: caches)
    }

    func outline(_ controller: FetchedResultsController<ManagedObject>) -> [String] {
        var lines: [String] = []
        guard let sections = controller.sections else { return [] }
        for section in sections {
            lines.append(section.name)
            for object in section.objects {
                let values = object.entity.attributes.map { "\(object[$0.name])" }
                lines.append("\(object.objectID) \(values)")
            }
        }
        return lines
    }

    /// Fetches as after a restart, and compares the list with one that is computed without a cache.
    func start(
        _ entityName: String = "Feedback", key: String = "authorAlias",
        readsHistory: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> CacheLookup? {
        // The state of a file that has just changed is not trusted.
        Thread.sleep(forTimeInterval: 0.15)
        let controller = try controller(entityName, key: key, readsHistory: readsHistory)
        try controller.performFetch()
        caches.waitForWrites()
        let computed = try self.controller(entityName, key: key, isCached: false)
        try computed.performFetch()
        #expect(outline(controller) == outline(computed), sourceLocation: sourceLocation)
        return controller.cacheLookup
    }

    func expectMiss(_ lookup: CacheLookup?, sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .miss(.dataChanged) = lookup else {
            Issue.record("\(String(describing: lookup))", sourceLocation: sourceLocation)
            return
        }
    }

    func expectAdvance(
        _ lookup: CacheLookup?, by count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .advanced(_, let changed) = lookup else {
            Issue.record("\(String(describing: lookup))", sourceLocation: sourceLocation)
            return
        }
        #expect(changed == count, sourceLocation: sourceLocation)
    }

    @Test func `a start advances the list by the rows that the history lists`() throws {
        #expect(try start()?.isHit == false)
        #expect(try start()?.description == "hit")
        try save([
            feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'Zoe', ZRATING = 1 WHERE Z_PK = 3"),
            feedback(4, "DELETE FROM ZFEEDBACK WHERE Z_PK = 4", kind: 2),
            feedback(
                901,
                "INSERT INTO ZFEEDBACK (Z_PK, Z_ENT, Z_OPT, ZAUTHORALIAS, ZRATING) VALUES (901, 3, 1, 'Ann', 2)",
                kind: 0),
        ])
        expectAdvance(try start(), by: 3)
        #expect(try start()?.description == "hit")
        // Several transactions, and a checkpoint between them.
        try save([feedback(901, "UPDATE ZFEEDBACK SET ZRATING = 9 WHERE Z_PK = 901")])
        try SampleStore.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: store)
        try save([feedback(5, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = NULL WHERE Z_PK = 5")])
        expectAdvance(try start(), by: 2)
        // A change of another entity leaves the list as it is.
        try save([Change(sql: "UPDATE ZWRITER SET ZAGE = 5 WHERE Z_PK = 1", entity: 6, key: 1, kind: 1)])
        expectAdvance(try start(), by: 0)
        // Without the option, each change of the files is a miss.
        try save([feedback(5, "UPDATE ZFEEDBACK SET ZRATING = 3 WHERE Z_PK = 5")])
        expectMiss(try start(readsHistory: false))
    }

    @Test func `random saves of the app advance the list`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        _ = try start()
        var nextKey = 1_000
        for round in 0..<12 {
            var changes: [Change] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let key = Int.random(in: 1...444, using: &generator)
                let alias = ["NULL", "'Ann'", "'Bob'", "'Zoe'"].randomElement(using: &generator) ?? ""
                let rating = Int.random(in: 0...5, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    nextKey += 1
                    changes.append(
                        feedback(
                            nextKey,
                            "INSERT INTO ZFEEDBACK (Z_PK, Z_ENT, Z_OPT, ZAUTHORALIAS, ZRATING) VALUES (\(nextKey), 3, 1, \(alias), \(rating))",
                            kind: 0))
                case 1: changes.append(feedback(key, "DELETE FROM ZFEEDBACK WHERE Z_PK = \(key)", kind: 2))
                default:
                    changes.append(
                        feedback(
                            key,
                            "UPDATE ZFEEDBACK SET ZAUTHORALIAS = \(alias), ZRATING = \(rating) WHERE Z_PK = \(key)"
                        ))
                }
            }
            try save(changes)
            expectAdvance(try start(), by: Set(changes.map(\.key)).count)
            if round % 4 == 3 { try SampleStore.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: store) }
        }
    }

    @Test func `a list is advanced by changes of the objects that its relationships lead to`() throws {
        // Without triggers, the history lists every change of the books.
        try SampleStore.execute(
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'trigger'", in: store)
        let key = "book.author.alias"
        _ = try start("Page", key: key)
        // Two writers have all books, and a book has up to some hundred pages.
        let book = try pages(ofBook: 1)
        try save([Change(sql: "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 1", entity: 1, key: 1, kind: 1)])
        expectAdvance(try start("Page", key: key), by: book)
        try save([
            Change(sql: "DELETE FROM ZBOOK WHERE Z_PK = 2", entity: 1, key: 2, kind: 2),
            Change(sql: "UPDATE ZPAGE SET ZBOOK = NULL WHERE Z_PK = 7", entity: 4, key: 7, kind: 1),
        ])
        _ = try start("Page", key: key)
        #expect(try start("Page", key: key)?.description == "hit")
        try save([
            Change(sql: "UPDATE ZWRITER SET ZALIAS = 'New' WHERE Z_PK = 1", entity: 6, key: 1, kind: 1)
        ])
        _ = try start("Page", key: key)
        #expect(try start("Page", key: key)?.description == "hit")
    }

    func pages(ofBook key: Int) throws -> Int {
        let output = try Python.output(
            of:
                "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM ZPAGE WHERE ZBOOK = ?', (sys.argv[2],)).fetchone()[0])",
            [store.path, "\(key)"])
        return try #require(Int(String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)))
    }

    @Test func `a list is advanced by the objects that this library saved`() throws {
        _ = try start()
        var options = StoreOptions()
        options.coreDataWriting = .withoutCopy
        do {
            let context = try PersistentContainer(coreDataStore: store, options: options).newContext()
            let objects = try context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Feedback", sortDescriptors: [.ascending("objectID")]))
            objects[0]["authorAlias"] = .text("Zoe")
            context.delete(objects[1])
            let new = try context.insert(entityNamed: "Feedback")
            for name in ["authorAlias", "bookID", "comment", "rating"] {
                try new.setValue(objects[2].value(forProperty: name), forProperty: name)
            }
            try context.save()
        }
        expectAdvance(try start(), by: 3)
    }

    @Test func `a list is computed anew where the history does not continue`() throws {
        _ = try start()
        // Without a transaction of the history.
        try save([feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'x' WHERE Z_PK = 3")], isListed: false)
        expectMiss(try start())
        // The app deleted the earlier transactions.
        try save([feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'y' WHERE Z_PK = 3")])
        try SampleStore.execute(
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 1; DELETE FROM ATRANSACTION WHERE Z_PK = 1", in: store
        )
        expectMiss(try start())
        // The schema changed.
        try SampleStore.execute("CREATE TABLE other (a)", in: store)
        try save([feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'z' WHERE Z_PK = 3")])
        expectMiss(try start())
        // More changes than are listed.
        let many =
            "INSERT INTO ACHANGE (ZENTITY, ZENTITYPK, ZCHANGETYPE, ZTRANSACTIONID) WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 10001) SELECT 3, i, 1, (SELECT max(Z_PK) FROM ATRANSACTION) FROM r"
        try save([
            feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'w' WHERE Z_PK = 3"), feedback(3, many),
        ])
        expectMiss(try start())
        // A trigger changes rows that the history does not list.
        _ = try start("Book", key: "pagesCount")
        try save([
            Change(
                sql: "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZBOOK) VALUES (99999, 4, 1, 1)", entity: 4,
                key: 99_999, kind: 0)
        ])
        expectMiss(try start("Book", key: "pagesCount"))
    }
}
