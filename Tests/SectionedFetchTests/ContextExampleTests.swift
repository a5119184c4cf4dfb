import Foundation
import SectionedFetch
import Testing

/// The examples of the article about contexts, with the classes of these tests.
@Suite struct `Examples about contexts` {
    @Test func `the article's examples do what they say`() async throws {
        let catalogue = try Catalogue()
        let container = catalogue.container
        let context = container.newContext()
        let names = ["A", "B", "C"]
        try context.batchInsert(Artist.self, rows: names.lazy.map { ["name": .text($0)] })
        let artwork = Artwork(context: context)
        artwork.title = "t"
        artwork.year = 1850
        try context.save()

        let changes = try await container.performBackgroundTask { context in
            for artwork in try context.fetch(FetchRequest<Artwork>(predicate: \.year < 1900)) {
                artwork.department = "old"
            }
            return try context.save()
        }
        try context.mergeChanges(from: changes)
        #expect(artwork.department == "old")

        try context.batchUpdate(
            FetchRequest<Artwork>(predicate: \.year < 1900), set: [.set(\.department, to: "older")])
        #expect(artwork.department == "older")
        let request = FetchRequest<Artwork>()
        #expect(try context.fetchIDs(request.prefetching(\.artist)) == [artwork.objectID])
        #expect(try context.fetchDistinctValues(of: \.department, in: request) == ["older"])
        #expect(try context.aggregate(.sum(\.year), of: request, as: Int64.self) == 1850)
        let groups = try context.fetchDictionaries(
            FetchRequest<Artwork>(), properties: ["department", .aggregate(.count, as: "number")],
            groupedBy: ["department"], having: .count > 1)
        #expect(groups.isEmpty)

        let form = context.newChildContext()
        let same = try #require(form.existingObject(with: artwork.objectID) as? Artwork)
        same.title = "from the form"
        try form.save()
        #expect(artwork.title == "from the form")

        context.undoManager = ManagedObjectContext.UndoManager()
        artwork.title = "Candide"
        try context.processPendingChanges()
        try context.undo()
        #expect(artwork.title == "from the form")

        try context.batchDelete(
            FetchRequest<Artwork>(predicate: \.department == "older"), resultType: .objectIDs)
        context.rollback()
        try context.mergeChangesFromStore()
        #expect(try context.count(for: request) == 0)
    }
}
