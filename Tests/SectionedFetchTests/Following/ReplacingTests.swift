import Foundation
import SectionedFetch
import Testing

/// Replaced requests, fetches that report changes, reload thresholds, and fetch limits and offsets.
@Suite struct ReplacingTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let listener = Listener<Item>()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
    }

    private func followed(
        _ request: FetchRequest<Item>? = nil, by key: SectionKey? = nil, cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Item> {
        let controller = try workshop.controller(
            request ?? .byRank, by: key, cacheName: cacheName, in: context)
        controller.delegate = listener
        try controller.performFetch()
        return controller
    }

    private var last: [String] {
        listener.changes.last?.rowEvents.map { event in
            "\(event.kind) \(event.indexPath.map { "\($0[1])" } ?? "")>\(event.newIndexPath.map { "\($0[1])" } ?? "")"
        } ?? []
    }

    private static let descending = FetchRequest<Item>(sortDescriptors: [.descending(\.rank)])

    @Test
    func `a replaced request reports the difference as one change, in which unchanged rows may move`()
        throws
    {
        let controller = try followed()
        try controller.replaceRequest(with: Self.descending, sectionNameKeyPath: nil)
        #expect(listener.changes.count == 1)
        #expect(last.allSatisfy { $0.hasPrefix("move") } && last.count == 2)
        #expect(controller.fetchedObjects?.map(\.rank) == [3, 2, 1])
        items[0].rank = 9
        try context.save()
        #expect(last == ["move 2>0"])
    }

    @Test func `a replaced request can add sections and remove rows`() throws {
        let controller = try followed()
        let high = FetchRequest<Item>(
            predicate: \.rank > 1, sortDescriptors: [.ascending(\.group), .ascending(\.rank)])
        try controller.replaceRequest(with: high, sectionNameKeyPath: "group")
        #expect(listener.changes.count == 1)
        #expect(listener.changes[0].sectionEvents.map(\.kind) == [.deletion, .insertion, .insertion])
        #expect(listener.changes[0].rowEvents.count { $0.kind == .deletion } == 1)
        #expect(controller.sections?.map(\.name) == ["a", "b"])
    }

    @Test func `a request can be replaced without a report`() throws {
        let controller = try followed()
        try controller.replaceRequest(with: Self.descending, sectionNameKeyPath: nil, reportsChange: false)
        #expect(listener.changes.isEmpty)
        #expect(controller.fetchedObjects?.map(\.rank) == [3, 2, 1])
    }

    @Test func `a request that cannot be shown leaves the previous one`() throws {
        let controller = try followed()
        let ungrouped = FetchRequest<Item>(sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)])
        items[2].group = "a"
        items[1].group = "b"
        try context.save()
        #expect(throws: ObjectStorageError.self) {
            try controller.replaceRequest(with: FetchRequest<Item>(), sectionNameKeyPath: nil)
        }
        #expect(throws: ObjectStorageError.self) {
            try controller.replaceRequest(with: ungrouped, sectionNameKeyPath: "group")
        }
        #expect(controller.sectionKey == nil)
        #expect(controller.fetchedObjects?.map(\.rank) == [1, 2, 3])
        items[0].rank = 5
        try context.save()
        #expect(last == ["move 0>2"])
    }

    @Test func `each request has its own entry in the cache, so that returning to it is a hit`() throws {
        let controller = try followed(cacheName: "items")
        workshop.caches.waitForWrites()
        try controller.replaceRequest(with: Self.descending, sectionNameKeyPath: nil)
        #expect(controller.missReason != nil)
        workshop.caches.waitForWrites()
        try controller.replaceRequest(with: .byRank, sectionNameKeyPath: nil)
        #expect(controller.missReason == nil)
        #expect(controller.fetchedObjects?.map(\.rank) == [1, 2, 3])
        #expect(listener.changes.count == 2)
    }

    @Test func `a fetch reports differences only with reportsChange`() throws {
        let controller = try followed()
        let other = workshop.container.newContext()
        try workshop.insert([0], in: other)
        try controller.performFetch(reportsChange: true)
        #expect(last == ["insertion >0"])
        try workshop.insert([-1], in: other)
        try controller.performFetch(reportsChange: false)
        #expect(listener.changes.count == 1)
        #expect(controller.fetchedObjects?.count == 5)
        try controller.performFetch(reportsChange: true)
        #expect(listener.changes.count == 1)
    }

    @Test func `a fetch reports the changes since the results shown to a late delegate`() throws {
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        try controller.performFetch()
        controller.delegate = listener
        listener.will = { controller in #expect(controller.fetchedObjects?.count == 3) }
        try workshop.insert([0], in: workshop.container.newContext())
        try controller.performFetch(reportsChange: true)
        #expect(last == ["insertion >0"])
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 1, 2, 3])
        listener.will = nil
        items[0].note = 1
        try context.save()
        #expect(last == ["update 1>1"])
    }

    @Test func `rows of another entity are a reload, even with equal keys`() throws {
        let listener = Listener<ManagedObject>()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(
                entityName: "Item", sortDescriptors: [.ascending("rank")]),
            context: context)
        controller.delegate = listener
        try controller.performFetch()
        try controller.replaceRequest(
            with: FetchRequest(entityName: "Maker", sortDescriptors: [.ascending("name")]),
            sectionNameKeyPath: nil)
        #expect(listener.changes.map(\.isReload) == [true])
        #expect(controller.fetchedObjects?.map(\.objectID.entityName) == ["Maker", "Maker"])
    }

    @Test(arguments: [false, true])
    func `a request that replaces another during the merge of a fetch or a report is shown`(
        isFollowed: Bool
    ) throws {
        context.automaticallyMergesChanges = true
        let sidebar = try workshop.controller(.byRank, by: nil, in: context)
        let sidebarListener = Listener<Item>()
        sidebar.delegate = sidebarListener
        try sidebar.performFetch()
        let controller = try workshop.controller(.byRank, by: nil, cacheName: "items", in: context)
        if isFollowed {
            controller.delegate = listener
            try controller.performFetch()
        }
        sidebarListener.will = { _ in
            #expect(throws: Never.self) {
                try controller.replaceRequest(with: Self.descending, sectionNameKeyPath: nil)
            }
        }
        try workshop.insert([9], in: workshop.container.newContext())
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.rank) == [9, 3, 2, 1])
        workshop.caches.waitForWrites()
        let later = try workshop.controller(Self.descending, by: nil, cacheName: "items", in: context)
        try later.performFetch()
        #expect(later.fetchedObjects?.map(\.rank) == [9, 3, 2, 1])
    }

    @Test func `a change is one reload from the threshold on, and none below it`() throws {
        let controller = try followed(by: "rank")
        controller.reloadThreshold = 2
        items[0].note = 1
        try context.save()
        #expect(listener.changes.last?.isReload == false)
        for item in items.prefix(2) { item.note = 2 }
        try context.save()
        #expect(listener.changes.last?.isReload == true)
        #expect(listener.changes.last?.rowEvents.isEmpty == true)
        #expect(
            listener.changes.last?.sectionEvents.map(\.kind) == [
                .deletion, .deletion, .deletion, .insertion, .insertion, .insertion,
            ])
        #expect(listener.snapshots.last?.isReload == true)
    }

    @Test func `a fetch limit is kept: an insertion removes the last row, and a deletion adds one`() throws {
        let controller = try followed(
            FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)], fetchLimit: 2))
        try workshop.insert([0], in: context)
        #expect(last == ["deletion 1>", "insertion >0"])
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 1])
        context.delete(items[0])
        try context.save()
        #expect(last == ["deletion 1>", "insertion >1"])
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 2])
    }

    @Test func `a fetch offset is kept: changes before the window shift its rows`() throws {
        let controller = try followed(
            FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)], fetchLimit: 1, fetchOffset: 1))
        try workshop.insert([0], in: context)
        #expect(last == ["deletion 0>", "insertion >0"])
        #expect(controller.fetchedObjects?.map(\.rank) == [1])
        items[2].note = 1
        try context.save()
        #expect(listener.changes.count == 1)
    }

    @Test func `a change without sections has a collection difference of its rows`() throws {
        let controller = try followed()
        context.delete(items[0])
        items[1].rank = 7
        try context.save()
        let difference = try #require(listener.changes.last?.difference)
        let old = items.map(\.objectID)
        #expect(old.applying(difference) == controller.snapshot?[0].map { $0 })
        let sectioned = try followed(by: "rank")
        items[1].note = 1
        try context.save()
        #expect(listener.changes.last?.difference == nil)
        withExtendedLifetime(sectioned) {}
    }

    @Test(arguments: [true, false])
    func `a request that only later proves impossible to show gives way to the previous one`(
        isPaused: Bool
    ) throws {
        let controller = try followed(by: nil)
        // The groups are a, b, a in this order.
        items[2].rank = 0
        items[0].rank = -1
        try context.save()
        let count = listener.changes.count
        let replace = {
            try controller.replaceRequest(with: .byRank, sectionNameKeyPath: "group")
            #expect(controller.sectionKey != nil)
        }
        if isPaused {
            controller.pauseChanges()
            try replace()
            items[1].note = 1
            try context.save()
            controller.resumeChanges()
        } else {
            listener.will = { _ in
                self.listener.will = nil
                #expect(throws: Never.self) { try replace() }
            }
            items[1].note = 1
            try context.save()
        }
        #expect(listener.errors.map(\.code) == [.ungroupedSections])
        #expect(controller.sectionKey == nil && controller.sections?.count == 1)
        #expect(listener.changes.count == count + 1)
        #expect(last == ["update 2>2"])
        // The controller continues to follow the previous request.
        items[1].note = 2
        try context.save()
        #expect(listener.changes.count == count + 2 && controller.trackingError == nil)
        try controller.replaceRequest(with: Self.descending, sectionNameKeyPath: nil)
        #expect(controller.fetchedObjects?.map(\.rank) == [2, 0, -1])
    }

    @Test func `a threshold of zero makes every change of the results a reload, and no other change`() throws
    {
        let controller = try followed(
            FetchRequest<Item>(predicate: \.rank < 3, sortDescriptors: [.ascending(\.rank)]))
        controller.reloadThreshold = 0
        items[2].note = 1
        try context.save()
        #expect(listener.changes.isEmpty)
        items[0].note = 1
        try context.save()
        #expect(listener.changes.map(\.isReload) == [true])
    }
}
