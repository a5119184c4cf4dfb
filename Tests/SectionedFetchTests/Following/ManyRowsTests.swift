import Foundation
import SectionedFetch
import Testing

/// How changes of many rows at once are told.
@Suite struct `A change of many rows` {
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
    func `by a save of the context is told row by row`(count: Int) throws {
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
    func `that are not saved is told row by row, and once`(count: Int) throws {
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

    @Test func `is a reload from the threshold on`() throws {
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

    @Test func `by a save is a reload where somebody's trigger changed further rows`() throws {
        try workshop.runElsewhere(
            "CREATE TRIGGER owner AFTER INSERT ON Item WHEN NEW.rank = 1000 BEGIN UPDATE Item SET note = 5 WHERE rank = 2; END"
        )
        try context.mergeChangesFromStore()
        _ = keeper.take()
        _ = insert(5_000)
        try context.save()
        #expect(keeper.takeCounts() == [nil])
    }

    @Test func `by a save is told if the results are as of the state before it`() throws {
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

    @Test func `by another program is a reload beyond the log, and the next change is not`() throws {
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
@Suite(.timeLimit(.minutes(1))) @MainActor struct `A bulk import` {
    @Test func `comes in few batches, however many transactions it has`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let keeper = ChangeKeeper()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)]), context: context)
        controller.delegate = keeper
        try controller.performFetch()
        // Nobody else gets a turn on the actor meanwhile.
        for number in 0..<50 {
            let importer = workshop.container.newContext()
            for place in 0..<20 { Item(context: importer).rank = Int32(number * 20 + place) }
            try importer.save()
        }
        while controller.fetchedObjects?.count != 1_000 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(keeper.takeCounts() == [[.insertion: 1_000]])
        // A program that imports beside a list that is being shown.
        let container = workshop.container
        let importing = Task.detached {
            for _ in 0..<50 {
                let importer = container.newContext()
                for place in 0..<20 { Item(context: importer).rank = Int32(place) }
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
