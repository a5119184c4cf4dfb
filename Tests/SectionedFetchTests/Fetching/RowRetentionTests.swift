import Foundation
import SectionCaching
import SectionedFetch
import Testing

/// The rows of results that came from a cache, after the cache entry and the data changed.
struct RowRetentionTests {
    let workshop: Workshop
    /// Numbers of rows: 7 rows are read into memory at once, and 60,000 by another thread.
    static let counts = [7, 60_000]

    init() throws { workshop = try Workshop() }

    /// Inserts `count` rows in the sections a to d, ranked in the order of the sections, and returns their
    /// keys.
    private func fill(_ count: Int) throws -> [Int64] {
        try workshop.runElsewhere(
            """
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
            INSERT INTO Item ("group", rank) SELECT substr('abcd', 1 + i * 4 / \(count), 1), i FROM n
            """)
        return Array(1...Int64(count))
    }

    private func controller(
        _ request: FetchRequest<Item>? = nil, in context: ManagedObjectContext,
        caches: SectionCacheStore? = nil
    ) throws -> FetchedResultsController<Item> {
        try FetchedResultsController(
            fetchRequest: request
                ?? FetchRequest(sortDescriptors: [.ascending(\.group), .ascending(\.rank)]),
            context: context, sectionNameKeyPath: "group", cacheName: "n",
            cacheStore: caches ?? workshop.caches)
    }

    /// Saves the entry, and fetches it from the cache in a new container.
    private func fetchFromCache() throws -> FetchedResultsController<Item> {
        try controller(in: workshop.container.newContext()).performFetch()
        workshop.caches.waitForWrites()
        let container = try PersistentContainer(
            url: workshop.url.appending(path: "store.sqlite"), model: workshop.container.model)
        let cached = try controller(in: container.newContext())
        try cached.performFetch()
        #expect(cached.missReason == nil)
        return cached
    }

    /// The events between the fetch and the reading of rows.
    enum Interference: CaseIterable {
        case followedSaves, startsElsewhere, deletion, flood, otherRequests, removedDirectory
    }

