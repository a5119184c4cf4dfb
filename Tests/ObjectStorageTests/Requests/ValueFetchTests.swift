import Foundation
import ObjectStorage
import Testing

/// Results that are not objects.
@Suite struct ValueFetchTests {
    let library: Library
    let context: ManagedObjectContext
    let works: [Work]

    init() throws {
        library = try Library()
        context = library.container.newContext()
        let author = Author(context: context)
        author.name = "A"
        works = [("a", 10, Genre.novel), ("b", 20, .poetry), ("c", 30, .novel), ("d", 40, .drama)].map {
            [context] title, pages, genre in
            let work = Work(context: context)
            work.title = title
            work.pages = Int16(pages)
            work.genre = genre
            if pages < 40 { work.author = author }
            return work
        }
        try context.save()
    }

    /// Returns a fetch's result with unsaved changes, after checking that it is the same once they are saved.
    private func unsavedAndSaved<Result: Equatable>(_ fetch: () throws -> Result) throws -> Result {
        let new = Work(context: context)
        new.title = "e"
        new.pages = 50
        new.genre = .poetry
        works[0].pages = 11
        context.delete(works[3])
        let unsaved = try fetch()
        try context.save()
        #expect(try fetch() == unsaved)
        return unsaved
    }

    @Test func `object IDs are in order, including those of unsaved objects`() throws {
        let new = Work(context: context)
        new.title = "0"
        let request = FetchRequest<Work>(sortDescriptors: [.ascending(\.title)])
        #expect(try context.fetchIDs(request) == [new.objectID] + works.map(\.objectID))
        #expect(new.objectID.isTemporary)
    }

    @Test func `dictionaries have the requested values`() throws {
        let request = FetchRequest<Work>(
            predicate: \.pages > 15, sortDescriptors: [.descending(\.pages)], fetchLimit: 2)
        let rows = try context.fetchDictionaries(
            request, properties: ["title", .property(\.author?.name, as: "by"), .property(\.pages)])
        #expect(
            rows == [
                ["title": "d", "by": .null, "pages": 40], ["title": "c", "by": "A", "pages": 30],
            ])
        let all = try context.fetchDictionaries(request)
        #expect(all[1]["genre"] == "novel")
        #expect(all[1]["author"] == 1)
        #expect(all[1].count == 12)
    }

    @Test func `each distinct row occurs once`() throws {
        let genres = try unsavedAndSaved {
            try context.fetchDistinctValues(of: \.genre, in: FetchRequest<Work>())
        }
        #expect(genres == [.novel, .poetry])
        let request = FetchRequest<Work>(sortDescriptors: [.descending(\.genre)])
        let rows = try context.fetchDictionaries(request, properties: ["genre"], distinct: true)
        #expect(rows == [["genre": "poetry"], ["genre": "novel"]])
    }

    @Test func `aggregates include saved and unsaved objects`() throws {
        let values = try unsavedAndSaved {
            let request = FetchRequest<Work>()
            return [
                try context.aggregate(.count, of: request), try context.aggregate(.sum(\.pages), of: request),
                try context.aggregate(.min(\.pages), of: request),
                try context.aggregate(.max("title"), of: request),
                try context.aggregate(.average(\.pages), of: request),
                try context.aggregate(.countDistinct(\.genre), of: request),
                try context.aggregate(.count(\.year), of: request),
            ]
        }
        #expect(values == [4, 111, 11, "e", 27.75, 2, 0])
    }

    @Test func `an aggregate is converted to a Swift type on request, and is nil without values`() throws {
        let request = FetchRequest<Work>()
        #expect(try context.aggregate(.sum(\.pages), of: request, as: Int64.self) == 100)
        #expect(try context.aggregate(.max(\.year), of: request, as: Int32.self) == nil)
        #expect(try context.aggregate(.count, of: FetchRequest<Shelf>(), as: Int64.self) == 0)
        let error = #expect(throws: ObjectStorageError.self) {
            try context.aggregate(.max(\.title), of: request, as: Int64.self)
        }
        #expect(error?.code == .invalidValue)
    }

    @Test func `an aggregate includes only the rows within limit and offset`() throws {
        let request = FetchRequest<Work>(
            sortDescriptors: [.descending(\.pages)], fetchLimit: 2, fetchOffset: 1)
        #expect(try context.aggregate(.sum(\.pages), of: request) == 50)
        #expect(try context.aggregate(.count, of: request) == 2)
    }

    @Test func `groups have aggregates and can be filtered by them`() throws {
        let properties: [FetchedProperty<Work>] = [
            "genre", .aggregate(.count, as: "number"), .aggregate(.sum(\.pages), as: "pages"),
        ]
        let rows = try unsavedAndSaved {
            try context.fetchDictionaries(
                FetchRequest<Work>(sortDescriptors: [.descending(\.genre)]), properties: properties,
                groupedBy: ["genre"])
        }
        #expect(
            rows == [
                ["genre": "poetry", "number": 2, "pages": 70], ["genre": "novel", "number": 2, "pages": 41],
            ])
        let large = try context.fetchDictionaries(
            FetchRequest<Work>(), properties: properties, groupedBy: ["genre"], having: .sum(\.pages) > 50)
        #expect(large.map { $0["genre"] } == ["poetry"])
    }

    @Test func `properties that cannot be combined are typed errors`() throws {
        func code(_ properties: [FetchedProperty<Work>], distinct: Bool = false) -> ObjectStorageError.Code? {
            do {
                _ = try context.fetchDictionaries(
                    FetchRequest<Work>(sortDescriptors: [.ascending(\.title)]), properties: properties,
                    distinct: distinct)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(["pages", .aggregate(.count, as: "n")]) == .invalidRequest)
        #expect(code(["pages"], distinct: true) == .invalidRequest)
        #expect(code(["pages", "pages"]) == .invalidRequest)
        #expect(code([.aggregate(.sum(\.title), as: "n")]) == .invalidRequest)
        #expect(code(["titel"]) == .unknownProperty)
    }
}
