import ObjectStorage
import CheckSupport
import Testing

/// Records its callbacks and runs a test's actions in them.
private class Document: ManagedObject {
    override class var entityName: String { "Document" }
    nonisolated(unsafe) static var events: [String] = []
    nonisolated(unsafe) static var whenSaving: (Document) -> Void = { _ in }
    nonisolated(unsafe) static var whenDeleting: (Document) -> Void = { _ in }

    @Attribute var title: String = ""
    @Attribute var edition: Int32 = 0
    @Relationship(inverse: \Document.chapters) var book: Document?
    @Relationship(deleteRule: .cascade) var chapters: Set<Document>
    @Relationship(inverse: \Document.citing) var cited: Set<Document>
    @Relationship var citing: Set<Document>

    override func awakeFromInsert() {
        Self.events.append("awake")
        title = "untitled"
    }

    override func prepareForDeletion() {
        Self.events.append("delete \(title) of \(book?.title ?? "none")")
        Self.whenDeleting(self)
    }

    override func willSave() {
        Self.events.append("will \(title)")
        Self.whenSaving(self)
    }

    override func didSave() {
        Self.events.append("did \(title)\(objectID.isTemporary ? " with no key" : "")")
    }

    override func validateForInsert() throws(ObjectStorageError) { try validate("insert") }
    override func validateForUpdate() throws(ObjectStorageError) { try validate("update") }
    override func validateForDelete() throws(ObjectStorageError) { try validate("delete") }

    private func validate(_ what: String) throws(ObjectStorageError) {
        Self.events.append("\(what) \(title)")
        guard title.hasSuffix(what) else { return }
        throw ObjectStorageError(
            .invalidValue, "\(objectID) refuses \(what).", entityName: entity.name, objectID: objectID)
    }

    static func takeEvents() -> [String] {
        defer { events = [] }
        return events
    }
}

