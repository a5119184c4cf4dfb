import Foundation
import ObjectStorage
import Testing

/// Objects of deleted rows have default values and a typed error, by whichever way they were obtained.
@Suite struct FaultTests {
    let library: Library
    let context: ManagedObjectContext

    /// Creates thirty works by one author, none of which is loaded.
    init() throws {
        library = try Library()
        let other = library.container.newContext()
        let author = Author(context: other)
        author.name = "A"
        for number in 0..<30 {
            let work = Work(context: other)
            work.key = Int64(number)
            work.author = author
        }
        try other.save()
        context = library.container.newContext()
    }

    private let works = FetchRequest<Work>(sortDescriptors: [.ascending(\.key)])

    private func deleteElsewhere(_ predicate: FetchRequest<Work>.Predicate) throws -> StoreChanges {
        try library.container.newContext()
            .batchDelete(FetchRequest<Work>(predicate: predicate), resultType: .objectIDs).changes
    }

    private func isMissing(_ object: ManagedObject) -> Bool {
        object.readError?.code == .objectMissing && object.readError?.objectID == object.objectID
    }

    @Test(arguments: [false, true])
    func `a list has default values for rows that were deleted after the fetch, prefetched or not`(
        prefetches: Bool
    ) throws {
        let list = try context.list(prefetches ? works.prefetching(\.author) : works)
        let changes = try deleteElsewhere(\.key >= 25)
        #expect(list.count == 30)
        #expect(list[24].key == 24)
        #expect(list[25].key == 0)
        #expect(list[25].author == nil)
        #expect(list[25].title == "")
        #expect(isMissing(list[25]))
        #expect(!list[25].isDeleted)
        list[25].title = "unread"
        #expect(!context.hasChanges)
        try context.mergeChanges(from: changes)
        #expect(list[25].isDeleted)
        #expect(list[24].author?.name == "A")
    }

    @Test func `a relationship may refer to a row that does not exist`() throws {
        let work = try #require(try context.fetch(works).first)
        // The shell does not enforce foreign keys, so the works refer to a missing row afterwards.
        try library.runElsewhere("PRAGMA foreign_keys = OFF; DELETE FROM Author")
        let author = try #require(work.author)
        #expect(author.name == "")
        #expect(isMissing(author))
        #expect(author.works.count == 30)
        let error = #expect(throws: ObjectStorageError.self) { try author.load() }
        #expect(error?.code == .objectMissing)
        try context.mergeChangesFromStore()
        #expect(author.isDeleted)
        for work in try context.fetch(works.prefetching(\.author)) {
            let author = try #require(work.author)
            #expect(author.name == "")
            #expect(isMissing(author))
        }
    }

    @Test func `a to-many relationship omits deleted objects once the deletion is merged`() throws {
        let author = try #require(
            try context.fetch(FetchRequest<Author>().prefetching(\.works)).first)
        let kept = try #require(author.works.first { $0.key == 7 })
        let changes = try deleteElsewhere(\.key < 10)
        #expect(author.works.count == 30)
        try context.mergeChanges(from: changes)
        #expect(author.works.count == 20)
        #expect(kept.isDeleted)
        #expect(kept.key == 7)
    }

    @Test func `a deleted object's unsaved change and its undo do not crash`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let work = try #require(try context.fetch(works).first)
        work.title = "changed"
        try context.processPendingChanges()
        try context.mergeChanges(from: try deleteElsewhere(\.key == 0))
        context.mergePolicy = .storeWins
        try context.save()
        #expect(work.isDeleted)
        try context.undo()
        #expect(work.title == "changed")
        #expect(!context.hasChanges)
    }

    @Test func `deleting a fault whose row does not exist is no error`() throws {
        let object = try context.object(with: ObjectID(entityName: "Work", primaryKey: 3))
        _ = try deleteElsewhere(\.key < 10)
        context.delete(object)
        try context.save()
        #expect(object.isDeleted)
    }
}
