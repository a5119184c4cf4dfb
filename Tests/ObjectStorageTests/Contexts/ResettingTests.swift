import ObjectStorage
import Testing

@Suite struct ResettingTests {
    let library: Library
    let context: ManagedObjectContext
    let work: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        work = try library.insertWork("stored", in: context)
    }

    @Test func `a reset discards unsaved changes and the undo history`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        work.title = "changed"
        let new = Work(context: context)
        try context.processPendingChanges()
        context.reset()
        #expect(!context.hasChanges && context.insertedObjects.isEmpty)
        try context.undo()
        #expect(try context.save().isEmpty)
        #expect(try context.fetch(FetchRequest<Work>()).map(\.title) == ["stored"])
        #expect(new.isDeleted)
    }

    @Test func `a reset detaches objects, and a fetch creates new ones`() throws {
        let other = library.container.newContext()
        let unread = try #require(try context.fetch(FetchRequest<Work>()).first)
        let objectID = work.objectID
        work.title = "changed"
        context.reset()
        #expect(work.managedObjectContext == nil)
        // The object shows the values that were read.
        #expect(work.title == "stored" && !work.hasChanges)
        work.title = "again"
        #expect(!context.hasChanges)
        let same = try #require(try context.existingObject(with: objectID) as? Work)
        #expect(same !== work && same !== unread && same.managedObjectContext === context)
        same.title = "new"
        try context.save()
        try other.mergeChangesFromStore()
        #expect(try other.fetch(FetchRequest<Work>()).map(\.title) == ["new"])
    }

    @Test func `a fault of a reset context reports that it cannot be read`() throws {
        let objectID = work.objectID
        let fresh = library.container.newContext()
        let fault = try #require(try fresh.object(with: objectID) as? Work)
        fresh.reset()
        #expect(fault.title == "")
        #expect(fault.readError?.code == .wrongContext)
        let kept = try #require(try fresh.object(with: objectID) as? Work)
        #expect(kept.title == "stored")
    }

    @Test func `a reset notifies observers, and the context can still save and merge`() throws {
        final class Listener { var events: [ContextEvent] = [] }
        let listener = Listener()
        context.addObserver(listener) { [weak listener] in listener?.events.append($0) }
        context.reset()
        #expect(listener.events == [.reset])
        let same = try #require(try context.fetch(FetchRequest<Work>()).first)
        let other = library.container.newContext()
        let theirs = try #require(try other.fetch(FetchRequest<Work>()).first)
        theirs.title = "theirs"
        try context.mergeChanges(from: other.save())
        #expect(same.title == "theirs" && work.title == "stored")
    }

    @Test func `a child keeps its objects when the parent is reset`() throws {
        let child = context.newChildContext()
        let same = try #require(try child.existingObject(with: work.objectID) as? Work)
        Work(context: context).title = "unsaved"
        #expect(try child.count(for: FetchRequest<Work>()) == 2)
        context.reset()
        #expect(try child.count(for: FetchRequest<Work>()) == 1)
        same.title = "from the child"
        try child.save()
        try context.save()
        #expect(try context.fetch(FetchRequest<Work>()).map(\.title) == ["from the child"])
    }
}
