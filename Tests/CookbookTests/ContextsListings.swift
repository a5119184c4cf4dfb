import Foundation
import SectionedFetch
import Testing

/// The listings of the article “Contexts”.
@Suite struct ContextsListings {
    final class Work: ManagedObject {
        @Attribute var title: String = ""
        @Attribute var genre: String = "novel"
        @Attribute var year: Int32 = 0
        @Attribute var pages: Int32 = 0
        @Attribute var isRead: Bool = false
        @Relationship(inverse: \Author.works) var author: Author?
    }

    final class Author: ManagedObject {
        @Attribute var name: String = ""
        @Relationship var works: Set<Work>
    }

    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let works: [Work]

    init() throws {
        container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Work.self, Author.self))
        let context = container.newContext()
        works = [("Emma", 1815), ("Ulysses", 1922)].map { title, year in
            let work = Work(context: context)
            work.title = title
            work.year = Int32(year)
            work.pages = 500
            return work
        }
        try context.save()
        self.context = context
    }

    @Test func `changes of background work are merged`() async throws {
        let changes = try await container.performBackgroundTask { context in
            for work in try context.fetch(FetchRequest<Work>(predicate: \.year < 1900)) { work.isRead = true }
            return try context.save()
        }
        try context.mergeChanges(from: changes)
        #expect(works.map(\.isRead) == [true, false])
    }

    @Test func `changes of others are taken over by one call`() throws {
        let context = container.newContext()
        let shown = try context.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.year)]))
        #expect(shown.map(\.isRead) == [false, false])
        let other = container.newContext()
        for work in try other.fetch(FetchRequest<Work>()) { work.isRead = true }
        try other.save()
        try context.mergeOthersChanges()
        #expect(shown.map(\.isRead) == [true, true])
    }

    final class Genre: ManagedObject {
        @Attribute(.unique) var name: String = ""
        @Attribute var color: String = "grey"
    }

    @Test func `rows are identified by unique values`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Genre.self))
        let context = container.newContext()
        Genre(context: context).name = "novel"
        try context.save()
        let rows: [[String: StoredValue]] = [["name": "novel", "color": "red"], ["name": "poem"]]
        let result = try context.batchInsert(Genre.self, updatingOn: \.name, rows: rows)
        #expect(result.insertedCount == 1 && result.updatedCount == 1)

        context.mergePolicy = .propertyByProperty(.context)
        let genre = Genre(context: context)
        genre.name = "novel"
        try context.save()
        #expect(try context.count(for: FetchRequest<Genre>()) == 2)
        #expect(genre.color == "red")
    }

    @Test func `an identity is obtained before the save`() throws {
        let work = Work(context: context)
        try context.obtainPermanentIDs(for: [work])
        let objectID = work.objectID
        try context.save()
        #expect(work.objectID == objectID)
    }

    @MainActor @Test func `changes of other contexts are merged continuously`() async throws {
        let context = container.newContext()
        let shown = try context.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.year)]))
        let before = shown.map(\.isRead)
        let merging = Task { await context.mergeContinuously() }
        let other = container.newContext()
        // A save before the task has begun is merged as well.
        for work in try other.fetch(FetchRequest<Work>()) { work.isRead.toggle() }
        try other.save()
        for _ in 0..<500 where shown.map(\.isRead) == before { try await Task.sleep(for: .milliseconds(10)) }
        #expect(shown.map(\.isRead) == before.map { !$0 })
        merging.cancel()
        await merging.value
    }

    @Test func `a pinned context keeps reading one query generation`() throws {
        let context = container.newContext()
        try context.setQueryGeneration(from: .current)
        #expect(try context.count(for: FetchRequest<Work>()) == 2)
        works[0].managedObjectContext?.delete(works[0])
        try works[1].managedObjectContext?.save()
        #expect(try context.count(for: FetchRequest<Work>()) == 2)
    }

    @Test func `batches write rows without objects`() throws {
        let names = ["Austen", "Joyce"]
        try context.batchInsert(Author.self, rows: names.lazy.map { ["name": .text($0)] })
        try context.batchUpdate(FetchRequest<Work>(predicate: \.year < 1900), set: [.set(\.isRead, to: true)])
        #expect(works.map(\.isRead) == [true, false])
        try context.batchDelete(FetchRequest<Work>(predicate: \.isRead == true), resultType: .objectIDs)
        #expect(try context.count(for: FetchRequest<Work>()) == 1)
        #expect(try context.count(for: FetchRequest<Author>()) == 2)
    }

    @Test func `requests return IDs, distinct values, aggregates and dictionaries`() throws {
        let request = FetchRequest<Work>()
        let objectIDs = try context.fetchIDs(request)
        let genres = try context.fetchDistinctValues(of: \.genre, in: request)
        let pages = try context.aggregate(.sum(\.pages), of: request, as: Int64.self)
        let groups = try context.fetchDictionaries(
            FetchRequest<Work>(), properties: ["genre", .aggregate(.count, as: "number")],
            groupedBy: ["genre"], having: .count > 1)
        #expect(objectIDs == works.map(\.objectID))
        #expect(genres == ["novel"])
        #expect(pages == 1_000)
        #expect(groups.count == 1 && groups[0]["number"] == 2)
    }

    @Test func `a form edits objects in a child context`() throws {
        let objectID = works[0].objectID
        let form = context.newChildContext()
        let work = try form.existingObject(with: objectID)
        #expect(try work.value(forProperty: "title") == "Emma")
        (work as? Work)?.title = "Emma Woodhouse"
        try form.save()
        #expect(works[0].title == "Emma Woodhouse")
    }

    @Test func `a change is undone`() throws {
        let work = works[0]
        context.undoManager = ManagedObjectContext.UndoManager()
        work.title = "Candide"
        try context.processPendingChanges()
        try context.undo()
        #expect(work.title == "Emma")
    }

    @Test func `an object's callbacks run on insertion, on validation and on save`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Letter.self))
        let context = container.newContext()
        let letter = Letter(context: context)
        #expect(letter.written != nil && letter.changed == nil)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        letter.text = "Dear Emma"
        try context.save()
        #expect(letter.changed != nil)
    }
}

final class Letter: ManagedObject {
    @Attribute var text: String = ""
    @Attribute var written: Date?
    @Attribute var changed: Date?

    override func awakeFromInsert() { written = Date() }
    override func willSave() { changed = Date() }

    override func validateForInsert() throws(ObjectStorageError) {
        guard text.isEmpty else { return }
        throw ObjectStorageError(.invalidValue, "\(objectID) is empty.", objectID: objectID)
    }
}
