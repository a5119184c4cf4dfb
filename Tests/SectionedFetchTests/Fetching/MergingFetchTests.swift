import Foundation
import SectionedFetch
import Testing

/// A fetch merges the commits of other contexts if its context merges automatically.
@Suite struct MergingFetchTests {
    private let workshop: Workshop
    private let context: ManagedObjectContext
    private let other: ManagedObjectContext

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        other = workshop.container.newContext()
        _ = try workshop.fill(other)
        context.automaticallyMergesChanges = true
    }

    private func rename(_ name: String, to new: String) throws {
        let maker = try #require(try other.fetch(FetchRequest<Maker>(predicate: \.name == name)).first)
        maker.name = new
        try other.save()
    }

    private func insert(_ group: String, _ rank: Int32) throws {
        let item = Item(context: other)
        (item.group, item.rank) = (group, rank)
        try other.save()
    }

    @Test(arguments: [nil, "items"] as [CacheName?])
    func `objects that the list does not read are merged, with and without a hit`(name: CacheName?)
        throws
    {
        let controller = try workshop.controller(cacheName: name, in: context)
        try controller.performFetch()
        #expect(workshop.caches.waitForWrites())
        let maker = try #require(controller.fetchedObjects?.first?.maker)
        #expect(maker.name == "Ada")
        try rename("Ada", to: "Eve")
        try controller.performFetch()
        #expect(controller.cacheLookup?.isHit == (name == nil ? nil : true))
        #expect(maker.name == "Eve")
    }

    @Test func `a controller that fetches during another one's merge reports each change once`() throws {
        let (first, second) = (Listener<Item>(), Listener<Item>())
        let shown = try workshop.controller(in: context)
        shown.delegate = first
        try shown.performFetch()
        let late = try workshop.controller(.byRank, in: context)
        late.delegate = second
        first.will = { _ in
            first.will = nil
            #expect(throws: Never.self) { try late.performFetch() }
        }
        try insert("c", 4)
        try late.performFetch()
        #expect(first.changes.count == 1)
        let numberOfChanges = second.changes.count
        try insert("d", 5)
        try context.mergePendingChanges()
        #expect(second.changes.count == numberOfChanges + 1)
        #expect(late.fetchedObjects?.count == 5)
        // A change that cannot be followed, here an order that splits a group, is also reported once.
        try insert("a", 9)
        try context.mergePendingChanges()
        #expect(second.errors.map(\.code) == [.ungroupedSections])
    }
}
