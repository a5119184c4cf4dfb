import CheckSupport
import CoreDataStores
import Foundation
import ObjectStorage
import SectionedFetch
import Testing

/// Reading a store changes none of the files that an app left, and detects writes of the app.
@Suite(.enabled(if: SampleStore.isThere, "SKIPPED: the stores of Core Data or python3 are missing."))
struct PreservedFilesTests {
    static let path = "duckduckgo-bookmarks/Bookmarks_V3.sqlite"
    static let request = FetchRequest<ManagedObject>(entityName: "BookmarkEntity")

    /// The files that an app may leave beside its store.
    enum Files: String, CaseIterable {
        case logAndIndex, logAlone, emptyLogAndIndex, neither, rollbackJournalMode
    }

    static func store(with files: Files, in directory: TemporaryDirectory) throws -> URL {
        let copy = try SampleStore.copy(path, to: directory)
        switch files {
        case .logAndIndex: break
        case .logAlone: try FileManager.default.removeItem(atPath: copy.path + "-shm")
        case .emptyLogAndIndex:
            try SampleStore.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: copy)
            try Data().write(to: URL(filePath: copy.path + "-wal"))
            try Data(count: 32_768).write(to: URL(filePath: copy.path + "-shm"))
        case .neither:
            try SampleStore.execute(
                "UPDATE ZBOOKMARKENTITY SET ZTITLE = 'zero'; PRAGMA wal_checkpoint(TRUNCATE)", in: copy)
        case .rollbackJournalMode: try SampleStore.execute("PRAGMA journal_mode = DELETE", in: copy)
        }
        return copy
    }

    @Test(arguments: Files.allCases)
    func `no file is changed or created, and all rows are read`(files: Files) throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: files, in: directory)
        let before = try SampleStore.contents(of: directory.url)
        let counts: [Files: Int] = [.logAndIndex: 3, .emptyLogAndIndex: 3, .logAlone: 2]
        #expect(before.count == counts[files] ?? 1)
        do {
            let container = try PersistentContainer(coreDataStore: copy)
            #expect(container.isReadOnly && !container.isTracked)
            let context = container.newContext()
            #expect(try context.count(for: Self.request) == 10)
            let objects = try context.fetch(Self.request)
            let titles = try objects.map { try $0.value(forProperty: "title") }
            #expect(titles.count == 10 && Set(titles).count > (files == .neither ? 0 : 5))
            #expect(try SampleStore.contents(of: directory.url) == before)
            objects[0]["title"] = .text("changed")
            #expect(throws: ObjectStorageError.self) { try context.save() }
        }
        #expect(try SampleStore.contents(of: directory.url) == before)
    }

    @Test(arguments: Files.allCases)
    func `a store behind symbolic links is read with the files beside the target`(files: Files) throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let copy = try Self.store(with: files, in: directory)
        let (link, first) = (other.file("link.sqlite"), other.file("first.sqlite"))
        try FileManager.default.createSymbolicLink(at: first, withDestinationURL: copy)
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: "first.sqlite")
        let before = try SampleStore.contents(of: directory.url)
        let whole = try StoreOracle.lines(of: PersistentContainer(coreDataStore: copy))
        #expect(whole.count > 10)
        #expect(try StoreOracle.lines(of: PersistentContainer(coreDataStore: link)) == whole)
        #expect(try DatabaseSurvey.kind(of: link) == .coreDataStore)
        #expect(try DatabaseSurvey(of: link).kind == .coreDataStore)
        #expect(try SampleStore.contents(of: directory.url) == before)
        #expect(try SampleStore.contents(of: other.url).keys.sorted() == ["first.sqlite", "link.sqlite"])
    }

    /// Makes a database whose last transaction was interrupted, so that SQLite must roll it back.
    private static func interruptedStore(in directory: TemporaryDirectory) throws -> URL {
        let copy = directory.file("interrupted.sqlite")
        _ = try Python.output(
            of: """
                import sqlite3, shutil, sys
                path = sys.argv[1]
                c = sqlite3.connect(path, isolation_level=None)
                c.execute('PRAGMA cache_size = 2')
                c.execute('CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT)')
                c.execute("INSERT INTO t (n) WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 2000) SELECT 'before' FROM r")
                c.execute('BEGIN')
                c.execute("UPDATE t SET n = 'after' || hex(zeroblob(100))")
                for end in ['', '-journal']:
                    shutil.copy(path + end, path + '.copy' + end)
                c.execute('ROLLBACK')
                c.close()
                for end in ['', '-journal']:
                    shutil.move(path + '.copy' + end, path + end)
                """, [copy.path])
        return copy
    }

    @Test(arguments: [false, true])
    func `an interrupted transaction is rolled back in a copy only`(isLinked: Bool) throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let copy = try Self.interruptedStore(in: directory)
        let url = isLinked ? other.file("link") : copy
        if isLinked { try FileManager.default.createSymbolicLink(at: url, withDestinationURL: copy) }
        let before = try SampleStore.contents(of: directory.url)
        #expect(before.count == 2)
        let survey = try DatabaseSurvey(of: url)
        var options = StoreOptions(isReadOnly: true, existingTables: .untracked, cachesByFileState: true)
        options.preservesFiles = true
        let context = try PersistentContainer(url: url, model: survey.model, options: options).newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: "t", predicate: try .init(format: "n == 'before'"))
        #expect(try context.count(for: request) == 2_000)
        #expect(try SampleStore.contents(of: directory.url) == before)
        // The state of the files is not the state of the rows that were read.
        let caches = SectionCacheStore(directory: other.file("caches"))
        func list(_ context: ManagedObjectContext) throws -> FetchedResultsController<ManagedObject> {
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<ManagedObject>(
                    entityName: "t", sortDescriptors: [.ascending("objectID")]),
                context: context, sectionNameKeyPath: "n", cacheName: "rows", cacheStore: caches)
            try controller.performFetch()
            caches.waitForWrites()
            return controller
        }
        for _ in 0..<2 {
            let controller = try list(context)
            #expect(controller.sections?.map(\.name) == ["before"])
            guard case .miss(.unsettled)? = controller.cacheLookup else {
                Issue.record("\(String(describing: controller.cacheLookup))")
                return
            }
            Thread.sleep(forTimeInterval: 0.15)
        }
        try SampleStore.execute("UPDATE t SET n = 'now'", in: copy)
        let later = try PersistentContainer(url: url, model: survey.model, options: options).newContext()
        #expect(try list(later).sections?.map(\.name) == ["now"])
    }

    @Test func `an empty file beside a log is refused, and the log is kept`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: .logAlone, in: directory)
        try Data().write(to: copy)
        let before = try SampleStore.contents(of: directory.url)
        #expect(before.count == 2)
        let model = try CoreDataStore(contentsOf: SampleStore.url(Self.path)).model
        let attempts: [() throws -> Void] = [
            { _ = try PersistentContainer(coreDataStore: copy) },
            { _ = try DatabaseSurvey(of: copy) },
            { _ = try PersistentContainer(url: copy) },
            { _ = try PersistentContainer(url: copy, options: StoreOptions(isUntrusted: true)) },
            {
                _ = try PersistentContainer(
                    url: copy, model: model,
                    options: StoreOptions(isReadOnly: true, existingTables: .untracked))
            },
        ]
        for attempt in attempts {
            let error = #expect(throws: ObjectStorageError.self) { try attempt() }
            #expect(error?.code == .notADatabase && error?.message.contains("-wal") == true)
            #expect(try SampleStore.contents(of: directory.url) == before)
        }
    }

    @Test(arguments: Files.allCases)
    @MainActor func `a damaged file is refused, and no file beside it is changed`(files: Files) throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: files, in: directory)
        var bytes = try Data(contentsOf: copy)
        for position in 0..<100 { bytes[position] = 0xA5 }
        try bytes.write(to: copy)
        let before = try SampleStore.contents(of: directory.url)
        // A log contains the first page, so SQLite may read the store with it.
        _ = try? PersistentContainer(coreDataStore: copy).newContext().count(for: Self.request)
        _ = try? DatabaseSurvey(of: copy)
        #expect(try SampleStore.contents(of: directory.url) == before)
        if files == .neither || files == .rollbackJournalMode {
            let error = #expect(throws: ObjectStorageError.self) {
                try PersistentContainer(coreDataStore: copy)
            }
            #expect(error?.code == .notADatabase)
        }
    }

    @Test(arguments: [Files.logAndIndex, .emptyLogAndIndex, .rollbackJournalMode])
    @MainActor func `writes of the app are detected`(files: Files) async throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: files, in: directory)
        let context = try PersistentContainer(coreDataStore: copy).newContext()
        var request = Self.request
        request.sortDescriptors = [.ascending("objectID")]
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: nil)
        var changes = controller.changes.makeAsyncIterator()
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 10)
        try SampleStore.execute("DELETE FROM ZBOOKMARKENTITY WHERE Z_PK = 3", in: copy)
        _ = await changes.next()
        #expect(controller.fetchedObjects?.count == 9)
        #expect(try context.count(for: Self.request) == 9)
    }

    @Test func `an app may have the store open and write to it`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: .neither, in: directory)
        let app = Process()
        let (input, output) = (Pipe(), Pipe())
        app.executableURL = URL(filePath: try #require(Python.path))
        app.arguments = ["-c", Self.app, copy.path]
        (app.standardInput, app.standardOutput) = (input, output)
        try app.run()
        /// Lets the app execute a statement, and waits for the end of its transaction.
        func execute(_ sql: String) throws {
            try input.fileHandleForWriting.write(contentsOf: Data((sql + "\n").utf8))
            var answer = Data()
            while answer.last != UInt8(ascii: "\n") {
                answer += try output.fileHandleForReading.read(upToCount: 1) ?? Data("!\n".utf8)
            }
            #expect(answer == Data("done\n".utf8))
        }
        try execute("UPDATE ZBOOKMARKENTITY SET ZTITLE = 'one' WHERE Z_PK = 3")
        let before = try SampleStore.contents(of: directory.url)
        #expect(before.count == 3)
        let context = try PersistentContainer(coreDataStore: copy).newContext()
        let request = FetchRequest<ManagedObject>(
            entityName: "BookmarkEntity", predicate: try .init(format: "title == 'one'"))
        #expect(try context.count(for: request) == 1)
        #expect(try SampleStore.contents(of: directory.url) == before)
        // Neither program waits for the other.
        for count in 2...5 {
            try execute("UPDATE ZBOOKMARKENTITY SET ZTITLE = 'one' WHERE Z_PK <= \(count + 2)")
            let written = try SampleStore.contents(of: directory.url)
            #expect(try context.count(for: request) == count + 2)
            #expect(try SampleStore.contents(of: directory.url) == written)
        }
        try input.fileHandleForWriting.close()
        app.waitUntilExit()
        #expect(app.terminationStatus == 0)
        #expect(try context.count(for: request) == 7)
    }

    /// A program that keeps a store open and executes each line of its input in a transaction.
    private static let app = """
        import sqlite3, sys
        c = sqlite3.connect(sys.argv[1], isolation_level=None)
        for line in sys.stdin:
            c.execute(line)
            print('done', flush=True)
        """

    @Test func `an interrupted transaction is rolled back in a copy`() throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let path = "coredataplus/SampleModel2/SampleModel2_V1.sqlite"
        let source = try SampleStore.copy(path, to: directory)
        let copy = other.file("interrupted.sqlite")
        _ = try Python.output(
            of: """
                import sqlite3, sys, shutil
                c = sqlite3.connect(sys.argv[1], isolation_level=None)
                c.execute('pragma journal_mode = delete')
                c.execute('pragma cache_size = 5')
                c.execute('begin')
                c.execute('update ZPAGE set ZNUMBER = 7, ZISBOOKMARKED = 1')
                for suffix in ['', '-journal']: shutil.copyfile(sys.argv[1] + suffix, sys.argv[2] + suffix)
                c.execute('rollback')
                """, [source.path, copy.path])
        let before = try SampleStore.contents(of: other.url)
        #expect(before.count == 2)
        let container = try PersistentContainer(coreDataStore: copy)
        let whole = try PersistentContainer(coreDataStore: SampleStore.url(path))
        #expect(try StoreOracle.lines(of: container) == StoreOracle.lines(of: whole))
        #expect(try SampleStore.contents(of: other.url) == before)
        #expect(try DatabaseSurvey.kind(of: copy) == .coreDataStore)
    }

    @Test func `a store that was closed is read until the app writes to it`() throws {
        let directory = try TemporaryDirectory()
        let copy = try Self.store(with: .neither, in: directory)
        let context = try PersistentContainer(coreDataStore: copy).newContext()
        #expect(try context.count(for: Self.request) == 10)
        try SampleStore.execute("DELETE FROM ZBOOKMARKENTITY WHERE Z_PK = 3", in: copy)
        let error = #expect(throws: ObjectStorageError.self) { try context.count(for: Self.request) }
        #expect(error?.code == .storeChanged)
        let again = try PersistentContainer(coreDataStore: copy).newContext()
        #expect(try again.count(for: Self.request) == 9)
    }

    @Test func `bytes in files are read with the property`() throws {
        let directory = try TemporaryDirectory()
        let copy = try SampleStore.copy("photos-empty-ventura/Photos.sqlite", to: directory)
        let column = try ExternalBytesColumn(ofStoreAt: copy)
        let (store, entity, attribute) = (column.store, column.entity, column.attribute)
        let name = UUID().uuidString
        try column.insert([
            "x'01'", "x'010203'", ExternalBytesColumn.sql(ofFileNamed: name), "x'0703'", "NULL", "x'02ff'",
        ])
        let files = directory.file(".Photos_SUPPORT").appending(path: "_EXTERNAL_DATA")
        let context = try PersistentContainer(store).newContext()
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
        #expect(objects.count == 6)
        let error = #expect(throws: ObjectStorageError.self) { try objects[2].value(forProperty: attribute) }
        #expect(error?.code == .objectMissing && error?.message.contains(name) == true)
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try Data(bytes).write(to: files.appending(path: name))
        let expected: [StoredValue] = [
            .blob([]), .blob([2, 3]), .blob(bytes), .blob([7, 3]), .null, .blob([2, 255]),
        ]
        #expect(try objects.map { try $0.value(forProperty: attribute) } == expected)
        try expectRefusals(of: name, in: files) {
            let options = StoreOptions(limits: StoreLimits())
            let context = try PersistentContainer(store, options: options).newContext()
            let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
            return try withExtendedLifetime(context) { try objects[2].value(forProperty: attribute) }
        }
        // A predicate sees the bytes in the row.
        let request = FetchRequest<ManagedObject>(
            entityName: entity.name, predicate: try .init(format: "\(attribute) == %@", Data([2, 3])))
        #expect(try context.count(for: request) == 1)
    }

    /// Checks that only a regular file within the limits is read as a value.
    private func expectRefusals(
        of name: String, in directory: URL, _ read: () throws -> StoredValue
    ) throws {
        let file = directory.appending(path: name)
        #expect(try read() == .blob(Array(Data(contentsOf: file))))
        let secret = directory.appending(path: "secret")
        try FileManager.default.moveItem(at: file, to: secret)
        func expectRefusal(_ code: ObjectStorageError.Code, _ sourceLocation: SourceLocation) throws {
            let error = #expect(throws: ObjectStorageError.self, sourceLocation: sourceLocation) {
                try read()
            }
            #expect(error?.code == code, "\(error?.message ?? "")", sourceLocation: sourceLocation)
            try FileManager.default.removeItem(at: file)
        }
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: secret)
        try expectRefusal(.objectMissing, #_sourceLocation)
        #expect(mkfifo(file.path, 0o600) == 0)
        try expectRefusal(.objectMissing, #_sourceLocation)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        try expectRefusal(.objectMissing, #_sourceLocation)
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        #expect(truncate(file.path, 1 << 40) == 0)
        try expectRefusal(.limitExceeded, #_sourceLocation)
        try FileManager.default.moveItem(at: secret, to: file)
    }
}
