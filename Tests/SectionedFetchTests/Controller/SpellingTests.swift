import Foundation
import SectionedFetch
import Testing

/// The ways to write a section key, to delete a cache and to look up an index title.
@Suite struct SpellingTests {
    private static let byArtist = FetchRequest<Artwork>(
        sortDescriptors: [.ascending(\.artist?.name), .ascending(\.title)])

    private func makeCatalogue() throws -> Catalogue {
        let catalogue = try Catalogue()
        let context = catalogue.container.newContext()
        for (name, titles) in [("Ann", ["a", "b"]), ("Bob", ["c"])] {
            let artist = Artist(context: context)
            artist.name = name
            for title in titles {
                let artwork = Artwork(context: context)
                (artwork.title, artwork.department, artwork.artist) = (title, "Film", artist)
            }
        }
        try context.save()
        return catalogue
    }

    @Test func `a section key is a key path, a literal or a text, and all have one fingerprint`() throws {
        let catalogue = try makeCatalogue()
        let context = catalogue.container.newContext()
        let name = ["artist", "name"].joined(separator: ".")
        let controllers = try [
            FetchedResultsController(
                fetchRequest: Self.byArtist, context: context, sectionNameKeyPath: \.artist?.name,
                cacheName: "artworks", cacheStore: catalogue.caches),
            FetchedResultsController(
                fetchRequest: Self.byArtist, context: context, sectionNameKeyPath: "artist.name",
                cacheName: "artworks", cacheStore: catalogue.caches),
            FetchedResultsController(
                fetchRequest: Self.byArtist, context: context, sectionNameKeyPath: name,
                cacheName: "artworks", cacheStore: catalogue.caches),
            FetchedResultsController(
                fetchRequest: Self.byArtist, context: context,
                sectionNameKeyPath: .path(\Artwork.artist?.name), cacheName: "artworks",
                cacheStore: catalogue.caches),
            FetchedResultsController(
                fetchRequest: Self.byArtist, context: context, sectionNameKeyPath: .path(\.artist?.name),
                cacheName: "artworks", cacheStore: catalogue.caches),
        ]
        for (number, controller) in controllers.enumerated() {
            try controller.performFetch()
            #expect(controller.outline == ["Ann:2", "Bob:1"])
            #expect(controller.cacheLookup?.isHit == (number > 0))
            catalogue.caches.waitForWrites()
        }
    }

    @Test func `a key path that is not stored is a typed error`() throws {
        let catalogue = try makeCatalogue()
        #expect(throws: ObjectStorageError.self) {
            try FetchedResultsController(
                fetchRequest: Self.byArtist, context: catalogue.container.newContext(),
                sectionNameKeyPath: "artist.nome" as String)
        }
    }

    @Test func `a cache is deleted without naming a class`() throws {
        let catalogue = try makeCatalogue()
        func start() throws -> FetchedResultsController<Artwork> {
            let controller = try catalogue.restarted(Self.byArtist, by: "artist.name")
            try controller.performFetch()
            controller.cacheStore.waitForWrites()
            return controller
        }
        #expect(try start().cacheLookup?.isHit == false)
        #expect(try start().cacheLookup?.isHit == true)
        FetchedResultsController.deleteCache(named: "artworks", in: catalogue.caches)
        catalogue.caches.waitForWrites()
        #expect(try start().missReason == .absent)
        FetchedResultsController<Artwork>.deleteCache(named: nil, in: catalogue.caches)
        catalogue.caches.waitForWrites()
        #expect(try start().missReason == .absent)
    }

    @Test func `an index title is looked up with and without its position`() throws {
        let catalogue = try makeCatalogue()
        let controller = try catalogue.restarted(Self.byArtist, by: "artist.name", cacheName: nil)
        try controller.performFetch()
        #expect(controller.section(forSectionIndexTitle: "B") == 1)
        #expect(controller.section(forSectionIndexTitle: "B", at: 0) == 1)
        #expect(controller.section(forSectionIndexTitle: "C") == nil)
    }

    @Test func `a reset of the context leaves a pause as it is`() throws {
        let catalogue = try makeCatalogue()
        let context = catalogue.container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: Self.byArtist, context: context, sectionNameKeyPath: \.artist?.name)
        let listener = Listener<Artwork>()
        controller.delegate = listener
        try controller.performFetch()
        controller.pauseChanges()
        context.reset()
        #expect(controller.isPaused && controller.sections == nil)
        try controller.performFetch()
        #expect(controller.isPaused && controller.outline == ["Ann:2", "Bob:1"])
        let artwork = Artwork(context: context)
        artwork.title = "new"
        try context.save()
        #expect(listener.changes.isEmpty)
        controller.resumeChanges()
        #expect(!controller.isPaused && listener.changes.count == 1 && controller.outline.count == 3)
    }
}
