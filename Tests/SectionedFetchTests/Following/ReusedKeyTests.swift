import Foundation
import SectionedFetch
import Testing

private final class Ticket: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "tickets", primaryKey: "id") }
    @Attribute var title: String = ""
}

/// In an external table, SQLite gives the key of the last row to a new row once the last one is deleted.
@Suite final class ReusedKeyTests {
    private let directory: URL
    private let store: URL
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Ticket>
    private let listener = Listener<Ticket>()

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        store = directory.appending(path: "tickets.db")
        try ForeignProgram.run(
            [
                "CREATE TABLE tickets (id INTEGER PRIMARY KEY, title TEXT NOT NULL)",
                "INSERT INTO tickets VALUES (1, 'a'), (2, 'b'), (3, 'c')",
            ], store: store)
        let container = try PersistentContainer(
            url: store, model: ManagedObjectModel(types: Ticket.self),
            options: StoreOptions(existingTables: .tracked))
        context = container.newContext()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Ticket>(sortDescriptors: [.ascending(\.title)]), context: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func deleteElsewhere(_ key: Int) throws {
        try ForeignProgram.run(["DELETE FROM tickets WHERE id = \(key)"], store: store)
    }

    private func insert(_ title: String) -> Ticket {
        let ticket = Ticket(context: context)
        ticket.title = title
        return ticket
    }

    /// Returns the row events of the last change as texts of kind, primary key and row.
    private func events() -> [String] {
        (listener.changes.last?.rowEvents ?? []).map { event in
            let row = event.newIndexPath?[1] ?? event.indexPath?[1] ?? -1
            return "\(event.kind) \(event.objectID.primaryKey.map { "\($0)" } ?? "new") at \(row)"
        }
    }

    @Test(arguments: ["0", "c", "d"])
    func `the deletion of the old row and the insertion of the object are both reported`(title: String) throws
    {
        try deleteElsewhere(3)
        _ = insert(title)
        try context.processPendingChanges()
        #expect(listener.changes.count == 1)
        #expect(events() == ["deletion 3 at 2", "insertion new at \(title == "0" ? 0 : 2)"])
        #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", title].sorted())
    }

    @Test func `the object keeps its row when it is saved, and nothing is reported again`() throws {
        try deleteElsewhere(3)
        let ticket = insert("c")
        try context.processPendingChanges()
        let previous = ticket.objectID
        try context.save()
        // The object shows the reported values.
        #expect(listener.changes.count == 1)
        #expect(previous != ticket.objectID && controller.indexPath(for: ticket) == [0, 2])
        #expect(controller.snapshot?[0].map { $0 }.last == ticket.objectID)
    }

    @Test func `a discarded object, a deleted row and a new object are each reported`() throws {
        let first = insert("x")
        try context.processPendingChanges()
        context.delete(first)
        try deleteElsewhere(3)
        _ = insert("y")
        try context.processPendingChanges()
        #expect(events() == ["deletion new at 3", "deletion 3 at 2", "insertion new at 2"])
        #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", "y"])
    }

    @Test func `an unsaved object whose provisional key changes after a deletion stays`() throws {
        _ = insert("x")
        try context.processPendingChanges()
        try deleteElsewhere(3)
        _ = insert("y")
        try context.processPendingChanges()
        #expect(events() == ["deletion 3 at 2", "insertion new at 3"])
        #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", "x", "y"])
    }
}
