import CheckSupport
import Foundation
import SectionedFetch
import Testing

private final class Word: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "words", primaryKey: "id") }
    @Attribute var text: String = ""
}

/// Caches of untracked replicas that rely on the position which a replicator keeps in a file.
@Suite struct PositionFileTests {
    private let directory: TemporaryDirectory
    private let store: URL
    private let position: URL

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.file("words.db")
        position = directory.file("words.db-pos")
        try ForeignProgram.run(
            [
                "CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT);"
                    + "INSERT INTO words (text) VALUES ('apple'), ('pear'), ('plum');"
            ], store: store)
        try move(to: 1)
    }

    /// Writes a position in LiteFS's form: the number of a transaction, and a checksum of the database.
    private func move(to number: Int, checksum: UInt64? = nil) throws {
        func digits(_ value: UInt64) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        let checksum = checksum ?? UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        try Data("\(digits(UInt64(number)))/\(digits(checksum))\n".utf8).write(to: position)
    }

    /// Fetches as after a restart, and compares the rows with those of the `sqlite3` shell.
    private func start(isReadOnly: Bool = true) throws -> FetchedResultsController<Word> {
        var options = StoreOptions(isReadOnly: true, existingTables: .untracked)
        options.positionFile = position
        options.isReadOnly = isReadOnly
        let container = try PersistentContainer(
            url: store, model: ManagedObjectModel(types: Word.self), options: options)
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Word>(sortDescriptors: [.ascending(\.text)]),
            context: container.newContext(), sectionNameKeyPath: .firstLetter(of: \Word.text),
            cacheName: "words", cacheStore: SectionCacheStore(directory: directory.file("caches")))
        try controller.performFetch()
        let expected = try ForeignProgram.run(["SELECT text FROM words ORDER BY text"], store: store)
        #expect(controller.fetchedObjects?.map(\.text).joined(separator: "\n") == expected)
        controller.cacheStore.waitForWrites()
        return controller
    }

    @Test func `a start is a hit at an equal position, and a miss at another one`() throws {
        #expect(try start().missReason == .absent)
        #expect(try start().cacheLookup?.isHit == true)
        for number in 2...5 {
            try ForeignProgram.run(["INSERT INTO words (text) VALUES ('w\(number)')"], store: store)
            try move(to: number)
            #expect(try start().missReason == .dataChanged(dependencies: ["the replica's position"]))
            #expect(try start().cacheLookup?.isHit == true)
        }
    }

    @Test func `a replica that was made again at the same position is a hit at once`() throws {
        _ = try start()
        let copy = directory.file("copy.db")
        try FileManager.default.copyItem(at: store, to: copy)
        #expect(rename(copy.path, store.path) == 0)
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `an equal number with another checksum is a miss`() throws {
        _ = try start()
        try ForeignProgram.run(["DELETE FROM words WHERE id = 2"], store: store)
        try move(to: 1, checksum: 7)
        #expect(try start().missReason == .dataChanged(dependencies: ["the replica's position"]))
    }

    @Test(arguments: ["", "\n", "0000000000000012", "12\n", String(repeating: "/", count: 5_000)])
    func `a file without a trustworthy position is a miss with the reason`(contents: String) throws {
        _ = try start()
        try Data(contents.utf8).write(to: position)
        for _ in 0..<2 {
            guard case .unsettled(let detail)? = try start().missReason else {
                Issue.record("“\(contents.prefix(20))” is trusted")
                return
            }
            #expect(detail.contains("position"))
        }
    }

    @Test func `a missing file and a writable container are misses with the reason`() throws {
        guard case .unsettled(let detail)? = try start(isReadOnly: false).missReason else {
            Issue.record("a writable container relies on the position")
            return
        }
        #expect(detail.contains("read-only"))
        try FileManager.default.removeItem(at: position)
        guard case .unsettled? = try start().missReason else {
            Issue.record("a missing file is trusted")
            return
        }
    }

    @Test func `entries of a position and of the state of the files are not mistaken for each other`() throws
    {
        _ = try start()
        #expect(try start().cacheLookup?.isHit == true)
        Thread.sleep(forTimeInterval: 0.15)
        let container = try PersistentContainer(
            url: store, model: ManagedObjectModel(types: Word.self),
            options: StoreOptions(isReadOnly: true, existingTables: .untracked, cachesByFileState: true))
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Word>(sortDescriptors: [.ascending(\.text)]),
            context: container.newContext(), sectionNameKeyPath: .firstLetter(of: \Word.text),
            cacheName: "words", cacheStore: SectionCacheStore(directory: directory.file("caches")))
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == false)
    }
}
