import Foundation
import ObjectStorage
import Testing

@Suite struct BatchTests {
    let library: Library
    let context: ManagedObjectContext
    let other: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.container.newContext()
        other = library.container.newContext()
        other.automaticallyMergesChanges = true
    }

    private func makeWorks(_ count: Int) throws -> [Work] {
        let works = (0..<count).map { number in
            let work = Work(context: context)
            work.title = "\(number)"
            work.year = Int32(1900 + number)
            return work
        }
        try context.save()
        return works
    }

    @Test func `a batch update accepts every form of a value that an object accepts`() throws {
        _ = try makeWorks(1)
        try context.batchUpdate(FetchRequest<Work>(), set: [.set("rating", to: .integer(3))])
        #expect(try other.fetch(FetchRequest<Work>()).first?["rating"] == .real(3))
    }

    @Test func `inserted rows have their values and defaults and reach other contexts`() throws {
        let rows = (0..<100).lazy.map { number -> [String: StoredValue] in
            ["title": .text("T\(number)"), "year": .integer(Int64(number))]
        }
        let result = try context.batchInsert(Work.self, rows: rows, resultType: .objectIDs)
        #expect(result.count == 100)
        #expect(result.objectIDs.count == 100)
        let work = try #require(try context.existingObject(with: result.objectIDs[7]) as? Work)
        #expect(work.title == "T7")
        #expect(work.genre == .novel)
        #expect(try other.mergePendingChanges().insertedObjectIDs == Set(result.objectIDs))
    }

    @Test func `a bad row is named, and no row is inserted`() throws {
        let rows: [[String: StoredValue]] = [["title": "good"], ["pages": 40_000]]
        let error = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(Work.self, rows: rows)
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.hasPrefix("Row 2") == true)
        let unknown = #expect(throws: ObjectStorageError.self) {
            try context.batchInsert(Work.self, rows: [["titel": "x"]])
        }
        #expect(unknown?.code == .unknownProperty)
        #expect(try context.count(for: FetchRequest<Work>()) == 0)
    }

    @Test(arguments: [BatchResultType.count, .objectIDs])
    func `a batch update reaches loaded objects in this and other contexts`(
        resultType: BatchResultType
    ) throws {
        let works = try makeWorks(5)
        let author = Author(context: context)
        author.name = "A"
        try context.save()
        let same = try other.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.year)]))
        works[1].pages = 3
        let result = try context.batchUpdate(
            FetchRequest<Work>(predicate: \.year < 1902),
            set: [.set(\.isRead, to: true), .set("title", to: "old"), .set(\.author, to: author.objectID)],
            resultType: resultType)
        #expect(result.count == 2)
        #expect(
            Set(result.objectIDs) == (resultType == .count ? [] : [works[0].objectID, works[1].objectID]))
        #expect(works.map(\.isRead) == [true, true, false, false, false])
        #expect(works[1].pages == 3)
        #expect(author.works == [works[0], works[1]])
        try context.save()
        try other.mergePendingChanges()
        #expect(same.map(\.title) == ["old", "old", "2", "3", "4"])
        #expect(same[0].author?.name == "A")
    }

    @Test func `changes of a trigger to other rows in a batch update reach loaded objects`() throws {
        let works = try makeWorks(3)
        try library.runElsewhere(
            "CREATE TRIGGER later AFTER UPDATE OF title ON Work BEGIN UPDATE Work SET pages = 7 WHERE year = 1902; END"
        )
        try context.batchUpdate(
            FetchRequest<Work>(predicate: \.year == 1900), set: [.set("title", to: "new")])
        #expect(works.map(\.title) == ["new", "1", "2"])
        #expect(works.map(\.pages) == [0, 0, 7])
    }

    @Test func `a batch update follows a related object's property and a fetch limit`() throws {
        let works = try makeWorks(4)
        let author = Author(context: context)
        author.name = "A"
        for work in works { work.author = author }
        try context.save()
        let request = FetchRequest<Work>(
            predicate: \.author?.name == "A", sortDescriptors: [.descending(\.year)], fetchLimit: 1)
        #expect(try context.batchUpdate(request, set: [.set(\.pages, to: 9)]).count == 1)
        #expect(works.map(\.pages) == [0, 0, 0, 9])
    }

    @Test func `a batch update refuses values that the property cannot hold`() throws {
        _ = try makeWorks(1)
        func code(_ assignment: PropertyAssignment<Work>) -> ObjectStorageError.Code? {
            do {
                try context.batchUpdate(FetchRequest<Work>(), set: [assignment])
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(.set("pages", to: 40_000)) == .invalidValue)
        #expect(code(.set("title", to: .null)) == .missingValue)
        #expect(code(.set("titel", to: "x")) == .unknownProperty)
        let shelf = Shelf(context: context)
        #expect(code(.set("author", toObject: shelf.objectID)) == .invalidValue)
        #expect(code(.set(\.author, to: Author(context: context).objectID)) == .wrongContext)
        #expect(
            code(.set(\.author, to: ObjectID(entityName: "Author", primaryKey: 77))) == .conflict)
    }

    @Test(arguments: [BatchResultType.count, .objectIDs])
    func `a batch deletion deletes loaded objects in this and other contexts`(
        resultType: BatchResultType
    ) throws {
        let works = try makeWorks(4)
        let same = try other.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.year)]))
        let result = try context.batchDelete(
            FetchRequest<Work>(predicate: \.year >= 1902), resultType: resultType)
        #expect(result.count == 2)
        #expect(works.map(\.isDeleted) == [false, false, true, true])
        #expect(try other.count(for: FetchRequest<Work>()) == 2)
        #expect(same.map(\.isDeleted) == [false, false, true, true])
    }

    @Test func `a batch deletion clears relationships to the deleted objects`() throws {
        let work = try makeWorks(1)[0]
        let author = Author(context: context)
        author.name = "A"
        work.author = author
        try context.save()
        let same = try #require(other.existingObject(with: work.objectID) as? Work)
        try context.batchDelete(FetchRequest<Author>())
        #expect(author.isDeleted)
        #expect(work.author == nil)
        try other.mergePendingChanges()
        #expect(try same.value(forProperty: "author").isNull)
    }

    @Test func `a batch deletion cascades`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Folder.self))
        let context = container.newContext()
        let root = Folder(context: context)
        root.name = "root"
        let child = Folder(context: context)
        child.parent = root
        let grandchild = Folder(context: context)
        grandchild.parent = child
        let kept = Folder(context: context)
        try context.save()
        let result = try context.batchDelete(
            FetchRequest<Folder>(predicate: \.name == "root"), resultType: .objectIDs)
        #expect(result.count == 1)
        #expect(result.changes.deletedObjectIDs.count == 3)
        #expect(try context.fetch(FetchRequest<Folder>()) == [kept])
        #expect(grandchild.isDeleted)
    }

    @Test func `a denied batch deletion deletes nothing until the related objects are deleted`() throws {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Team.self, Member.self))
        let context = container.newContext()
        let team = Team(context: context)
        _ = Team(context: context)
        Member(context: context).team = team
        try context.save()
        let error = #expect(throws: ObjectStorageError.self) {
            try context.batchDelete(FetchRequest<Team>())
        }
        #expect(error?.code == .deletionDenied)
        #expect(error?.objectID == team.objectID)
        #expect(try context.count(for: FetchRequest<Team>()) == 2)
        try context.batchDelete(FetchRequest<Member>())
        #expect(try context.batchDelete(FetchRequest<Team>()).count == 2)
    }

    @Test func `an unsaved change of a row that a batch deleted is a conflict in the next save`() throws {
        let work = try makeWorks(1)[0]
        work.title = "changed"
        try context.batchDelete(FetchRequest<Work>(predicate: \.title == "0"))
        #expect(!work.isDeleted)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.conflicts.map(\.kind) == [.deletedInStore])
    }
}
