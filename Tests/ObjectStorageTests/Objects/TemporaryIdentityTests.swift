import ObjectStorage
import Testing

/// The ID that an object has before its save also finds the object after the save.
@Suite struct TemporaryIdentityTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.container.newContext()
    }

    @Test func `a temporary ID finds the object before and after its save`() throws {
        let author = Author(context: context)
        author.name = "A"
        let temporary = author.objectID
        #expect(temporary.isTemporary && temporary.primaryKey == nil)
        #expect(try context.object(with: temporary) === author)
        try context.save()
        #expect(temporary != author.objectID && !author.objectID.isTemporary)
        #expect(temporary.isTemporary && temporary.primaryKey == author.objectID.primaryKey)
        #expect(try context.object(with: temporary) === author)
        #expect(try context.existingObject(with: temporary) === author)
        let elsewhere = library.container.newContext()
        #expect(try (elsewhere.existingObject(with: temporary) as? Author)?.name == "A")
    }

    @Test func `a temporary ID finds the row after the object is released`() throws {
        var author: Author? = Author(context: context)
        author?.name = "A"
        let temporary = try #require(author?.objectID)
        try context.save()
        author = nil
        #expect(try (context.existingObject(with: temporary) as? Author)?.name == "A")
    }

    @Test func `a temporary ID of an object that was deleted after its save is reported as missing`() throws {
        let work = Work(context: context)
        let temporary = work.objectID
        try context.save()
        context.delete(work)
        try context.save()
        let error = #expect(throws: ObjectStorageError.self) { try context.existingObject(with: temporary) }
        #expect(error?.code == .objectMissing)
    }

    @Test func `a temporary ID of an object that was never saved is refused, here and elsewhere`() throws {
        let works = [Work(context: context), Work(context: context)]
        let other = library.container.newContext()
        _ = Work(context: other)
        #expect(throws: ObjectStorageError.self) { try other.object(with: works[0].objectID) }
        context.delete(works[0])
        try context.save()
        let error = #expect(throws: ObjectStorageError.self) { try context.object(with: works[0].objectID) }
        #expect(error?.code == .wrongContext)
    }

    @Test func `the IDs that a child's save returns are found after its parent's save`() throws {
        let child = context.newChildContext()
        let work = Work(context: child)
        work.title = "child's"
        let saved = try child.save()
        let temporary = try #require(saved.insertedObjectIDs.first)
        let inserted = try #require(context.insertedObjects.first)
        #expect(temporary == inserted.objectID && temporary == work.objectID)
        try context.save()
        #expect(try context.existingObject(with: temporary) === inserted)
        #expect(try child.existingObject(with: temporary) === work)
        #expect(work.objectID == inserted.objectID && !work.objectID.isTemporary)
        inserted["title"] = .text("changed")
        try context.save()
        try child.mergeChanges(from: saved)
        #expect(work.title == "changed")
    }

    @Test func `many temporary IDs find their own objects`() throws {
        let contexts = (0..<3).map { _ in library.container.newContext() }
        var works: [(work: Work, temporary: ObjectID)] = []
        for number in 0..<3_000 {
            let work = Work(context: contexts[number % 3])
            work.key = Int64(number)
            works.append((work, work.objectID))
        }
        #expect(Set(works.map(\.temporary)).count == 3_000)
        for context in contexts { try context.save() }
        for (work, temporary) in works {
            #expect(try work.managedObjectContext?.existingObject(with: temporary) === work)
        }
    }

    @Test func `a batch update sets a relationship by a temporary ID`() throws {
        let author = Author(context: context)
        author.name = "A"
        let work = Work(context: context)
        let temporary = author.objectID
        try context.save()
        try context.batchUpdate(FetchRequest<Work>(), set: [.set(\.author, to: temporary)])
        #expect(work.author === author)
    }
}
