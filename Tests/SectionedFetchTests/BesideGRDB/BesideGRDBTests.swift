import Foundation
import GRDB
import SectionedFetch
import Testing

private enum Kind: CaseIterable {
    case rollbackQueue, walQueue, pool
}

/// A store on a database connection that the application opened with GRDB.
private final class Application {
    let folder: URL
    let writer: any DatabaseWriter
    let container: PersistentContainer

    init(_ kind: Kind) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "application.sqlite").path
        switch kind {
        case .pool: writer = try DatabasePool(path: path)
        case .rollbackQueue: writer = try DatabaseQueue(path: path)
        case .walQueue:
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
            writer = queue
        }
        container = try PersistentContainer(
            writer: writer, model: ManagedObjectModel(types: Item.self, Maker.self))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// Records the names of the tables whose changes are announced to GRDB's transaction observers.
private final class TableRecorder: TransactionObserver {
    private(set) var names: Set<String> = []

    func take() -> Set<String> {
        defer { names = [] }
        return names
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        switch eventKind {
        case .insert(let name), .delete(let name), .update(let name, _): names.insert(name)
        }
        return false
    }

    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
}

@Suite(.timeLimit(.minutes(30))) struct BesideGRDBTests {
    @Test(arguments: Kind.allCases)
    fileprivate func `saves of the library and of GRDB succeed during monitoring`(kind: Kind) throws {
        let application = try Application(kind)
        // Each container monitors the file independently of the others.
        let containers = try (0..<12).map { _ in
            try PersistentContainer(
                writer: application.writer, model: ManagedObjectModel(types: Item.self, Maker.self))
        }
        let listeners = containers.map { $0.newContext() }
        for listener in listeners { listener.automaticallyMergesChanges = true }
        let context = application.container.newContext()
        var failures: [String] = []
        for number in 0..<1_500 {
            do {
                let item = Item(context: context)
                item.rank = Int32(number)
                try context.save()
            } catch {
                failures.append("ours, \(number): \(error)")
                context.rollback()
            }
            do {
                try application.writer.write {
                    try $0.execute(sql: "INSERT INTO Item (rank) VALUES (?)", arguments: [number])
                }
            } catch {
                failures.append("GRDB's, \(number): \(error)")
            }
        }
        #expect(failures.isEmpty, "\(failures.count) failures, the first: \(failures.first ?? "")")
        #expect(
            try application.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Item") } == 3_000)
        withExtendedLifetime(listeners) {}
    }

    @Test(arguments: Kind.allCases)
    fileprivate func `a GRDB observation reports each of 80 saves`(kind: Kind) async throws {
        let application = try Application(kind)
        let observation = ValueObservation.tracking { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM Item") ?? 0
        }
        // A pool's observation may begin with the same value twice.
        var values = observation.removeDuplicates().values(in: application.writer).makeAsyncIterator()
        #expect(try await values.next() == 0)
        let context = application.container.newContext()
        for number in 1...80 {
            _ = Item(context: context)
            try context.save()
            #expect(try await values.next() == number)
        }
    }

    @Test func `GRDB's observers are notified of exactly the tables that a commit changes`() throws {
        let application = try Application(.rollbackQueue)
        let recorder = TableRecorder()
        application.writer.add(transactionObserver: recorder)
        let context = application.container.newContext()
        let maker = Maker(context: context)
        try context.save()
        #expect(recorder.take() == ["Maker"])
        let child = context.newChildContext()
        _ = Item(context: child)
        try child.save()
        #expect(recorder.take().isEmpty)
        try context.save()
        #expect(recorder.take() == ["Item"])
        try context.save()
        #expect(recorder.take().isEmpty)
        try context.batchInsert(Item.self, rows: [["rank": 7, "maker": .integer(1)]])
        #expect(recorder.take() == ["Item"])
        context.delete(maker)
        try context.save()
        #expect(recorder.take() == ["Item", "Maker"])
        _ = try application.container.write { _ in }
        #expect(recorder.take().isEmpty)
    }

    @Test func `the application can change the journal mode while its store is monitored`() throws {
        let application = try Application(.rollbackQueue)
        let context = application.container.newContext()
        context.automaticallyMergesChanges = true
        for mode in ["wal", "delete", "truncate", "wal", "delete"] {
            let now = try application.writer.writeWithoutTransaction {
                try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)")
            }
            #expect(now == mode)
        }
    }
}
