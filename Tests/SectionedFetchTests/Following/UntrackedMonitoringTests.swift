import Foundation
import GRDB
import SectionedFetch
import Testing

private final class Memo: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "notes", primaryKey: "id") }
    @Attribute var text: String = ""
}

private final class MemoListener: FetchedResultsControllerDelegate {
    private(set) var changes: [ResultsChange] = []

    func controller(_ controller: FetchedResultsController<Memo>, didChangeContentWith change: ResultsChange)
    { changes.append(change) }
}

/// Results from tables without a log: another program's commit can be detected, but not its rows.
@Suite(.timeLimit(.minutes(30))) @MainActor final class UntrackedMonitoringTests {
    private let url = FileManager.default.temporaryDirectory.appending(
        path: "sectioned-fetch-\(UUID().uuidString).db")
    private let other: DatabaseQueue
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Memo>
    private let listener = MemoListener()

    init() throws {
        other = try DatabaseQueue(path: url.path)
        try other.write { database in
            try database.execute(
                sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            try database.execute(sql: "INSERT INTO notes (text) VALUES ('a'), ('b'), ('c')")
        }
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Memo.self),
            options: StoreOptions(existingTables: .untracked))
        context = container.newContext()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Memo>(sortDescriptors: [.ascending(\.text)]), context: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }

    /// Waits long enough for the monitor to detect any commit.
    private func waitForMonitor() async throws { try await Task.sleep(for: .milliseconds(400)) }

    private func waitForChange(_ count: Int) async throws {
        while listener.changes.count < count { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test func `a save of the library is reported once, by its rows`() async throws {
        let note = try #require(controller.fetchedObjects?.first)
        for number in 1...3 {
            note.text = "own \(number)"
            try context.save()
            try await waitForMonitor()
            #expect(listener.changes.count == number)
        }
        let elsewhere = context.container.newContext()
        _ = try #require(elsewhere.insert(entityNamed: "Memo") as? Memo)
        try elsewhere.save()
        try await waitForChange(4)
        try await waitForMonitor()
        #expect(listener.changes.count == 4)
        #expect(listener.changes.allSatisfy { !$0.isReload })
    }

    @Test func `a list can be followed from within a write`() throws {
        let list = try FetchedResultsController(
            fetchRequest: FetchRequest<Memo>(sortDescriptors: [.ascending(\.text)]),
            context: PersistentContainer(
                url: url, model: ManagedObjectModel(types: Memo.self),
                options: StoreOptions(existingTables: .untracked)
            ).newContext())
        list.delegate = listener
        try list.managedObjectContext.container.write { _ in try list.performFetch() }
        #expect(list.fetchedObjects?.count == 3)
    }

    @Test func `other programs' commits before, between and after own saves are reported`() async throws {
        func elsewhere(_ text: String) throws {
            try other.write {
                try $0.execute(sql: "UPDATE notes SET text = ? WHERE id = 3", arguments: [text])
            }
        }
        let note = try #require(controller.fetchedObjects?.first)
        let last = try #require(controller.fetchedObjects?.last)
        for number in 1...3 {
            try elsewhere("theirs \(number)")
            note.text = "own \(number)"
            try context.save()
            try elsewhere("theirs again \(number)")
            while last.text != "theirs again \(number)" { try await Task.sleep(for: .milliseconds(10)) }
            try await waitForMonitor()
        }
        #expect(listener.changes.contains { $0.isReload })
    }
}
