import Foundation
import SectionedFetch
import Testing

/// Reports of changes of many rows at once.
@Suite struct ManyRowsTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let keeper = ChangeKeeper()
    let controller: FetchedResultsController<Item>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        _ = try workshop.fill(context)
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)]), context: context,
            cacheName: "items", cacheStore: workshop.caches)
        controller.delegate = keeper
        try controller.performFetch()
    }

    private func insert(_ count: Int) -> [Item] {
        (0..<count).map { number in
            let item = Item(context: context)
            item.rank = Int32(1_000 + number)
            return item
        }
    }

    @Test(arguments: [2_001, 4_096, 4_097, 9_000])
    func `a save of many rows is reported row by row`(count: Int) throws {
        let items = insert(count)
        try context.save()
        #expect(keeper.takeCounts() == [[.insertion: count]])
        for item in items { item.note = 1 }
        items[0].rank = 1_000_000
        try context.save()
        #expect(keeper.takeCounts() == [[.update: count - 1, .move: 1]])
        for item in items { context.delete(item) }
        try context.save()
        #expect(keeper.takeCounts() == [[.deletion: count]])
        #expect(controller.fetchedObjects?.map(\.rank) == [1, 2, 3])
    }

    @Test(arguments: [2_001, 5_000])
    func `many unsaved rows are reported row by row, and once`(count: Int) throws {
        let items = insert(count)
        try context.processPendingChanges()
        #expect(keeper.takeCounts() == [[.insertion: count]])
        for item in items.prefix(3) {
            item.note = 9
            try context.processPendingChanges()
            #expect(keeper.takeCounts() == [[.update: 1]])
        }
        try context.save()
        #expect(keeper.takeCounts().isEmpty)
        items[1].note = 10
        try context.save()
        #expect(keeper.takeCounts() == [[.update: 1]])
    }

    @Test func `a change is a reload from the threshold on`() throws {
        controller.reloadThreshold = 100
        for (count, isReload) in [(99, false), (100, true), (5_000, true), (99, false)] {
            _ = insert(count)
            try context.save()
            #expect(keeper.takeCounts() == [isReload ? nil : [.insertion: count]])
        }
        controller.reloadThreshold = 10_000
        _ = insert(10_000)
        try context.save()
        #expect(keeper.takeCounts() == [nil])
    }

    @Test func `a save is a reload if another program's trigger changed further rows`() throws {
        try workshop.runElsewhere(
            "CREATE TRIGGER owner AFTER INSERT ON Item WHEN NEW.rank = 1000 BEGIN UPDATE Item SET note = 5 WHERE rank = 2; END"
        )
        try context.mergeChangesFromStore()
        _ = keeper.take()
        _ = insert(5_000)
        try context.save()
        #expect(keeper.takeCounts() == [nil])
    }

    @Test func `a large save is reported by rows only if the results show the state before it`() throws {
        controller.pauseChanges()
        _ = insert(10)
        try context.save()
        let items = insert(5_000)
        try context.save()
        items[0].note = 1
        try context.save()
        controller.resumeChanges()
        #expect(keeper.takeCounts() == [nil])
        controller.pauseChanges()
        for item in items { item.note = 2 }
        try context.save()
        context.delete(items[0])
        try context.save()
        controller.resumeChanges()
        #expect(keeper.takeCounts() == [[.update: 4_999, .deletion: 1]])
    }

    @Test func `another program's change is a reload if the log overflows, and the next is not`() throws {
        try workshop.insertElsewhere(4_000)
        try context.mergeChangesFromStore()
        #expect(keeper.takeCounts() == [[.insertion: 4_000]])
        try workshop.insertElsewhere(5_000)
        try context.mergeChangesFromStore()
        #expect(keeper.takeCounts() == [nil])
        try workshop.insertElsewhere(1)
        try context.mergeChangesFromStore()
        #expect(keeper.takeCounts() == [[.insertion: 1]])
    }
}

/// An import in many transactions, while a list is followed on an actor.
@Suite(.timeLimit(.minutes(30))) @MainActor struct BulkImportReportingTests {
    @Test func `an import in many transactions is reported in few changes`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let keeper = ChangeKeeper()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)]), context: context)
        controller.delegate = keeper
        try controller.performFetch()
        // Nothing else runs on the actor during this loop.
        for number in 0..<50 {
            let importer = workshop.container.newContext()
            for index in 0..<20 { Item(context: importer).rank = Int32(number * 20 + index) }
            try importer.save()
        }
        while controller.fetchedObjects?.count != 1_000 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(keeper.takeCounts() == [[.insertion: 1_000]])
        // Another thread imports while the list is shown.
        let container = workshop.container
        let importing = Task.detached {
            for _ in 0..<50 {
                let importer = container.newContext()
                for index in 0..<20 { Item(context: importer).rank = Int32(index) }
                try importer.save()
            }
        }
        while controller.fetchedObjects?.count != 2_000 { try await Task.sleep(for: .milliseconds(2)) }
        try await importing.value
        let counts = keeper.takeCounts()
        #expect(counts.count <= 50)
        #expect(counts.allSatisfy { $0?.keys.elementsEqual([.insertion]) == true })
        #expect(counts.reduce(0) { $0 + ($1?[.insertion] ?? 0) } == 1_000)
    }
}
