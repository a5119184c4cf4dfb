import Foundation
import SectionedFetch
import Testing

private final class Ticket: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "tickets", primaryKey: "id") }
    @Attribute var title: String = ""
}

/// In somebody else's table the key of the last row is given again once that row is deleted.
@Suite final class `A key that an unsaved object has from a deleted row` {
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

    /// What the last change says: kinds, identities and rows.
    private func events() -> [String] {
        (listener.changes.last?.rowEvents ?? []).map { event in
            let row = event.newIndexPath?[1] ?? event.indexPath?[1] ?? -1
            return "\(event.kind) \(event.objectID.primaryKey.map { "\($0)" } ?? "new") at \(row)"
        }
    }

    @Test(arguments: ["0", "c", "d"])
    func `the old row goes and the object comes`(title: String) throws {
        try deleteElsewhere(3)
        _ = insert(title)
        try context.processPendingChanges()
        #expect(listener.changes.count == 1)
        #expect(events() == ["deletion 3 at 2", "insertion new at \(title == "0" ? 0 : 2)"])
        #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", title].sorted())
    }

    @Test func `the object is the same when it is saved, under whatever key`() throws {
        try deleteElsewhere(3)
        let ticket = insert("c")
        try context.processPendingChanges()
        let former = ticket.objectID
        try context.save()
        // What it shows is what was told of it.
        #expect(listener.changes.count == 1)
        #expect(former != ticket.objectID && controller.indexPath(for: ticket) == [0, 2])
        #expect(controller.snapshot?[0].map { $0 }.last == ticket.objectID)
    }

    @Test func `an object comes in the place of another that is taken back`() throws {
        let first = insert("x")
        try context.processPendingChanges()
        context.delete(first)
        try deleteElsewhere(3)
        _ = insert("y")
        try context.processPendingChanges()
        #expect(events() == ["deletion new at 3", "deletion 3 at 2", "insertion new at 2"])
        #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", "y"])
    }

    @Test func `an object whose key is another one after a deletion stays`() throws {
        _ = insert("x")
        try context.processPendingChanges()
        try deleteElsewhere(3)
        _ = insert("y")
        try context.processPendingChanges()
        #expect(events() == ["deletion 3 at 2", "insertion new at 3"])
        #expect(controller.fetchedObjects?.map(\.title) == ["a", "b", "x", "y"])
    }
}
