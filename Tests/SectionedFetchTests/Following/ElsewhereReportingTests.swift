import Foundation
import SectionedFetch
import Testing

/// Reports of changes that the controller's context did not make, without and with a cache.
@Suite final class ElsewhereReportingTests: FilledWorkshop {
    private func controller(
        _ request: FetchRequest<Item>? = nil, by key: SectionKey? = "group", cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Item> {
        try workshop.controller(request, by: key, cacheName: cacheName, in: context)
    }

    @Test func `changes of other contexts are reported when they are merged`() throws {
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        let other = workshop.container.newContext()
        let same = try #require(try other.object(with: items[0].objectID) as? Item)
        same.rank = 7
        let changes = try other.save()
        #expect(recorder.calls.isEmpty)
        try context.mergeChanges(from: changes)
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
    }

    @Test func `batch updates that list no objects are reported, even for rows not in memory`() throws {
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        let other = workshop.container.newContext()
        for note in 1...2 {
            let all = try other.batchUpdate(FetchRequest<Item>(), set: [.set(\.note, to: Int64(note))])
            #expect(all.changes.changedEntityNames == ["Item"])
            try context.mergeChanges(from: all.changes)
            let rows = Array(repeating: "row update", count: 3)
            #expect(recorder.take() == ["will"] + rows + ["did", "with 3"])
        }
        let moved = try other.batchUpdate(
            FetchRequest<Item>(predicate: \.rank == 1), set: [.set(\.rank, to: 9)])
        try context.mergeChanges(from: moved.changes)
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
        // The fresh context has no object in memory.
        let fresh = workshop.container.newContext()
        let unseen = try FetchedResultsController(
            fetchRequest: controller.fetchRequest, context: fresh, sectionNameKeyPath: "group")
        let listener = Recorder()
        unseen.delegate = listener
        try unseen.performFetch()
        let changes = try other.batchUpdate(FetchRequest<Item>(), set: [.set(\.note, to: 7)]).changes
        try fresh.mergeChanges(from: changes)
        #expect(listener.take() == ["will"] + Array(repeating: "row update", count: 3) + ["did", "with 3"])
        #expect(unseen.fetchedObjects?.map(\.note) == [7, 7, 7])
    }

    @Test func `a list keeps its results after its cache and most of its rows are deleted`() throws {
        for number in 0..<60 { Item(context: context).rank = Int32(number) }
        try context.save()
        try controller(cacheName: "items").performFetch()
        workshop.caches.waitForWrites()
        let frozen = try controller(cacheName: "items")
        try frozen.performFetch()
        #expect(frozen.missReason == nil)
        FetchedResultsController<Item>.deleteCache(named: "items", in: workshop.caches)
        workshop.caches.waitForWrites()
        try context.batchDelete(FetchRequest<Item>(predicate: \.rank >= 5))
        let objects = try #require(frozen.fetchedObjects)
        #expect(objects.count == 63)
        #expect(objects.count { $0.rank < 5 && $0.readError == nil } == 8)
    }

    @Test func `a cache is advanced, and tracking continues after the cache is deleted`() throws {
        let recorder = Recorder()
        do {
            let controller = try controller(cacheName: "items")
            controller.delegate = recorder
            try controller.performFetch()
            #expect(controller.mode == .trackedAndPersisted)
            items[0].rank = 7
            try context.save()
            #expect(recorder.take() == ["will", "row move", "did", "with 1"])
            workshop.caches.waitForWrites()
        }
        let controller = try controller(cacheName: "items")
        controller.delegate = recorder
        try controller.performFetch()
        #expect(controller.missReason == nil)
        FetchedResultsController<Item>.deleteCache(named: "items", in: workshop.caches)
        workshop.caches.waitForWrites()
        items[0].rank = 0
        try context.save()
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
    }

    @Test(arguments: [false, true])
    func `values that a fetch read before the merge are reported with the merge`(isFetched: Bool) throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let (items, makers) = try workshop.fill(context)
        let keeper = ChangeKeeper()
        let controller = try workshop.controller(
            FetchRequest<Item>(sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)]),
            by: "maker.name", in: context)
        controller.delegate = keeper
        try controller.performFetch()
        try workshop.runElsewhere("UPDATE Maker SET name = 'Zoe' WHERE name = 'Ada'")
        items[2].note = 1
        try context.save()
        // The order is the store's, but the object still has the values of the last merge.
        #expect(Set(keeper.take().joined()) == ["move 1", "move 2", "update 3"])
        #expect(makers[0].name == "Ada")
        if isFetched { #expect(try context.fetch(FetchRequest<Maker>()).map(\.name) == ["Zoe", "Bob"]) }
        try context.mergeChangesFromStore()
        #expect(makers[0].name == "Zoe")
        #expect(Set(keeper.take().joined()) == ["update 1", "update 2"])
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [])
    }
}
