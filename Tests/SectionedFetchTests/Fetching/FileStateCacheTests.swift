import Foundation
import SectionedFetch
import Testing

private final class Word: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "words", primaryKey: "id") }
    @Attribute var text: String = ""
}

/// Caches of untracked stores that rely on the state of the store's files.
@Suite final class FileStateCacheTests {
    private let directory: URL
    private let store: URL
    private let caches: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = directory.appending(path: "words.db")
        caches = directory.appending(path: "caches")
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Makes the store, and waits until the state of its file is trusted.
    private func makeStore(_ mode: String) throws {
        try run(
            "PRAGMA journal_mode = \(mode); CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT);"
                + "INSERT INTO words (text) VALUES ('apple'), ('pear'), ('plum');")
        settle()
    }

    private func run(_ sql: String) throws { try ForeignProgram.run([sql], store: store) }

    private func settle() { Thread.sleep(forTimeInterval: 0.15) }

    /// Fetches as after a restart, and compares the rows with those of the `sqlite3` shell.
    private func start(
        _ options: StoreOptions = StoreOptions(
            isReadOnly: true, existingTables: .untracked, cachesByFileState: true)
    ) throws -> FetchedResultsController<Word> {
        let container = try PersistentContainer(
            url: store, model: ManagedObjectModel(types: Word.self), options: options)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Word>(sortDescriptors: [.ascending(\.text)]),
            context: container.newContext(), sectionNameKeyPath: .firstLetter(of: \Word.text),
            cacheName: "words", cacheStore: SectionCacheStore(directory: caches))
        try controller.performFetch()
        let expected = try ForeignProgram.run(["SELECT text FROM words ORDER BY text"], store: store)
        #expect(controller.fetchedObjects?.map(\.text).joined(separator: "\n") == expected)
        controller.cacheStore.waitForWrites()
        return controller
    }

    @Test(arguments: ["WAL", "DELETE", "PERSIST"])
    func `a start is a hit while the files do not change, and a miss after each change`(_ mode: String) throws
    {
        try makeStore(mode)
        #expect(try start().missReason == .absent)
        #expect(try start().cacheLookup?.isHit == true)
        for change in [
            "UPDATE words SET text = 'grape' WHERE id = 1", "DELETE FROM words WHERE id = 2",
            "UPDATE words SET text = 'prune' WHERE id = 3", "VACUUM",
        ] {
            try run(change)
            settle()
            let miss = try start()
            guard case .dataChanged(["the store's files"]) = miss.missReason else {
                Issue.record("\(change): \(miss.cacheLookup.map { "\($0)" } ?? "none")")
                continue
            }
            #expect(try start().cacheLookup?.isHit == true)
        }
    }

    @Test func `a recent change is a miss with that reason, and nothing is saved`() throws {
        try makeStore("DELETE")
        _ = try start()
        try run("UPDATE words SET text = 'quince' WHERE id = 1")
        guard case .unsettled(let detail) = try start().missReason else {
            return #expect(Bool(false), "the state is trusted at once")
        }
        #expect(detail.contains("100 ms"))
        settle()
        #expect(try start().missReason == .dataChanged(dependencies: ["the store's files"]))
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `a replaced file is another store, even with equal size and contents`() throws {
        try makeStore("DELETE")
        _ = try start()
        let copy = directory.appending(path: "copy.db")
        try FileManager.default.copyItem(at: store, to: copy)
        #expect(rename(copy.path, store.path) == 0)
        settle()
        #expect(try start().missReason == .storeReplaced)
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `an unfinished transaction of another program is not shown`() throws {
        try makeStore("DELETE")
        _ = try start()
        let shell = Process()
        let input = Pipe()
        shell.executableURL = URL(filePath: "/usr/bin/env")
        shell.arguments = ["sqlite3", store.path]
        shell.standardInput = input
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
        let journal = store.path + "-journal"
        try input.fileHandleForWriting.write(
            contentsOf: Data("BEGIN; UPDATE words SET text = 'x'; SELECT 1;\n".utf8))
        while !FileManager.default.fileExists(atPath: journal) { Thread.sleep(forTimeInterval: 0.01) }
        settle()
        // The file has the state from before the transaction; its journal may be a reason not to trust it.
        _ = try start()
        try input.fileHandleForWriting.write(contentsOf: Data("ROLLBACK;\n".utf8))
        try input.fileHandleForWriting.close()
        shell.waitUntilExit()
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `the option has no effect on tracked stores, and without it nothing is cached`() throws {
        try makeStore("DELETE")
        #expect(
            try start(StoreOptions(isReadOnly: true, existingTables: .untracked)).missReason == .untracked)
        let tracked = StoreOptions(existingTables: .tracked, cachesByFileState: true)
        #expect(try start(tracked).missReason == .absent)
        #expect(try start(tracked).cacheLookup?.isHit == true)
        try run("UPDATE words SET text = 'fig' WHERE id = 1")
        // Its stamps are exact, so the entry is advanced by the recent change.
        #expect(try start(tracked).missReason == nil)
    }

    @Test func `saves of the program's own contexts are seen by the next start`() throws {
        try makeStore("WAL")
        let options = StoreOptions(existingTables: .untracked, cachesByFileState: true)
        _ = try start(options)
        let container = try PersistentContainer(
            url: store, model: ManagedObjectModel(types: Word.self), options: options)
        let context = container.newContext()
        let word = Word(context: context)
        word.text = "zucchini"
        try context.save()
        _ = try start(options)
        settle()
        #expect(try start(options).fetchedObjects?.count == 4)
    }
}
