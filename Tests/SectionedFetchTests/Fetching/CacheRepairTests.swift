import Foundation
import SectionedFetch
import CheckSupport
import Testing

struct CacheRepairTests {
    private static let unreadableRows = MissReason.corrupt(
        detail: "rows of the entry cannot be read, and were computed again")

    @Test func `damaged rows of an entry are computed again, and the next start hits`() throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        let workshop = try Workshop()
        try workshop.insert(0..<12_000, in: workshop.container.newContext())
        /// Lists all rows with a cache store that nothing else in this process has open.
        func list() throws -> (isHit: Bool, ranks: [Int32], problem: MissReason?) {
            let caches = SectionCacheStore(directory: workshop.url.appending(path: "caches"))
            let context = workshop.container.newContext()
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Item>(sortDescriptors: [.descending(\.rank)]), context: context,
                cacheName: "ranks", cacheStore: caches)
            try controller.performFetch()
            let ranks = try #require(controller.fetchedObjects).map(\.rank)
            #expect(caches.waitForWrites(upTo: 60))
            return (controller.cacheLookup?.isHit == true, ranks, caches.lastProblem)
        }
        let expected = Array((0..<12_000 as Range<Int32>).reversed())
        #expect(try list().ranks == expected)
        let file = workshop.url.appending(path: "caches/data.mdb")
        var repaired = 0
        for _ in 0..<40 where repaired < 5 {
            #expect(try list().problem == nil, "seed \(seed)")
            var bytes = try Data(contentsOf: file)
            bytes[Int.random(in: 16_384..<bytes.count, using: &generator)] ^= 4
            try bytes.write(to: file)
            let damaged = try list()
            #expect(damaged.ranks == expected, "seed \(seed)")
            // If the damaged byte belongs to the file's structure, the next start begins a new file.
            guard damaged.isHit, damaged.problem == Self.unreadableRows else { continue }
            repaired += 1
            let next = try list()
            #expect(next.isHit && next.problem == nil && next.ranks == expected, "seed \(seed)")
        }
        #expect(repaired == 5, "seed \(seed)")
    }
}
