import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// The listings of the article “Caches and Validity”.
@Suite struct CachesAndValidityListings {
    @Test func `a controller reports the look-up of its cache, which can be deleted`() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let container = try PersistentContainer(
            url: directory.file("people.store"), model: ManagedObjectModel(types: Person.self))
        let context = container.newContext()
        Person(context: context).firstName = "Ada"
        try context.save()
        let request = FetchRequest<Person>(sortDescriptors: [.ascending(\.firstName)])

        let caches = SectionCacheStore(directory: directory.url.appending(path: "caches"))
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: \.firstName,
            cacheName: "people by name", cacheStore: caches)
        try controller.performFetch()
        switch controller.cacheLookup {
        case .hit?: print("from the cache")
        case .advanced(_, let changedRows)?: print("from the cache, with \(changedRows) changed rows")
        case .miss(let reason)?: print("computed: \(reason)")
        case nil: print("no cache name")
        }

        guard case .miss(.absent)? = controller.cacheLookup else {
            Issue.record("The first fetch was not a miss of an absent cache.")
            return
        }
        #expect(caches.waitForWrites(upTo: 60))
        #expect(try controller.lookUpCache()?.isHit == true)

        FetchedResultsController.deleteCache(named: "people by name", in: caches)

        guard case .miss(.absent)? = try controller.lookUpCache() else {
            Issue.record("The deleted cache is not absent.")
            return
        }
        #expect(caches.waitForWrites(upTo: 60))
        #expect(try caches.entries(ofCache: "people by name").isEmpty)
    }
}
