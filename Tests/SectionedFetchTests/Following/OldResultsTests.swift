import Foundation
import SectionedFetch
import Testing

/// The results before a change stay available: in the call that announces the change, and in snapshots.
@Suite struct OldResultsTests {
    let workshop: Workshop
    let context: ManagedObjectContext

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
    }

    /// Inserts more rows at the front than the log holds.
    private static let flood =
        "WITH RECURSIVE n(i) AS (SELECT -5000 UNION ALL SELECT i + 1 FROM n WHERE i < 0) INSERT INTO Item(rank) SELECT i FROM n"

    /// Saves 200 rows and their cache entry, and returns a controller of them before its fetch.
    private func cachedList() throws -> FetchedResultsController<Item> {
        try workshop.insert(1...200, in: context)
        try workshop.controller(.byRank, by: nil, cacheName: "items", in: context).performFetch()
        workshop.caches.waitForWrites()
        return try workshop.controller(.byRank, by: nil, cacheName: "items", in: context)
    }

    private static func expectOldRows(_ snapshot: ResultsSnapshot<Item>) {
        #expect(snapshot[0].map(\.primaryKey) == (1...200).map { $0 })
    }

    @Test(arguments: [0, 1, 2])
    func `before the first event each object has its old index path`(deleted: Int) throws {
        let items = try workshop.insert([10, 20, 30], in: context)
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        let listener = Listener<Item>()
        controller.delegate = listener
        try controller.performFetch()
        var paths: [[IndexPath?]] = []
        var ranks: [[Int32]] = []
        listener.will = { controller in
            paths.append(items.map(controller.indexPath(for:)))
            ranks.append(controller.fetchedObjects?.map(\.rank) ?? [])
        }
        try workshop.insert([5], in: context)
        context.delete(items[deleted])
        try context.save()
        #expect(paths[0] == [[0, 0], [0, 1], [0, 2]])
        #expect(paths[1] == [[0, 1], [0, 2], [0, 3]])
        #expect(ranks.map(\.count) == [3, 4])
        #expect(controller.indexPath(for: items[deleted]) == nil)
        let remaining = items.filter { $0 !== items[deleted] }
        #expect(remaining.map(controller.indexPath(for:)) == [[0, 1], [0, 2]])
    }

    @Test func `a change that cannot be followed leaves the index paths as they were`() throws {
        let items = try workshop.fill(context).items
        let byRank = FetchRequest<Item>.byRank
        let controller = try workshop.controller(byRank, in: context)
        let listener = Listener<Item>()
        controller.delegate = listener
        try controller.performFetch()
        items[0].rank = 9
        try context.save()
        #expect(listener.errors.map(\.code) == [.ungroupedSections])
        #expect(items.map(controller.indexPath(for:)) == [[0, 0], [0, 1], [1, 0]])
    }

    @Test func `before a reload the rows are the old ones, even if the cache has the new ones`() throws {
        let controller = try cachedList()
        let listener = Listener<Item>()
        controller.delegate = listener
        try controller.performFetch()
        #expect(controller.missReason == nil)
        let snapshot = try #require(controller.snapshot)
        var ranks: [Int32] = []
        listener.will = { [caches = workshop.caches] controller in
            caches.waitForWrites()
            ranks = controller.fetchedObjects?.map(\.rank) ?? []
            if let snapshot = controller.snapshot { Self.expectOldRows(snapshot) }
        }
        try workshop.runElsewhere(Self.flood)
        try context.mergeChangesFromStore()
        workshop.caches.waitForWrites()
        #expect(listener.changes.map(\.isReload) == [true])
        #expect(ranks == (1...200).map { $0 })
        Self.expectOldRows(snapshot)
        #expect(controller.fetchedObjects?.count == 5_201)
    }

    @Test func `a snapshot keeps its rows when its controller fetches again`() throws {
        let controller = try cachedList()
        try controller.performFetch()
        let snapshot = try #require(controller.snapshot)
        try workshop.runElsewhere(Self.flood)
        try controller.performFetch()
        workshop.caches.waitForWrites()
        #expect(controller.fetchedObjects?.count == 5_201)
        Self.expectOldRows(snapshot)
    }

    @Test func `a snapshot whose cache is deleted keeps its rows while the data are unchanged`() throws {
        let controller = try cachedList()
        try controller.performFetch()
        let snapshot = try #require(controller.snapshot)
        FetchedResultsController<Item>.deleteCache(named: "items", in: workshop.caches)
        workshop.caches.waitForWrites()
        Self.expectOldRows(snapshot)
        #expect(snapshot.readError == nil)
        #expect(try snapshot.objects(in: context).map(\.rank) == (1...200).map { $0 })
    }

    @Test(.timeLimit(.minutes(30)))
    func `rows that the cache lost are found by two threads during a write`()
        throws
    {
        let controller = try cachedList()
        try controller.performFetch()
        let snapshot = try #require(controller.snapshot)
        FetchedResultsController<Item>.deleteCache(named: "items", in: workshop.caches)
        workshop.caches.waitForWrites()
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try workshop.container.write { _ in
            Thread.detachNewThread {
                begun.signal()
                Self.expectOldRows(snapshot)
                ended.signal()
            }
            begun.wait()
            // By then the other thread probably waits for the store, which this thread has locked.
            Thread.sleep(forTimeInterval: 0.05)
            Self.expectOldRows(snapshot)
            #expect(controller.fetchedObjects?.map(\.rank) == (1...200).map { $0 })
        }
        ended.wait()
        #expect(snapshot.readError == nil)
    }

    @Test func `a snapshot keeps its rows when another program replaces the entry`() throws {
        let controller = try cachedList()
        try controller.performFetch()
        let snapshot = try #require(controller.snapshot)
        // Another program's start replaces the entry.
        try workshop.runElsewhere(Self.flood)
        let caches = SectionCacheStore(directory: workshop.caches.directory)
        let other = try FetchedResultsController(
            fetchRequest: .byRank, context: context, cacheName: "items", cacheStore: caches)
        try other.performFetch()
        caches.waitForWrites()
        Self.expectOldRows(snapshot)
        #expect(snapshot.readError == nil)
        #expect(try snapshot.objects(in: context).map(\.rank) == (1...200).map { $0 })
    }
}
