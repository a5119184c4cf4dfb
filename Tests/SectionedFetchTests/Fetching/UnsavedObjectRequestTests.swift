import Foundation
import SectionedFetch
import Testing

/// Requests whose predicate names an object that is unsaved when the controller is made.
@Suite struct UnsavedObjectRequestTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let maker: Maker

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        _ = try workshop.fill(context)
        maker = Maker(context: context)
        maker.name = "Cleo"
    }

    private func controller(
        _ maker: FetchRequest<Item>.Predicate, cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Item> {
        try workshop.controller(
            FetchRequest(predicate: maker, sortDescriptors: [.ascending(\.rank)]), by: "group",
            cacheName: cacheName, in: context)
    }

    private func insertItem(_ rank: Int32) -> Item {
        let item = Item(context: context)
        (item.group, item.rank, item.maker) = ("c", rank, maker)
        return item
    }

    @Test func `a tracked list keeps following the rows of the object after its save`() throws {
        let controller = try controller(\.maker == maker)
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        let first = insertItem(1)
        try context.processPendingChanges()
        #expect(controller.fetchedObjects.map(Array.init) == [first])
        try context.save()
        #expect(controller.fetchedObjects.map(Array.init) == [first])
        #expect(recorder.take().contains("row insertion"))
        let second = insertItem(2)
        try context.save()
        #expect(controller.fetchedObjects.map(Array.init) == [first, second])
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        first.rank = 3
        try context.save()
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
        let other = workshop.container.newContext()
        other.delete(try other.object(with: second.objectID))
        try context.mergeChanges(from: try other.save())
        #expect(controller.fetchedObjects.map(Array.init) == [first])
    }

    @Test func `a list without a delegate fetches the rows of the object after its save`() throws {
        let controller = try controller(\.maker == maker)
        _ = insertItem(1)
        for _ in 0..<2 {
            try controller.performFetch()
            #expect(controller.outline == ["c:1"])
            try context.save()
        }
    }

    @Test func `no entry is saved under the fingerprint of an unsaved object`() throws {
        let controller = try controller(\.maker == maker, cacheName: "items")
        // Without unsaved items the table is current, but its rows alone do not determine the results.
        try controller.performAndSettle()
        #expect(controller.missReason == .unsaved)
        #expect(try controller.lookUpCache()?.description == controller.cacheLookup?.description)
        #expect(try controller.verifyCache() == .unused(.absent))
        let unsaved = controller.fingerprint
        _ = insertItem(1)
        try context.save()
        #expect(controller.fingerprint != unsaved)
        try controller.performAndSettle()
        #expect(controller.missReason == .absent && controller.outline == ["c:1"])
        try controller.performAndSettle()
        #expect(controller.missReason == nil && controller.outline == ["c:1"])
        // The entry equals that of a request that names the object by its primary key.
        let byKey = try self.controller(.leads("maker", to: maker.objectID), cacheName: "items")
        #expect(byKey.fingerprint == controller.fingerprint)
        try byKey.performFetch()
        #expect(byKey.missReason == nil && byKey.outline == ["c:1"])
    }

    @Test func `another program's rows of the object are found once it is saved`() throws {
        let controller = try controller(\.maker == maker, cacheName: "items")
        try controller.performAndSettle()
        try context.save()
        let key = try #require(maker.objectID.primaryKey)
        try workshop.runElsewhere(
            "INSERT INTO Item (\"group\", rank, note, maker) VALUES ('c', 1, 0, \(key))")
        for _ in 0..<2 {
            try controller.performAndSettle()
            #expect(controller.outline == ["c:1"])
            try workshop.runElsewhere("UPDATE Item SET rank = rank + 1")
        }
    }
}
