import Foundation
import SectionedFetch
import CheckSupport
import Testing

@Suite struct ControllerTests {
    let catalogue: Catalogue
    let context: ManagedObjectContext
    let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        context = catalogue.container.newContext()
        for (department, title) in [
            ("Film", "b"), ("Drawings", "z"), ("Film", "a"), (nil, "x"), ("", "y"), ("nil", "w"),
        ] {
            let artwork = Artwork(context: context)
            artwork.department = department
            artwork.title = title
        }
        try context.save()
    }

    private func controller(
        _ request: FetchRequest<Artwork>? = nil, by key: SectionKey? = "department",
        cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Artwork> {
        try FetchedResultsController(
            fetchRequest: request ?? self.request, context: context, sectionNameKeyPath: key,
            cacheName: cacheName,
            cacheStore: catalogue.caches)
    }

    @Test func `a controller has no results before the first fetch`() throws {
        let controller = try controller()
        #expect(controller.sections == nil)
        #expect(controller.fetchedObjects == nil)
        #expect(controller.cacheLookup == nil)
    }

    @Test func `an index path outside empty results is refused in words`() async throws {
        let result = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let catalogue = try Catalogue()
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title)]),
                context: catalogue.container.newContext(), sectionNameKeyPath: "department",
                cacheStore: catalogue.caches)
            try controller.performFetch()
            _ = controller.object(at: IndexPath(row: 0, section: 0))
        }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("outside the results, which are empty."), "\(message)")
    }

    @Test func `nil, the empty text and the text nil are three sections`() throws {
        let controller = try controller()
        try controller.performFetch()
        #expect(controller.outline == [":1", ":1", "Drawings:1", "Film:2", "nil:1"])
        #expect(Set(controller.sections?.map(\.identity) ?? []).count == 5)
    }

    @Test(arguments: [true, false])
    func `a filtered list is the same whether an index gives the order or SQLite sorts`(isAscending: Bool)
        throws
    {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        for number in 0..<2_000 {
            let artwork = Artwork(context: context)
            artwork.department =
                ["Film", "Drawings", "Éditions", "", nil].randomElement(using: &generator) ?? nil
            artwork.title = Int.random(in: 0..<300, using: &generator).description
            artwork.year = number % 3 == 0 ? nil : Int32.random(in: 1_900..<2_000, using: &generator)
        }
        try context.save()
        let ascending = FetchRequest<Artwork>(
            predicate: \.year >= 1_950, sortDescriptors: [.ascending(\.department), .ascending(\.title)])
        let descending = FetchRequest<Artwork>(
            predicate: \.year >= 1_950, sortDescriptors: [.descending(\.department), .descending(\.title)])
        func list() throws -> [String] {
            let controller = try controller(isAscending ? ascending : descending)
            try controller.performFetch()
            let objects = try #require(controller.fetchedObjects)
            return controller.outline + objects.map { "\($0.objectID)" }
        }
        let unindexed = try list()
        try catalogue.runElsewhere("CREATE INDEX byOrder ON Artwork (department, title)")
        #expect(try list() == unindexed, "seed \(seed)")
        #expect(unindexed.count > 600)
    }

    @Test func `each object has an index path that leads back to it`() throws {
        let controller = try controller()
        try controller.performFetch()
        let sections = try #require(controller.sections)
        for (section, info) in sections.enumerated() {
            for (row, object) in info.objects.enumerated() {
                let path = IndexPath(row: row, section: section)
                #expect(controller.object(at: path) === object)
                #expect(controller.indexPath(for: object) == path)
            }
        }
        #expect(controller.objectIfPresent(at: IndexPath(row: 2, section: 3)) == nil)
        #expect(controller.objectIfPresent(at: IndexPath(row: 0, section: 5)) == nil)
        #expect(controller.fetchedObjects?.map(\.title) == ["x", "y", "z", "a", "b", "w"])
        #expect(controller.indexPath(for: Artwork(context: context)) == nil)
    }

    @Test func `a controller without a section key has one section, even without rows`() throws {
        let none = FetchRequest<Artwork>(predicate: .never, sortDescriptors: request.sortDescriptors)
        let empty = try controller(none, by: nil)
        try empty.performFetch()
        #expect(empty.outline == [":0"])
        let grouped = try controller(none)
        try grouped.performFetch()
        #expect(grouped.outline == [])
        let whole = try controller(by: nil)
        try whole.performFetch()
        #expect(whole.outline == [":6"])
    }

    @Test func `a request without sort descriptors is refused`() throws {
        let error = #expect(throws: ObjectStorageError.self) { try controller(FetchRequest<Artwork>()) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `an order that splits sections is refused at every launch`() throws {
        let byTitle = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title)])
        let film = Artwork(context: context)
        film.department = "Drawings"
        film.title = "ab"
        try context.save()
        for _ in 0..<2 {
            let controller = try catalogue.restarted(byTitle, by: "department")
            let error = #expect(throws: ObjectStorageError.self) { try controller.performFetch() }
            #expect(error?.code == .ungroupedSections)
            #expect(error?.message.contains("Film") == true, "\(error?.message ?? "")")
            #expect(controller.sections == nil)
            controller.settle()
        }
    }

    @Test func `a fetch that fails leaves the previous results`() throws {
        let byYear = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.title)])
        let controller = try controller(byYear, by: "title")
        try controller.performFetch()
        let outline = controller.outline
        try catalogue.runElsewhere("ALTER TABLE Artwork RENAME COLUMN title TO heading")
        #expect(throws: ObjectStorageError.self) { try controller.performFetch() }
        #expect(controller.outline == outline)
    }

    @Test func `unsaved changes are in the results as if they were saved`() throws {
        let new = Artwork(context: context)
        new.department = "Drawings"
        new.title = "aa"
        let moved = try #require(try context.fetch(FetchRequest<Artwork>(predicate: \.title == "a")).first)
        moved.department = "Architecture"
        let gone = try #require(try context.fetch(FetchRequest<Artwork>(predicate: \.title == "w")).first)
        context.delete(gone)
        let controller = try controller(cacheName: "pending")
        try controller.performFetch()
        #expect(controller.missReason == .unsaved)
        let unsaved = controller.fetchedObjects?.map(\.title)
        #expect(controller.outline == [":1", ":1", "Architecture:1", "Drawings:2", "Film:1"])
        #expect(controller.indexPath(for: new) == IndexPath(row: 0, section: 3))
        try context.save()
        try controller.performFetch()
        #expect(controller.fetchedObjects?.map(\.title) == unsaved)
        #expect(controller.indexPath(for: new) == IndexPath(row: 0, section: 3))
        #expect(
            try FetchedResultsController(
                fetchRequest: FetchRequest<Artwork>(
                    sortDescriptors: request.sortDescriptors, includesPendingChanges: false),
                context: context
            ).mode == .frozen)
    }

    @Test(arguments: [("élan", "É"), ("ß", "ß"), ("straße", "S"), ("日本", "日"), ("e\u{301}a", "É"), ("", "")])
    func `the default index title is one character`(name: String, title: String) throws {
        for artwork in try context.fetch(FetchRequest<Artwork>()) { context.delete(artwork) }
        let artwork = Artwork(context: context)
        artwork.department = name
        try context.save()
        let controller = try controller()
        try controller.performFetch()
        #expect(
            controller.sections?.first?.indexTitle == title.precomposedStringWithCanonicalMapping
                || controller.sections?.first?.indexTitle == title)
    }

    final class Titles: FetchedResultsControllerDelegate {
        var tracksChanges: Bool { false }
        func controller(
            _ controller: FetchedResultsController<Artwork>, sectionIndexTitleForSectionName name: String
        ) -> String? { name == "Film" ? "🎬" : nil }
    }

    @Test func `a delegate can supply index titles without tracking changes, and is held weakly`() throws {
        let controller = try controller(cacheName: "titles")
        var delegate: Titles? = Titles()
        controller.delegate = delegate
        #expect(controller.mode == .frozen)
        try controller.performFetch()
        #expect(controller.sectionIndexTitles == ["D", "🎬", "N"])
        #expect(controller.section(forSectionIndexTitle: "🎬", at: 1) == 3)
        #expect(controller.section(forSectionIndexTitle: "Q", at: 9) == nil)
        delegate = nil
        #expect(controller.delegate == nil)
        #expect(controller.sectionIndexTitles == ["D", "F", "N"])
    }

    @Test func `a fetch limit and offset select exactly the requested rows`() throws {
        let window = FetchRequest<Artwork>(
            sortDescriptors: request.sortDescriptors, fetchLimit: 3, fetchOffset: 2)
        let controller = try controller(window)
        try controller.performFetch()
        #expect(controller.outline == ["Drawings:1", "Film:2"])
    }

    @Test func `a section's name may come from another value than its key`() throws {
        for artwork in try context.fetch(FetchRequest<Artwork>()) { context.delete(artwork) }
        for _ in 0..<2 {
            let artist = Artist(context: context)
            artist.name = "Smith"
            for _ in 0..<2 { Artwork(context: context).artist = artist }
        }
        try context.save()
        let byArtist = FetchRequest<Artwork>(sortDescriptors: [
            .ascending("artist.name"), .ascending("artist"),
        ])
        let controller = try controller(byArtist, by: SectionKey("artist", namedBy: "artist.name"))
        try controller.performFetch()
        #expect(controller.outline == ["Smith:2", "Smith:2"])
    }
}
