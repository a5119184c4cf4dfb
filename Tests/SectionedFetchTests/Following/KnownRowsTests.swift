import Foundation
import SectionedFetch
import Testing

/// A change reports the rows that differ from the results shown, regardless of the program and the time of
/// the write.
@Suite struct KnownRowsTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let keeper = ChangeKeeper()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        _ = try workshop.fill(workshop.container.newContext())
    }

    private func controller(
        _ predicate: FetchRequest<Item>.Predicate? = nil, in context: ManagedObjectContext? = nil,
        cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Item> {
        let request = FetchRequest<Item>(predicate: predicate, sortDescriptors: [.ascending(\.rank)])
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context ?? self.context, cacheName: cacheName,
            cacheStore: workshop.caches)
        controller.delegate = keeper
        return controller
    }

    private func item(_ rank: Int32) throws -> Item {
        try #require(try context.fetch(FetchRequest<Item>(predicate: \.rank == rank)).first)
    }

    @Test func `a rollback brings back rows that were never loaded, even of a table without a log`() throws {
        // A table with such an index has no log, because rows that a statement replaces leave no trace.
        try workshop.runElsewhere(#"CREATE UNIQUE INDEX owner ON Item (lower("group") || rank)"#)
        try context.mergeChangesFromStore()
        let controller = try controller(.init(format: "maker != nil"))
        try controller.performFetch()
        for maker in try context.fetch(FetchRequest<Maker>()) { context.delete(maker) }
        try context.processPendingChanges()
        #expect(keeper.take() == [["reload"]])
        #expect(controller.fetchedObjects?.count == 0)
        context.rollback()
        #expect(keeper.take() == [["reload"]])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test(arguments: [10, 2_001, 4_200])
    func `a rollback restores deleted rows beside any number of unsaved rows`(count: Int) throws {
        let controller = try controller(.init(format: "maker != nil"))
        try controller.performFetch()
        for maker in try context.fetch(FetchRequest<Maker>()) { context.delete(maker) }
        for rank in 0..<count { Item(context: context).rank = Int32(rank) }
        try context.processPendingChanges()
        #expect(keeper.takeCounts() == [[.deletion: 3]])
        context.rollback()
        #expect(keeper.takeCounts() == [[.insertion: 3]])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test(arguments: [nil, "items"] as [CacheName?], [false, true])
    func `another program's changes before the first fetch are not reported after it`(
        cacheName: CacheName?, hasUnsavedChanges: Bool
    ) throws {
        try workshop.runElsewhere(
            "UPDATE Item SET note = 7 WHERE rank = 1; DELETE FROM Item WHERE rank = 2; UPDATE Maker SET note = 1"
        )
        let controller = try controller(.init(format: "maker.note < 5"), cacheName: cacheName)
        if hasUnsavedChanges { try item(1).note = 8 }
        try controller.performFetch()
        try item(3).note = 1
        try context.save()
        #expect(keeper.take() == [["update 3"]])
        try workshop.runElsewhere("UPDATE Item SET note = 9 WHERE rank = 1")
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["update 1"]])
    }

    @Test func `an overflow of the log before the first fetch causes no reload after it`() throws {
        try workshop.insertElsewhere(5_000)
        let controller = try controller()
        try controller.performFetch()
        try item(3).note = 1
        try context.save()
        #expect(keeper.take() == [["update 3"]])
    }

    @Test func `a read-only container reports another program's changes once`() throws {
        var options = StoreOptions()
        options.isReadOnly = true
        let container = try PersistentContainer(
            url: workshop.url.appending(path: "store.sqlite"),
            model: ManagedObjectModel(types: Item.self, Maker.self), options: options)
        let reader = container.newContext()
        let controller = try controller(.init(format: "maker.note < 5"), in: reader)
        try controller.performFetch()
        for rank in 1...3 {
            try workshop.runElsewhere("UPDATE Item SET note = note + 1 WHERE rank = \(rank)")
            try reader.mergeChangesFromStore()
            #expect(keeper.take() == [["update \(rank)"]])
        }
        try reader.mergeChangesFromStore()
        #expect(keeper.take().isEmpty)
        try workshop.runElsewhere(
            "DELETE FROM Item WHERE rank = 1; UPDATE Maker SET note = 1 WHERE name = 'Bob'")
        try reader.mergeChangesFromStore()
        #expect(keeper.take() == [["deletion 1", "update 3"]])
        try workshop.runElsewhere("UPDATE Maker SET note = 9 WHERE name = 'Ada'")
        try reader.mergeChangesFromStore()
        #expect(keeper.take() == [["deletion 2"]])
    }

    @Test func `unsaved objects of other entities are not reported`() throws {
        let controller = try controller()
        try controller.performFetch()
        for number in 0..<3 { Maker(context: context).name = "\(number)" }
        Item(context: context).rank = 9
        try context.processPendingChanges()
        #expect(keeper.takeCounts() == [[.insertion: 1]])
        context.rollback()
        #expect(keeper.takeCounts() == [[.deletion: 1]])
    }
}
