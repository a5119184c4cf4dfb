import Foundation
import SectionedFetch
import Testing

/// Requests with predicates of many constants: their statements have as many parameters, beside those of the
/// order and the sections.
@Suite struct ManyConstantsTests {
    private static let english = Locale(identifier: "en")
    private static let letter = KeyExpression.firstLetter(of: "title", in: english)

    /// The orders and section keys, whose locales are parameters as well.
    private static let lists: [(FetchRequest<Artwork>.SortDescriptor, SectionKey?)] = [
        (.ascending(\.title, order: .localized(english)), nil),
        (.descending(\.title, order: .localized(Locale(identifier: "sv"))), nil),
        (.ascending(letter, order: .localized(english)), SectionKey(letter)),
        (.ascending(\.department), SectionKey("department").declaring(["Prints", "Oils", "Film"])),
        (.ascending(\.department, order: .localized(english)), SectionKey("department", namedBy: letter)),
    ]

    @Test(arguments: [1, 40, 61, 62, 63, 64, 65, 66, 200, 5_000], 0..<5)
    func `a list with a predicate of many constants is fetched, cached and followed`(
        count: Int, number: Int
    ) throws {
        let (descriptor, sectionKey) = Self.lists[number]
        let catalogue = try Catalogue()
        try catalogue.fill(30)
        let titles = (0..<count).map { "title \($0 * 2)" }
        let expected = (0..<30).filter { $0.isMultiple(of: 2) && $0 < count * 2 }.map { "title \($0)" }
        let list = Array(repeating: "%@", count: count).joined(separator: ", ")
        let request = FetchRequest<Artwork>(
            predicate: try .init(format: "title IN {\(list)}", arguments: titles),
            sortDescriptors: [descriptor, .ascending(\.title)])
        let context = catalogue.container.newContext()
        let listener = Listener<Artwork>()
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: sectionKey, cacheName: "artworks",
            cacheStore: catalogue.caches)
        controller.delegate = listener
        try controller.performFetch()
        let shown = controller.fetchedObjects?.compactMap(\.title) ?? []
        #expect(Set(shown) == Set(expected) && shown.count == expected.count)
        #expect(try context.fetch(request).map(\.title).count == expected.count)
        #expect(try context.count(for: request) == expected.count)
        let first = try #require(controller.fetchedObjects?.first)
        first.title = "title 1"
        try context.save()
        #expect(listener.changes.count == 1 && controller.fetchedObjects?.count == expected.count - 1)
        #expect(controller.outline == (try recomputed(request, sectionKey, catalogue)))
        catalogue.caches.waitForWrites()
        let next = try catalogue.restarted(request, by: sectionKey)
        try next.performFetch()
        #expect(next.cacheLookup?.isHit == true && next.outline == controller.outline)
    }

    @Test(arguments: [1, 62, 63, 64, 65, 200, 2_000])
    func `aggregates, distinct values and batches take a predicate of many constants`(count: Int) throws {
        let catalogue = try Catalogue()
        try catalogue.fill(30)
        let context = catalogue.container.newContext()
        let titles = (0..<count).map { "title \($0)" }
        let list = Array(repeating: "%@", count: count).joined(separator: ", ")
        let request = FetchRequest<Artwork>(
            predicate: try .init(format: "title IN {\(list)}", arguments: titles),
            sortDescriptors: [.ascending(\.department, order: .localized(Self.english))])
        let number = min(count, 30)
        let departments = Set((0..<number).map { ["Film", "Drawings", "Prints"][$0 % 3] })
        let distinct = try context.fetchDistinctValues(of: \Artwork.department, in: request)
        #expect(Set(distinct.compactMap { $0 }) == departments)
        #expect(try context.fetchIDs(request).count == number)
        var window = request
        (window.fetchOffset, window.fetchLimit) = (1, 5)
        #expect(try context.fetch(window).count == min(5, number - 1))
        try context.batchUpdate(request, set: [.set(\.year, to: 1_999)])
        #expect(try context.count(for: FetchRequest<Artwork>(predicate: \.year == 1_999)) == number)
        try context.batchDelete(request)
        #expect(try context.count(for: FetchRequest<Artwork>()) == 30 - number)
    }

    private func recomputed(
        _ request: FetchRequest<Artwork>, _ sectionKey: SectionKey?, _ catalogue: Catalogue
    ) throws -> [String] {
        let controller = try FetchedResultsController(
            fetchRequest: request, context: catalogue.container.newContext(), sectionNameKeyPath: sectionKey)
        try controller.performFetch()
        return controller.outline
    }
}
