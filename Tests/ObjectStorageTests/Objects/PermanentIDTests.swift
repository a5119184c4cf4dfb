import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Permanent identities that new objects get before their save.
@Suite struct PermanentIDTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.container.newContext()
    }

    private func author(_ name: String, in context: ManagedObjectContext? = nil) -> Author {
        let author = Author(context: context ?? self.context)
        author.name = name
        return author
    }

    @Test func `an identity that is obtained before the save stays equal across it`() throws {
        let authors = ["a", "b"].map { author($0) }
        let temporary = authors.map(\.objectID)
        try context.obtainPermanentIDs(for: authors)
        let obtained = authors.map(\.objectID)
        var set = Set(obtained)
        let numbers = Dictionary(uniqueKeysWithValues: zip(obtained, [0, 1]))
        #expect(obtained.allSatisfy { !$0.isTemporary } && authors.allSatisfy(\.isInserted))
        #expect(temporary.map(\.primaryKey) == obtained.map(\.primaryKey))
        let saved = try context.save()
        #expect(authors.map(\.objectID) == obtained && saved.insertedObjectIDs == set)
        #expect(authors.map { numbers[$0.objectID] } == [0, 1])
        for author in authors { #expect(!set.insert(author.objectID).inserted) }
        let elsewhere = library.container.newContext()
        #expect(try elsewhere.fetch(FetchRequest<Author>()).allSatisfy { set.contains($0.objectID) })
        #expect(try (elsewhere.existingObject(with: obtained[1]) as? Author)?.name == "b")
    }

    @Test func `the context finds the unsaved object by both identities, and other contexts do not`() throws {
        let author = author("a")
        let temporary = author.objectID
        try context.obtainPermanentIDs(for: [author])
        #expect(try context.object(with: temporary) === author)
        #expect(try context.object(with: author.objectID) === author)
        #expect(try context.existingObject(with: author.objectID) === author)
        #expect(try context.fetch(FetchRequest<Author>(predicate: \.name == "a")) == [author])
        let elsewhere = library.container.newContext()
        #expect(throws: ObjectStorageError.self) { try elsewhere.existingObject(with: author.objectID) }
        context.refresh(author)
        try context.refresh(author, mergeChanges: false)
        try context.mergeOthersChanges()
        #expect(author.isInserted && author.name == "a")
        // A second call, and a call for a saved object, do nothing.
        let obtained = author.objectID
        try context.obtainPermanentIDs(for: [author])
        try context.save()
        try context.obtainPermanentIDs(for: [author])
        #expect(author.objectID == obtained)
    }

    @Test func `relationships between unsaved objects hold`() throws {
        let author = author("a")
        let works = (0..<3).map { _ in Work(context: context) }
        works[0].author = author
        try context.obtainPermanentIDs(for: [author, works[1]] as [ManagedObject])
        works[1].author = author
        works[2].author = author
        #expect(author.works == Set(works))
        try context.save()
        #expect(author.works == Set(works))
        let elsewhere = library.container.newContext()
        let same = try elsewhere.existingObject(with: author.objectID)
        #expect((same as? Author)?.works.count == 3)
    }

    @Test func `no other writer gets a reserved key`() throws {
        let reserved = author("a")
        try context.obtainPermanentIDs(for: [reserved])
        let other = library.container.newContext()
        let others = (0..<3).map { author("b\($0)", in: other) }
        try other.save()
        try library.runElsewhere("INSERT INTO Author(name) VALUES ('c')")
        let result = try context.batchInsert(Author.self, rows: [["name": "d"]], resultType: .objectIDs)
        var keys = others.map(\.objectID.primaryKey) + result.objectIDs.map(\.primaryKey)
        keys.append(reserved.objectID.primaryKey)
        #expect(Set(keys).count == 5)
        try context.save()
        #expect(try context.count(for: FetchRequest<Author>()) == 6)
        // The keys remain reserved in a new container.
        let again = try PersistentContainer(
            url: library.directory.file("library.sqlite"), model: Library.model()
        ).newContext()
        try again.obtainPermanentIDs(for: [author("e", in: again)])
        #expect(again.insertedObjects.map(\.objectID.primaryKey) == [7])
    }

    @Test func `keys ascend in the order of the insertions`() throws {
        let authors = (0..<40).map { author("\($0)") }
        try context.obtainPermanentIDs(for: authors.shuffled().prefix(20))
        try context.obtainPermanentIDs(for: authors.reversed())
        let some = authors.map { $0.objectID.primaryKey ?? 0 }
        #expect(Set(some).count == 40)
        try context.save()
        #expect(authors.map { $0.objectID.primaryKey ?? 0 } == some)
    }

    @Test func `an object that is discarded leaves a gap`() throws {
        let first = author("a")
        try context.obtainPermanentIDs(for: [first])
        let objectID = first.objectID
        context.rollback()
        #expect(first.isDeleted)
        let error = #expect(throws: ObjectStorageError.self) { try context.existingObject(with: objectID) }
        #expect(error?.code == .objectMissing)
        let second = author("b")
        try context.save()
        #expect(second.objectID.primaryKey == 2)
        let third = author("c")
        try context.obtainPermanentIDs(for: [third])
        context.delete(third)
        try context.save()
        #expect(try context.count(for: FetchRequest<Author>()) == 1)
    }

    /// Undoes, redoes and saves the insertion of the only author, and checks that its identity stays.
    private func checkUndoneInsertion(
        of author: ManagedObject, _ objectID: ObjectID, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try context.processPendingChanges()
        try context.undo()
        #expect(author.isDeleted, sourceLocation: sourceLocation)
        try context.redo()
        #expect(author.objectID == objectID && author.isInserted, sourceLocation: sourceLocation)
        try context.save()
        #expect(author.objectID == objectID, sourceLocation: sourceLocation)
        let stored = try library.container.newContext().fetchIDs(FetchRequest<Author>())
        #expect(stored == [objectID], sourceLocation: sourceLocation)
    }

    @Test func `an undone insertion keeps its identity`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let author = author("a")
        try context.obtainPermanentIDs(for: [author])
        let objectID = author.objectID
        try checkUndoneInsertion(of: author, objectID)
    }

    @Test func `a child context obtains the identities of its own and its parent's objects`() throws {
        let first = author("a")
        let child = context.newChildContext()
        let same = try #require(try child.existingObject(with: first.objectID) as? Author)
        let second = author("b", in: child)
        let work = Work(context: child)
        work.author = second
        try child.obtainPermanentIDs(for: [same, second])
        #expect(!first.objectID.isTemporary && same.objectID == first.objectID)
        let obtained = second.objectID
        #expect(!obtained.isTemporary && obtained != first.objectID)
        try child.save()
        #expect(try context.object(with: obtained).isInserted)
        #expect(try Set(child.fetch(FetchRequest<Author>())) == [same, second])
        try context.save()
        #expect(second.objectID == obtained && first.name == "a")
        let elsewhere = library.container.newContext()
        let stored = try elsewhere.existingObject(with: obtained) as? Author
        #expect(stored?.name == "b" && stored?.works.count == 1)
        #expect(second.works == [work])
    }

    @Test func `objects of other contexts and of external tables are refused`() throws {
        let error = #expect(throws: ObjectStorageError.self) {
            try library.container.newContext().obtainPermanentIDs(for: [author("a")])
        }
        #expect(error?.code == .wrongContext)
        let url = library.directory.file("notes.sqlite")
        _ = try Library.output(of: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)", path: url.path)
        let notes = EntityDescription(
            name: "Note", attributes: [AttributeDescription(name: "text", type: .string, isOptional: true)],
            existingTable: ExistingTable(name: "notes", primaryKey: "id"))
        let context = try PersistentContainer(
            url: url, model: ManagedObjectModel(entities: [notes]),
            options: StoreOptions(existingTables: .tracked)
        )
        .newContext()
        let note = try context.insert(entityNamed: "Note")
        let refusal = #expect(throws: ObjectStorageError.self) { try context.obtainPermanentIDs(for: [note]) }
        #expect(refusal?.code == .invalidRequest && note.objectID.isTemporary)
    }

    @Test func `an entity with sub-entities shares its keys`() throws {
        let media = EntityDescription(name: "Media", attributes: [])
        let tune = EntityDescription(name: "Tune", parentName: "Media", attributes: [])
        let context = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(entities: [media, tune])
        ).newContext()
        let objects = try ["Media", "Tune", "Media", "Tune"].map { try context.insert(entityNamed: $0) }
        try context.obtainPermanentIDs(for: objects)
        let obtained = objects.map(\.objectID)
        #expect(obtained.map(\.primaryKey) == [1, 2, 3, 4])
        #expect(try context.object(with: ObjectID(entityName: "Media", primaryKey: 2)) === objects[1])
        try context.save()
        #expect(objects.map(\.objectID) == obtained)
    }

    @Test func `an object that a save merges gets the identity of the row`() throws {
        let other = library.container.newContext()
        let row = author("a", in: other)
        try other.save()
        context.mergePolicy = .contextWins
        let new = author("a")
        try context.obtainPermanentIDs(for: [new])
        #expect(new.objectID != row.objectID)
        try context.save()
        #expect(new.objectID == row.objectID && !new.isDeleted)
        #expect(try context.object(with: row.objectID) === new)
    }

    /// Saves an author in another context.
    private func saveElsewhere(_ name: String) throws -> ObjectID {
        let other = library.container.newContext()
        let row = author(name, in: other)
        try other.save()
        return row.objectID
    }

    @Test(arguments: [false, true])
    func `the temporary identity of a merged object leads to the row, the obtained one to none`(
        isOfChild: Bool
    ) throws {
        let row = try saveElsewhere("a")
        context.mergePolicy = .contextWins
        let origin = isOfChild ? context.newChildContext() : context
        let new = author("a", in: origin)
        let temporary = new.objectID
        try origin.obtainPermanentIDs(for: [new])
        let obtained = new.objectID
        #expect(temporary.primaryKey == obtained.primaryKey && obtained != row)
        if isOfChild { try origin.save() }
        try context.save()
        #expect(new.objectID == row && temporary.primaryKey == row.primaryKey)
        #expect(try context.existingObject(with: temporary).objectID == row)
        let elsewhere = library.container.newContext()
        #expect(try elsewhere.existingObject(with: temporary).objectID == row)
        let error = #expect(throws: ObjectStorageError.self) { try elsewhere.existingObject(with: obtained) }
        #expect(error?.code == .objectMissing)
    }

    @Test(arguments: [MergePolicy.contextWins, .storeWins, .propertyByProperty(.context)])
    func `a child's relationship leads to the row with which its new object is merged`(
        policy: MergePolicy
    ) throws {
        let row = try saveElsewhere("a")
        context.mergePolicy = policy
        let child = context.newChildContext()
        let new = author("a", in: child)
        let work = Work(context: child)
        try child.obtainPermanentIDs(for: [new])
        work.author = new
        try child.save()
        try context.save()
        let elsewhere = library.container.newContext()
        let stored = try #require(try elsewhere.existingObject(with: work.objectID) as? Work)
        #expect(stored.author?.objectID == row)
        #expect(work.author === new && new.objectID == row)
    }

    @Test func `a child's relationship to a new object survives a save that looks for deleted objects`()
        throws
    {
        let authors = ["a", "b", "c"].map { author($0) }
        let first = Work(context: context)
        try context.save()
        context.mergePolicy = .contextWins
        let child = context.newChildContext()
        let (new, second) = (author("d", in: child), Work(context: child))
        try child.obtainPermanentIDs(for: [new, second] as [ManagedObject])
        // The work is written before its author.
        #expect(second.objectID.primaryKey == 2 && new.objectID.primaryKey == 4)
        second.author = new
        try child.save()
        first.author = authors[2]
        let other = library.container.newContext()
        other.delete(try other.existingObject(with: authors[2].objectID))
        try other.save()
        try context.save()
        #expect(first.author == nil)
        let elsewhere = library.container.newContext()
        let stored = try #require(try elsewhere.existingObject(with: second.objectID) as? Work)
        #expect(stored.author?.objectID == new.objectID && second.author === new)
    }

    @Test func `a merge replaces the keys of its own table only in a child context`() throws {
        let works = (0..<2).map { _ in Work(context: context) }
        try context.save()
        let row = try saveElsewhere("a")
        context.mergePolicy = .contextWins
        let child = context.newChildContext()
        let same = try works.map { try #require(try child.existingObject(with: $0.objectID) as? Work) }
        let new = author("a", in: child)
        try child.obtainPermanentIDs(for: [new])
        #expect(new.objectID.primaryKey == works[1].objectID.primaryKey)
        try child.save()
        try context.save()
        #expect(new.objectID == row)
        #expect(same.map(\.objectID) == works.map(\.objectID) && !same.contains(where: \.isDeleted))
    }

    @Test func `the undone insertion of a child's object keeps its identity in the parent`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let child = context.newChildContext()
        let new = author("a", in: child)
        try child.obtainPermanentIDs(for: [new])
        let objectID = new.objectID
        try child.save()
        let inserted = try context.object(with: objectID)
        try checkUndoneInsertion(of: inserted, objectID)
    }
}