    private func interfere(_ kind: Interference) throws {
        switch kind {
        case .followedSaves:
            // A tracked controller of the same request and name follows ten saves.
            let context = workshop.container.newContext()
            let tracked = try controller(in: context)
            let listener = Listener<Item>()
            tracked.delegate = listener
            try tracked.performFetch()
            for number in 0..<10 {
                let item = Item(context: context)
                (item.group, item.rank) = ("a", Int32(-1 - number))
                try context.save()
                workshop.caches.waitForWrites()
            }
            #expect(listener.changes.count == 10)
        case .startsElsewhere:
            for number in 0..<3 {
                try workshop.runElsewhere("INSERT INTO Item (\"group\", rank) VALUES ('a', -\(number + 1))")
                let caches = SectionCacheStore(directory: workshop.caches.directory)
                try controller(in: workshop.container.newContext(), caches: caches).performFetch()
                caches.waitForWrites()
            }
        case .deletion:
            FetchedResultsController<Item>.deleteCache(named: "n", in: workshop.caches)
            let context = workshop.container.newContext()
            let item = Item(context: context)
            (item.group, item.rank) = ("a", -1)
            try context.save()
        case .flood:
            try workshop.runElsewhere(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                INSERT INTO Item ("group", rank) SELECT 'a', -i FROM n
                """)
            try controller(in: workshop.container.newContext()).performFetch()
            workshop.caches.waitForWrites()
        case .otherRequests:
            // More requests than a name has entries for.
            try workshop.runElsewhere("DELETE FROM Item WHERE rank = 0")
            for number in 0..<10 {
                let request = FetchRequest<Item>(
                    predicate: \.note == Int64(number),
                    sortDescriptors: [.ascending(\.group), .ascending(\.rank)])
                try controller(request, in: workshop.container.newContext()).performFetch()
                workshop.caches.waitForWrites()
            }
        case .removedDirectory:
            try FileManager.default.removeItem(at: workshop.caches.directory)
            try workshop.runElsewhere("UPDATE Item SET rank = -rank")
        }
    }

    /// Checks that every accessor gives the rows of the fetch or, if `mayBeLost`, reports them as lost.
    private func expect(
        _ keys: [Int64], in controller: FetchedResultsController<Item>, mayBeLost: Bool = false
    ) throws {
        let count = keys.count
        let sections = try #require(controller.sections)
        #expect(sections.map(\.name) == ["a", "b", "c", "d"])
        let objects = try #require(controller.fetchedObjects)
        #expect(objects.count == count)
        let snapshot = try #require(controller.snapshot)
        let positions = (0..<min(count, 7)).map { $0 * (count - 1) / (min(count, 7) - 1) }
        for position in positions {
            let section = try #require(sections.firstIndex { $0.rows.contains(position) })
            let path: IndexPath = [section, position - sections[section].rows.lowerBound]
            let object = controller.object(at: path)
            if mayBeLost, object.readError?.code == .rowsLost {
                #expect(objects[position].readError?.code == .rowsLost)
                #expect(snapshot.objectID(at: path)?.primaryKey == .min)
                #expect(snapshot.readError?.code == .rowsLost)
                continue
            }
            #expect(object.objectID.primaryKey == keys[position])
            #expect(objects[position] === object)
            #expect(sections[section].objects[path.row] === object)
            #expect(snapshot.objectID(at: path) == object.objectID)
            #expect(controller.indexPath(for: object) == path)
        }
        if !mayBeLost {
            #expect(snapshot.flatMap { $0.map(\.primaryKey) } == keys)
        }
    }

    @Test(arguments: counts, Interference.allCases)
    func `frozen results keep their rows through changes of the entry and the data`(
        count: Int, interference: Interference
    ) throws {
        let keys = try fill(count)
        let controller = try fetchFromCache()
        // The other thread then has read the rows; the tests below cover the time before that.
        workshop.caches.waitForWrites()
        try interfere(interference)
        try expect(keys, in: controller)
    }

    @Test func `a deletion by the same cache store waits until the rows are read`() throws {
        let keys = try fill(60_000)
        let controller = try fetchFromCache()
        try interfere(.deletion)
        workshop.caches.waitForWrites()
        try expect(keys, in: controller)
    }

    @Test(arguments: counts, Interference.allCases)
    func `tracked results keep their rows until the change is merged`(
        count: Int, interference: Interference
    ) throws {
        let keys = try fill(count)
        try controller(in: workshop.container.newContext()).performFetch()
        workshop.caches.waitForWrites()
        let context = workshop.container.newContext()
        let tracked = try controller(in: context)
        let listener = Listener<Item>()
        tracked.delegate = listener
        try tracked.performFetch()
        #expect(tracked.missReason == nil)
        workshop.caches.waitForWrites()
        try interfere(interference)
        try expect(keys, in: tracked)
        try context.mergeChangesFromStore()
        #expect(listener.changes.count == 1)
        let fresh = try controller(in: workshop.container.newContext())
        try fresh.performFetch()
        let now = try #require(fresh.snapshot).flatMap { $0.map(\.primaryKey) }
        #expect(try #require(tracked.snapshot).flatMap { $0.map(\.primaryKey) } == now)
    }

    /// Keeps the writing thread of a cache store busy until it is released.
    private final class BusyWriter {
        private let semaphore = DispatchSemaphore(value: 0)

        init(_ caches: SectionCacheStore) throws {
            let begun = DispatchSemaphore(value: 0)
            let request = SectionCacheRequest(
                name: "busy", request: CanonicalRequest(parts: []),
                token: StoreToken(
                    storeIdentity: Array(repeating: 1, count: 16),
                    schemaDigest: Array(repeating: 1, count: 32), dependencies: []),
                authenticationKey: Array(repeating: 1, count: 32))
            caches.save(SectionIndex.Builder().finish(), for: request) { [semaphore] in
                begun.signal()
                semaphore.wait()
                return false
            }
            begun.wait()
        }

        func release() { semaphore.signal() }
    }

    /// Fetches from a cache store whose busy thread cannot read the rows, and deletes the entry.
    private func fetchWithoutReading(
        _ context: ManagedObjectContext, _ delegate: Listener<Item>? = nil
    ) throws -> FetchedResultsController<Item> {
        try controller(in: workshop.container.newContext()).performFetch()
        workshop.caches.waitForWrites()
        let caches = SectionCacheStore(directory: workshop.caches.directory)
        let writer = try BusyWriter(caches)
        let cached = try controller(in: context, caches: caches)
        cached.delegate = delegate
        try cached.performFetch()
        #expect(cached.missReason == nil)
        FetchedResultsController<Item>.deleteCache(named: "n", in: workshop.caches)
        workshop.caches.waitForWrites()
        writer.release()
        caches.waitForWrites()
        return cached
    }

    @Test func `rows of an entry that is deleted at once are found while the data are unchanged`() throws {
        let keys = try fill(60_000)
        let cached = try fetchWithoutReading(workshop.container.newContext())
        try expect(keys, in: cached)
    }

    @Test func `rows of an entry that is deleted at once are lost after a data change, never wrong`()
        throws
    {
        let keys = try fill(60_000)
        let cached = try fetchWithoutReading(workshop.container.newContext())
        try workshop.runElsewhere("INSERT INTO Item (\"group\", rank) VALUES ('a', -1)")
        #expect(cached.object(at: [0, 0]).readError?.code == .rowsLost)
        #expect(cached.indexPath(for: cached.object(at: [0, 0])) == nil)
        try expect(keys, in: cached, mayBeLost: true)
    }

    @Test(arguments: [false, true])
    func `lost rows of tracked results are a reload at the next event`(isRead: Bool) throws {
        _ = try fill(60_000)
        let context = workshop.container.newContext()
        let listener = Listener<Item>()
        let tracked = try fetchWithoutReading(context, listener)
        try workshop.runElsewhere("INSERT INTO Item (\"group\", rank) VALUES ('a', -1)")
        if isRead {
            #expect(tracked.object(at: [3, 0]).readError?.code == .rowsLost)
            // The event concerns other objects.
            Maker(context: context).name = "Ada"
            try context.save()
        } else {
            try context.mergeChangesFromStore()
        }
        #expect(listener.changes.map(\.isReload) == [true])
        #expect(tracked.fetchedObjects?.count == 60_001)
        #expect(tracked.object(at: [0, 0]).rank == -1)
        #expect(tracked.object(at: [3, 0]).readError == nil)
    }
}
