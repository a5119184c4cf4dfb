import Foundation
import SectionedFetch
import Testing

/// Sections as collections, and their look-up by name, identity and key.
@Suite struct SectionLookupTests {
    let catalogue: Catalogue
    let request = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.department), .ascending(\.title)])

    init() throws {
        catalogue = try Catalogue()
        let context = catalogue.container.newContext()
        for (department, title) in [
            ("Film", "b"), ("Drawings", "z"), ("Film", "a"), (nil, "x"), ("", "y"), ("ﬁlm", "w"),
        ] {
            let artwork = Artwork(context: context)
            artwork.department = department
            artwork.title = title
        }
        try context.save()
    }

    /// Returns the sections as computed, then as read from the cache.
    private func controllers() throws -> [FetchedResultsController<Artwork>] {
        try (0..<2).map { number in
            let controller = try FetchedResultsController(
                fetchRequest: request, context: catalogue.container.newContext(),
                sectionNameKeyPath: "department", cacheName: "sections", cacheStore: catalogue.caches)
            try controller.performFetch()
            #expect(catalogue.caches.waitForWrites())
            #expect(controller.cacheLookup?.isHit == (number == 1))
            return controller
        }
    }

    @Test func `a section is the collection of its objects`() throws {
        for controller in try controllers() {
            let sections = try #require(controller.sections)
            #expect(sections.map { $0.map(\.title) } == [["x"], ["y"], ["z"], ["a", "b"], ["w"]])
            #expect(sections.map(\.count) == sections.map(\.numberOfObjects))
            #expect(sections.flatMap(\.self).map(\.objectID) == controller.fetchedObjects?.map(\.objectID))
            #expect(sections[3].last?.title == "b")
        }
    }

    @Test func `the identities of sections are unique and the same after a restart`() throws {
        let identities = try controllers().map { try #require($0.sections).map(\.id) }
        #expect(identities[0] == identities[1])
        #expect(Set(identities[0]).count == 5)
    }

    @Test func `a section is found by its name, its identity and the value of its key`() throws {
        for controller in try controllers() {
            let sections = try #require(controller.sections)
            for section in sections {
                #expect(sections[id: section.id]?.rows == section.rows)
                let first = sections.first { $0.name == section.name }
                #expect(sections[name: section.name]?.rows == first?.rows)
            }
            #expect(sections[name: "Film"]?.map(\.title) == ["a", "b"])
            #expect(sections[key: .text("Film")]?.rows == 3..<5)
            #expect(sections[key: .text("")]?.map(\.title) == ["y"])
            #expect(sections[key: .null]?.map(\.title) == ["x"])
            #expect(sections[name: "film"] == nil)
            #expect(sections[key: .text("Prints")] == nil)
            #expect(sections[id: []] == nil)
        }
    }

    @Test func `a snapshot finds its sections by name and identity`() throws {
        for controller in try controllers() {
            let snapshot = try #require(controller.snapshot)
            #expect(snapshot[name: "Film"]?.count == 2)
            #expect(snapshot[name: "Prints"] == nil)
            for section in snapshot { #expect(snapshot[id: section.id]?.rows == section.rows) }
        }
    }

    @Test func `look-ups after a change are those of the new sections`() throws {
        let controller = try controllers()[0]
        let context = catalogue.container.newContext()
        let artwork = Artwork(context: context)
        (artwork.department, artwork.title) = ("Prints", "p")
        try context.save()
        #expect(controller.sections?[name: "Prints"] == nil)
        try controller.performFetch()
        #expect(controller.sections?[name: "Prints"]?.map(\.title) == ["p"])
        #expect(controller.sections?[key: .text("Film")]?.count == 2)
    }

    @Test func `a list without a section key has one section, found by its identity`() throws {
        let controller = try FetchedResultsController(
            fetchRequest: request, context: catalogue.container.newContext(), cacheStore: catalogue.caches)
        try controller.performFetch()
        let sections = try #require(controller.sections)
        let only = try #require(sections.first)
        #expect(sections.count == 1)
        #expect(sections[id: only.id]?.count == 6)
        #expect(sections[name: only.name]?.count == 6)
    }

    @Test func `a section of computed keys is found by the computed value`() throws {
        let context = catalogue.container.newContext()
        for (position, artwork) in try context.fetch(request).enumerated() {
            artwork.year = 1990 + Int32(position)
            artwork.added = Date(timeIntervalSince1970: Double(position) * 40_000_000)
        }
        try context.save()
        let year = KeyExpression.year(of: "added", in: try #require(TimeZone(identifier: "UTC")))
        let byDate = FetchRequest<Artwork>(sortDescriptors: [.ascending(\.added)])
        let keys = [(SectionKey(year), Int64(1972)), ("year", 1992)]
        for (key, value) in keys {
            let controller = try FetchedResultsController(
                fetchRequest: byDate, context: catalogue.container.newContext(), sectionNameKeyPath: key,
                cacheStore: catalogue.caches)
            try controller.performFetch()
            let sections = try #require(controller.sections)
            let expected = try #require(sections.first { $0.name == "\(value)" })
            #expect(sections[key: .integer(value)]?.rows == expected.rows)
            #expect(sections[key: .integer(1)] == nil)
        }
    }
}
