import Foundation
import GRDB
import SectionedFetch
import CheckSupport

extension History {
    /// Checks rule V9: a transaction with its statements in another order gives the same events.
    func compareWithTwin() throws {
        guard warehouse.schema.origin == .ours, observed.parent == nil else { return }
        actions.append("twin")
        let copy = warehouse.url.appending(path: "twin.sqlite")
        // A copy byte by byte: copies that SQLite makes have another version of the schema, for which the
        // existing log does not count.
        try warehouse.foreign.inDatabase { _ = try $0.checkpoint(.truncate) }
        try FileManager.default.copyItem(at: warehouse.url.appending(path: "store.sqlite"), to: copy)
        defer {
            for suffix in ["", "-wal", "-shm"] {
                // A file with this suffix need not exist.
                try? FileManager.default.removeItem(atPath: copy.path + suffix)
            }
        }
        let statements = try independentStatements()
        let first = try events(of: statements, in: warehouse.container, warehouse.foreign)
        let second = try events(
            of: statements.shuffled(using: &generator), in: Warehouse.open(copy, warehouse.schema),
            DatabaseQueue(path: copy.path))
        // A row that related objects join and leave in between is updated as well.
        let countsMembers = watcher.list.displaysTags || watcher.list.isOrderedByCollections
        if first != second, !countsMembers {
            watcher.fail("the order of the statements changes the events:\n\(first)\nand\n\(second)")
        }
        operations += 2 * statements.count
        watcher.excuses.note(try warehouse.committed().savedParts)
        try mergeAll()
        try watcher.checkNothingIsLeft(controller)
    }

    /// Returns statements on different rows.
    private func independentStatements() throws -> [(sql: String, arguments: StatementArguments)] {
        let inventory = try warehouse.committed()
        var statements: [(sql: String, arguments: StatementArguments)] = []
        for part in inventory.savedParts.shuffled(using: &generator).prefix(size) {
            if generator.once(in: 4) {
                statements.append(("DELETE FROM Part WHERE objectID = ?", [part.primaryKey]))
            } else {
                let field = generator.one(of: WarehouseSchema.Field.allCases)
                let value = plan.value(of: field, &generator).databaseValue
                statements.append(
                    ("UPDATE Part SET \(field.attribute) = ? WHERE objectID = ?", [value, part.primaryKey]))
            }
        }
        for shelf in inventory.savedShelves.shuffled(using: &generator).prefix(2) {
            statements.append(
                (
                    "UPDATE Shelf SET name = ? WHERE objectID = ?",
                    [plan.newShelfName(&generator), shelf.primaryKey]
                ))
        }
        let last = inventory.savedParts.last?.primaryKey ?? 0
        for number in 1..<Int64(Int.random(in: 2..<8, using: &generator)) {
            let lot = plan.value(of: .lot, &generator).databaseValue
            statements.append(
                (
                    "INSERT INTO Part (objectID, rank, note, lot) VALUES (?, ?, 0, ?)",
                    [last + 100_000 + number, number, lot]
                ))
        }
        return statements
    }

    /// Returns the events that a list reports for one transaction of another program.
    private func events(
        of statements: [(sql: String, arguments: StatementArguments)], in container: PersistentContainer,
        _ program: DatabaseQueue
    ) throws -> [ResultsChange.Event] {
        let context = container.newContext()
        let list = try FetchedResultsController(
            fetchRequest: watcher.list.request(), context: context,
            sectionNameKeyPath: watcher.list.sectionKey)
        let listener = Listener()
        list.delegate = listener
        try list.performFetch()
        try program.write { database in
            for statement in statements {
                try database.execute(sql: statement.sql, arguments: statement.arguments)
            }
        }
        try context.mergeChangesFromStore()
        return listener.events
    }

    private final class Listener: FetchedResultsControllerDelegate {
        typealias Object = ManagedObject
        var events: [ResultsChange.Event] = []

        func controller(
            _ controller: FetchedResultsController<ManagedObject>, didChangeContentWith change: ResultsChange
        ) { events += change.events }
    }
}
