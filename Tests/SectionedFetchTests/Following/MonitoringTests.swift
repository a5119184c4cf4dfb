import Foundation
import SectionedFetch
import Testing

/// After any change of the store, the next fetch of a controller is correct and uses no outdated entry.
@Suite struct MonitoringTests {
    let catalogue: Catalogue
    let context: ManagedObjectContext
    let request = FetchRequest<Artwork>(
        sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
        for (title, department) in [("a", "D"), ("b", "D"), ("c", "E")] {
            let artwork = Artwork(context: context)
            artwork.title = title
            artwork.department = department
        }
        try context.save()
    }

    private func controller(in context: ManagedObjectContext) throws -> FetchedResultsController<Artwork> {
        try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "department",
            cacheName: "artworks", cacheStore: catalogue.caches)
    }

    private func sections(_ controller: FetchedResultsController<Artwork>) throws -> [String] {
        try controller.performFetch()
        catalogue.caches.waitForWrites()
        return try #require(controller.sections).map {
            "\($0.name): \($0.objects.map { $0.title ?? "" }.joined())"
        }
    }

    @Test func `a batch is detected by controllers and caches`() throws {
        let controller = try controller(in: context)
        #expect(try sections(controller) == ["D: ab", "E: c"])
        #expect(try sections(controller) == ["D: ab", "E: c"])
        #expect(controller.cacheLookup?.isHit == true)
        try context.batchUpdate(
            FetchRequest<Artwork>(predicate: \.title == "b"), set: [.set("department", to: "E")])
        #expect(try sections(controller) == ["D: a", "E: bc"])
        #expect(controller.cacheLookup?.isCurrent == false)
        try context.batchInsert(Artwork.self, rows: [["title": "x", "department": "X"]])
        #expect(try sections(controller) == ["D: a", "E: bc", "X: x"])
        try context.batchDelete(FetchRequest<Artwork>(predicate: \.title == "a"))
        #expect(try sections(controller) == ["E: bc", "X: x"])
        #expect(try sections(controller) == ["E: bc", "X: x"])
        #expect(controller.cacheLookup?.isHit == true)
    }

    @Test func `a fetch shows the merged values of objects that are already shown`() throws {
        let controller = try controller(in: context)
        #expect(try sections(controller) == ["D: ab", "E: c"])
        context.automaticallyMergesChanges = true
        let other = catalogue.container.newContext()
        for artwork in try other.fetch(request) { artwork.title = (artwork.title ?? "") + "!" }
        try other.save()
        #expect(try sections(controller) == ["D: a!b!", "E: c!"])
    }

    @Test func `a controller of a child context shows the parent's unsaved changes and does not cache them`()
        throws
    {
        #expect(try sections(try controller(in: context)) == ["D: ab", "E: c"])
        let child = context.newChildContext()
        let inChild = try controller(in: child)
        #expect(try sections(inChild) == ["D: ab", "E: c"])
        #expect(inChild.cacheLookup?.isHit == true)
        let new = Artwork(context: context)
        new.title = "n"
        new.department = "N"
        #expect(try sections(inChild) == ["D: ab", "E: c", "N: n"])
        #expect(inChild.cacheLookup?.isCurrent == false)
        let shown = try #require(inChild.fetchedObjects?.last)
        #expect(shown.objectID == new.objectID)
        #expect(inChild.indexPath(for: shown) == IndexPath(row: 0, section: 2))
        context.rollback()
        #expect(try sections(inChild) == ["D: ab", "E: c"])
        #expect(inChild.cacheLookup?.isHit == true)
    }

    @Test func `a controller whose request prefetches shows the related objects`() throws {
        let artist = Artist(context: context)
        artist.name = "A"
        for artwork in try context.fetch(request) { artwork.artist = artist }
        try context.save()
        let other = catalogue.container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: request.prefetching(\.artist), context: other, sectionNameKeyPath: "department")
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map { $0.artist?.name } == ["A", "A", "A"])
    }
}