@Suite(.serialized) struct LifeCycleTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext

    init() throws {
        container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Document.self))
        context = container.newContext()
        Document.events = []
        Document.whenSaving = { _ in }
        Document.whenDeleting = { _ in }
    }

    private func document(_ title: String, in context: ManagedObjectContext? = nil) throws -> Document {
        let document = try (context ?? self.context).insert(Document.self)
        document.title = title
        return document
    }

    @Test func `each way to insert an object calls awakeFromInsert() once`() throws {
        let first = try context.insert(Document.self)
        let second = Document(context: context)
        let third = try context.insert(entityNamed: "Document") as? Document
        #expect([first, second, third].map { $0?.title } == ["untitled", "untitled", "untitled"])
        #expect(Document.takeEvents() == ["awake", "awake", "awake"])
        try context.save()
        context.refreshAllObjects()
        #expect(try container.newContext().fetch(FetchRequest<Document>()).count == 3)
        #expect(!Document.takeEvents().contains("awake"))
    }

    @Test func `a save calls willSave(), the validation and didSave() in this order`() throws {
        let document = try document("A")
        _ = Document.takeEvents()
        try context.save()
        #expect(Document.takeEvents() == ["will A", "insert A", "did A"])
        document.edition = 2
        try context.save()
        #expect(Document.takeEvents() == ["will A", "update A", "did A"])
        try context.save()
        #expect(Document.takeEvents() == [])
        context.delete(document)
        #expect(Document.takeEvents() == ["delete A of none"])
        try context.save()
        #expect(Document.takeEvents() == ["will A", "delete A", "did A"])
    }

    @Test func `a changed link updates each end once`() throws {
        let (first, second) = (try document("A"), try document("B"))
        try context.save()
        _ = Document.takeEvents()
        first.cited = [second]
        try context.save()
        #expect(
            Set(Document.takeEvents()) == ["will A", "will B", "update A", "update B", "did A", "did B"])
        first.cited = []
        first.edition = 3
        try context.save()
        let events = Document.takeEvents()
        #expect(events.count == 6)
        #expect(Set(events) == ["will A", "will B", "update A", "update B", "did A", "did B"])
    }

    @Test func `changes, insertions and deletions in willSave() are saved`() throws {
        let (first, second) = (try document("A"), try document("B"))
        let third = try document("C")
        try context.save()
        Document.whenSaving = { document in
            document.edition += 1
            guard document.title == "A" else { return }
            second.edition += 10
            document.managedObjectContext?.delete(third)
            if let context = document.managedObjectContext { Document(context: context).title = "D" }
        }
        _ = Document.takeEvents()
        first.edition = 100
        try context.save()
        let events = Document.takeEvents()
        #expect(events.filter { $0.hasPrefix("will") } == ["will A", "will B", "will C", "will D"])
        #expect(events.filter { $0.hasPrefix("did") }.sorted() == ["did A", "did B", "did C", "did D"])
        let fresh = try container.newContext().fetch(
            FetchRequest<Document>(sortDescriptors: [.ascending(\.title)]))
        #expect(fresh.map(\.title) == ["A", "B", "D"])
        #expect(fresh.map(\.edition) == [101, 11, 1])
    }

    @Test func `a save whose callbacks revert all changes writes nothing`() throws {
        let document = try document("A")
        try context.save()
        Document.whenSaving = { $0.edition = 0 }
        document.edition = 4
        #expect(try context.save() == StoreChanges())
        #expect(!context.hasChanges)
    }

    @Test func `a save from within a save is refused, and the outer save continues`() throws {
        var code: ObjectStorageError.Code?
        Document.whenSaving = { document in
            do { try document.managedObjectContext?.save() } catch {
                code = (error as? ObjectStorageError)?.code
            }
        }
        _ = try document("A")
        try context.save()
        #expect(code == .alreadySaving)
        #expect(try container.newContext().count(for: FetchRequest<Document>()) == 1)
    }

    @Test func `an invalid object stays unsaved, and the error names it`() throws {
        let refused = try document("no insert")
        #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(refused.isInserted)
        refused.title = "yes"
        try context.save()
        refused.title = "no update"
        #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(refused.isUpdated)
        refused.title = "yes"
        try context.save()
        refused.title = "no delete"
        try context.save()
        context.delete(refused)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.objectID == refused.objectID)
        #expect(refused.isDeleted)
        context.rollback()
        #expect(!refused.isDeleted)
        #expect(try container.newContext().count(for: FetchRequest<Document>()) == 1)
    }

    @Test func `a cascading deletion calls prepareForDeletion() once for each object`() throws {
        let book = try document("B")
        let chapter = try document("C")
        chapter.book = book
        try context.save()
        _ = Document.takeEvents()
        Document.whenDeleting = { document in
            // The object is being deleted already.
            document.managedObjectContext?.delete(document)
        }
        context.delete(book)
        try context.save()
        #expect(
            Document.takeEvents().filter { $0.hasPrefix("delete ") && $0.contains(" of ") } == [
                "delete B of none", "delete C of none",
            ])
        let (unsavedBook, unsavedChapter) = (try document("D"), try document("E"))
        unsavedChapter.book = unsavedBook
        _ = Document.takeEvents()
        context.delete(unsavedBook)
        #expect(Document.takeEvents() == ["delete D of none", "delete E of none"])
        #expect(unsavedChapter.isDeleted)
    }

    @Test
    func `an undo calls no callbacks, and a child and its parent call those of their own objects`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let document = try document("A")
        try context.processPendingChanges()
        _ = Document.takeEvents()
        try context.undo()
        #expect(document.isDeleted)
        try context.redo()
        #expect(Document.takeEvents() == [])
        let child = context.newChildContext()
        let other = try self.document("B", in: child)
        _ = Document.takeEvents()
        try child.save()
        #expect(Document.takeEvents() == ["will B", "insert B", "did B with no key"])
        child.delete(other)
        #expect(Document.takeEvents() == ["delete B of none"])
        try child.save()
        #expect(Document.takeEvents() == ["will B", "delete B", "did B with no key"])
        try context.save()
        #expect(Document.takeEvents() == ["will A", "insert A", "did A"])
    }
}
