import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import SectionedFetch
import Testing

/// Histories that do not have the changes of a list.
extension CoreDataHistoryTests {
    /// Starts a program that has the store open, so that the store is read with locks.
    private func app() throws -> App {
        let app = App(process: Process(), input: Pipe())
        let output = Pipe()
        app.process.executableURL = URL(filePath: try #require(Python.path))
        app.process.arguments = [
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM ZWRITER').fetchall(); print('open', flush=True); sys.stdin.read()",
            store.path,
        ]
        (app.process.standardInput, app.process.standardOutput) = (app.input, output)
        try app.process.run()
        #expect(try output.fileHandleForReading.read(upToCount: 5) == Data("open\n".utf8))
        return app
    }

    @Test func `the history of a restored store is not continued`() throws {
        try save([feedback(2, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'a' WHERE Z_PK = 2")], time: 7e8)
        try SampleStore.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: store)
        let backup = try Data(contentsOf: store)
        try save([feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'b' WHERE Z_PK = 3")], time: 7.1e8)
        _ = try start()
        try SampleStore.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: store)
        // The same file gets its earlier contents, and then other transactions with the same keys.
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
        let file = try FileHandle(forWritingTo: store)
        try file.write(contentsOf: backup)
        try file.truncate(atOffset: UInt64(backup.count))
        try file.close()
        try save([feedback(4, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'c' WHERE Z_PK = 4")], time: 7.2e8)
        try save([feedback(5, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'd' WHERE Z_PK = 5")], time: 7.3e8)
        expectMiss(try start())
    }

    @Test(arguments: [false, true])
    @MainActor func `a followed list reports the rows that the history lists`(isUntrusted: Bool) async throws
    {
        let app = try app()
        defer { app.stop() }
        let controller = try controller(isCached: false, isUntrusted: isUntrusted)
        var changes = controller.changes.makeAsyncIterator()
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 444)
        let object = try #require(controller.fetchedObjects?.first { $0.objectID.primaryKey == 7 })
        #expect(object["authorAlias"] != .text("Zoe"))
        try save([
            feedback(7, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'Zoe' WHERE Z_PK = 7"),
            feedback(8, "DELETE FROM ZFEEDBACK WHERE Z_PK = 8", kind: 2),
        ])
        let change = try #require(await changes.next())
        #expect(change.rowEvents.map(\.kind).sorted { "\($0)" < "\($1)" } == [.deletion, .move])
        #expect(change.rowEvents.compactMap(\.objectID.primaryKey).sorted() == [7, 8])
        #expect(object["authorAlias"] == .text("Zoe"))
        try save([feedback(9, "UPDATE ZFEEDBACK SET ZCOMMENT = 'new' WHERE Z_PK = 9")])
        let update = try #require(await changes.next())
        #expect(update.rowEvents.map(\.kind) == [.update])
        #expect(update.rowEvents.first?.objectID.primaryKey == 9)
        // A program that does not add to the history.
        try save([feedback(10, "UPDATE ZFEEDBACK SET ZCOMMENT = 'newer' WHERE Z_PK = 10")], isListed: false)
        _ = await changes.next()
        let shown = controller.fetchedObjects?.first { $0.objectID.primaryKey == 10 }
        #expect(shown?["comment"] == .text("newer"))
    }

    @Test @MainActor func `a followed list does not read the history of another schema`() async throws {
        let app = try app()
        defer { app.stop() }
        let controller = try controller(isCached: false)
        var changes = controller.changes.makeAsyncIterator()
        try controller.performFetch()
        // A migration gives the entities other numbers.
        try SampleStore.execute("CREATE TABLE other (a)", in: store)
        try save([
            Change(sql: "UPDATE ZFEEDBACK SET ZCOMMENT = 'new' WHERE Z_PK = 9", entity: 4, key: 9, kind: 1)
        ])
        _ = await changes.next()
        try save([
            Change(sql: "UPDATE ZFEEDBACK SET ZCOMMENT = 'newer' WHERE Z_PK = 9", entity: 4, key: 9, kind: 1)
        ])
        func shown() -> StoredValue? {
            controller.fetchedObjects?.first { $0.objectID.primaryKey == 9 }?["comment"]
        }
        while shown() != .text("newer") { _ = await changes.next() }
    }

    @Test func `a context that is pinned advances the list`() throws {
        _ = try start()
        try save([feedback(3, "UPDATE ZFEEDBACK SET ZAUTHORALIAS = 'Zoe' WHERE Z_PK = 3")])
        Thread.sleep(forTimeInterval: 0.15)
        let controller = try controller()
        try controller.managedObjectContext.setQueryGeneration(from: .current)
        try controller.performFetch()
        expectAdvance(controller.cacheLookup, by: 1)
        let computed = try self.controller(isCached: false)
        try computed.performFetch()
        #expect(outline(controller) == outline(computed))
    }

    @Test func `references that a batch deletion clears without listing them are found`() throws {
        try SampleStore.execute(
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'trigger'", in: store)
        _ = try start("Page", key: "book.title")
        try save([
            Change(sql: "DELETE FROM ZBOOK WHERE Z_PK = 1", entity: 1, key: 1, kind: 2),
            Change(sql: "UPDATE ZPAGE SET ZBOOK = NULL WHERE ZBOOK = 1", entity: 5, key: 1, kind: 1),
        ])
        expectMiss(try start("Page", key: "book.title"))
    }

    @Test func `pairs that the history does not list are found`() throws {
        let store = try SampleStore.copy("bnr-coredatastack/TestModel.sqlite", to: directory)
        try StoreOracle.fill(storeAt: store.path, seed: 3)
        try SampleStore.execute(
            """
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZTIMESTAMP FLOAT);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
            INSERT INTO ATRANSACTION VALUES (1, 7e8);
            DELETE FROM Z_1BOOKS; UPDATE ZBOOK SET ZTITLE = 'x';
            """, in: store)
        func keys(isCached: Bool) throws -> (keys: [Int64?], lookup: CacheLookup?) {
            Thread.sleep(forTimeInterval: 0.15)
            let context = try PersistentContainer(coreDataStore: store, options: options()).newContext()
            let request = FetchRequest<ManagedObject>(
                entityName: "Author", predicate: try .init(format: "ANY books.title == 'x'"),
                sortDescriptors: [.ascending("objectID")])
            let controller = try FetchedResultsController(
                fetchRequest: request, context: context, sectionNameKeyPath: nil,
                cacheName: isCached ? "authors" : nil, cacheStore: caches)
            try controller.performFetch()
            caches.waitForWrites()
            return (controller.fetchedObjects?.map(\.objectID.primaryKey) ?? [], controller.cacheLookup)
        }
        #expect(try keys(isCached: true).keys.isEmpty)
        try SampleStore.execute(
            """
            BEGIN; INSERT INTO ATRANSACTION VALUES (2, 7.1e8);
            INSERT INTO Z_1BOOKS (Z_1AUTHORS, Z_2BOOKS) SELECT a.Z_PK, b.Z_PK FROM ZAUTHOR a, ZBOOK b;
            INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) SELECT 1, 1, min(Z_PK), 2 FROM ZAUTHOR;
            COMMIT
            """, in: store)
        let found = try keys(isCached: true)
        #expect(try found.keys == keys(isCached: false).keys && found.keys.count > 1)
        expectMiss(found.lookup)
    }
}

/// A program that has a store open.
private struct App {
    let process: Process
    let input: Pipe

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
