import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import SectionedFetch
import Testing

/// Apps that change the files of a store while it is read.
extension PreservedFilesTests {
    @Test func `an app that repeatedly opens, writes and closes the store never hides rows`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: .neither, in: directory)
        let app = Process()
        app.executableURL = URL(filePath: try #require(Python.path))
        app.arguments = ["-c", Self.restlessApp, copy.path]
        try app.run()
        var (opened, changed) = (0, 0)
        while opened < 20, changed < 1_000 {
            try #require(app.isRunning)
            do throws(ObjectStorageError) {
                let context = try PersistentContainer(coreDataStore: copy).newContext()
                let objects = try context.fetch(Self.request)
                // Each transaction of the app gives all rows the same title.
                #expect(objects.count == 10 && Set(objects.map { $0["title"] }).count == 1)
                opened += 1
            } catch {
                #expect(error.code == .storeChanged, "\(error)")
                changed += 1
            }
        }
        // A program that a thread of a pool starts has SIGTERM blocked.
        kill(app.processIdentifier, SIGKILL)
        app.waitUntilExit()
        #expect(opened == 20, "\(changed) times the store changed while it was read")
    }

    /// A program that opens a store for each transaction, and pauses after some of them for longer than a
    /// reading takes.
    private static let restlessApp = """
        import sqlite3, sys, time
        number = 0
        while True:
            number += 1
            c = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
            c.execute("update ZBOOKMARKENTITY set ZTITLE = 'title %d'" % number)
            time.sleep(0.01 * (number % 4))
            c.close()
            time.sleep(0.05 * (number % 6))
        """

    @Test(arguments: [false, true])
    func `a store that gets a write-ahead log meanwhile is not changed`(isSurveyed: Bool) throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: .rollbackJournalMode, in: directory)
        var options = StoreOptions(isReadOnly: true, existingTables: .untracked)
        options.preservesFiles = true
        let store = try CoreDataStore(contentsOf: copy)
        let context = try PersistentContainer(store, options: options).newContext()
        #expect(try context.count(for: Self.request) == 10)
        try SampleStore.execute(
            "PRAGMA journal_mode = WAL; UPDATE ZBOOKMARKENTITY SET ZTITLE = 'other'", in: copy)
        let before = try SampleStore.contents(of: directory.url)
        #expect(before.count == 1)
        let error = #expect(throws: ObjectStorageError.self) { try context.count(for: Self.request) }
        #expect(error?.code == .storeChanged)
        #expect(throws: ObjectStorageError.self) { try context.fetch(Self.request) }
        if isSurveyed { _ = try DatabaseSurvey(of: copy) }
        #expect(try SampleStore.contents(of: directory.url) == before)
        let again = try PersistentContainer(coreDataStore: copy).newContext()
        #expect(try again.count(for: Self.request) == 10)
        #expect(try SampleStore.contents(of: directory.url) == before)
    }
}
