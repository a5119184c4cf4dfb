import CheckSupport
import Foundation
import SectionedFetch
import Testing

private final class Phrase: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "phrases", primaryKey: "id") }
    @Attribute var text: String = ""
}

/// Replicas whose pages another program replaces under SQLite's lock, but without SQLite, as Litestream's
/// follow mode does.
@Suite(.enabled(if: Python.path != nil, "SKIPPED: python3 is not on the search path."))
struct ReplicatorWriteTests {
    /// Writes the pages of a file that differ from those of another one, except for the first page.
    private static let replicator = """
        import fcntl, sys
        new = open(sys.argv[1], 'rb').read()
        with open(sys.argv[2], 'r+b') as file:
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 1073741824)
            fcntl.lockf(file, fcntl.LOCK_EX, 510, 1073741826)
            old = file.read()
            assert len(old) == len(new)
            for offset in range(4096, len(new), 4096):
                if old[offset:offset + 4096] != new[offset:offset + 4096]:
                    file.seek(offset)
                    file.write(new[offset:offset + 4096])
        """

    private func replicate(_ primary: URL, to replica: URL) throws {
        _ = try Python.output(of: Self.replicator, [primary.path, replica.path])
    }

    @Test func `an open container does not mix pages of two states`() throws {
        let store = try ReplicatedStore(replicaOptions: StoreOptions(isReadOnly: true))
        try ForeignProgram.run(["PRAGMA journal_mode = DELETE"], store: store.primary.store)
        try FileManager.default.copyItem(at: store.primary.store, to: store.replica.store)
        let context = try store.replica.container().newContext()
        let open = try store.replica.controller(in: context)
        try open.performFetch()
        try context.mergeOthersChanges()
        for round in 0..<10 {
            let comment: Comment = "seed \(store.seed), round \(round)"
            try store.changeTitles(inRound: round)
            try replicate(store.primary.store, to: store.replica.store)
            let expected = try store.primary.expectedRows()
            let changes = try context.mergeOthersChanges()
            #expect(changes.changedEntityNames.contains("Artwork"), comment)
            try open.performFetch()
            #expect(open.rows == expected, comment)
            // A change within a tick of the clock may be reported once more when the tick is over.
            Thread.sleep(forTimeInterval: 0.15)
            try context.mergeOthersChanges()
            #expect(try context.mergeOthersChanges().isEmpty, comment)
        }
    }

    @Test func `an untracked replica with a rollback journal is read in one state`() throws {
        let directory = try TemporaryDirectory()
        let (primary, replica) = (directory.file("primary.db"), directory.file("replica.db"))
        try ForeignProgram.run(
            [
                "CREATE TABLE phrases (id INTEGER PRIMARY KEY, text TEXT);"
                    + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
                    + "INSERT INTO phrases SELECT i, 'a phrase ' || (10000 + i) FROM n;"
            ], store: primary)
        try FileManager.default.copyItem(at: primary, to: replica)
        let container = try PersistentContainer(
            url: replica, model: ManagedObjectModel(types: Phrase.self),
            options: StoreOptions(isReadOnly: true, existingTables: .untracked, cachesByFileState: true))
        let context = container.newContext()
        let caches = SectionCacheStore(directory: directory.file("caches"))
        let open = try FetchedResultsController(
            fetchRequest: FetchRequest<Phrase>(sortDescriptors: [.ascending(\.text)]), context: context,
            cacheName: "phrases", cacheStore: caches)
        try open.performFetch()
        try context.mergeOthersChanges()
        for round in 0..<10 {
            let text = "b phrase \(10_000 + round)"
            try ForeignProgram.run(
                ["UPDATE phrases SET text = '\(text)' WHERE id % 100 = \(round)"], store: primary)
            try replicate(primary, to: replica)
            try context.mergeOthersChanges()
            try open.performFetch()
            let expected = try ForeignProgram.run(
                ["SELECT text FROM phrases ORDER BY text, id"], store: primary)
            #expect(open.fetchedObjects?.map(\.text).joined(separator: "\n") == expected, "round \(round)")
        }
        caches.waitForWrites()
    }
}
