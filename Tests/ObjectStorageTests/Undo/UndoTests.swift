import Foundation
import ObjectStorage
import Testing

@Suite struct UndoTests {
    let library: Library
    let context: ManagedObjectContext
    let undoManager = ManagedObjectContext.UndoManager()

    init() throws {
        library = try Library()
        context = library.container.newContext()
        context.undoManager = undoManager
    }

    private func makeWork(_ title: String) throws -> Work {
        let work = try library.insertWork(title, in: context)
        undoManager.removeAllActions()
        return work
    }

    /// Returns the titles that another context reads.
    private func storedTitles() throws -> [String] {
        try library.container.newContext()
            .fetchDistinctValues(of: \.title, in: FetchRequest<Work>())
    }

    @Test func `a rollback, undo or reset within an undo group does not crash`() throws {
        let work = try makeWork("a")
        for takeBack in [context.rollback, { try! context.undo() }, context.reset] {
            undoManager.beginUndoGrouping()
            if !work.isDeleted, work.managedObjectContext != nil { work.title = "b" }
            takeBack()
            _ = Work(context: context)
            undoManager.endUndoGrouping()
            context.rollback()
        }
        #expect(try storedTitles() == ["a"])
        undoManager.endUndoGrouping()
    }

    @Test func `a restored object refers again to an object that was unsaved at the deletion`() throws {
        let work = try makeWork("a")
        let author = Author(context: context)
        author.name = "new"
        work.author = author
        try context.processPendingChanges()
        context.delete(work)
        try context.save()
        try context.undo()
        #expect(!work.isDeleted && work.author === author)
        try context.save()
        let reading = library.container.newContext()
        #expect(try reading.fetch(FetchRequest<Work>()).map { $0.author?.name } == ["new"])
        try context.redo()
        #expect(work.isDeleted && !author.isDeleted)
        try context.undo()
        #expect(!work.isDeleted && work.author === author)
    }

    @Test(arguments: [true, false])
    func `a restored object can be changed without an undo manager`(isChild: Bool) throws {
        let author = Author(context: context)
        author.name = "a"
        try context.save()
        let other = isChild ? context.newChildContext() : library.container.newContext()
        other.undoManager = ManagedObjectContext.UndoManager()
        let copy = try #require(try other.fetch(FetchRequest<Author>()).first)
        other.delete(copy)
        try other.save()
        try other.undo()
        other.undoManager = nil
        copy.name = "b"
        try other.save()
        if isChild { try context.save() }
        let names = try library.container.newContext().fetch(FetchRequest<Author>()).map(\.name)
        #expect(names == ["b"])
    }

    @Test func `groups are undone and redone one by one`() throws {
        let work = try makeWork("a")
        work.title = "b"
        work.pages = 1
        try context.processPendingChanges()
        work.title = "c"
        try context.undo()
        #expect(work.title == "b")
        try context.undo()
        #expect(work.title == "a")
        #expect(work.pages == 0)
        #expect(!context.hasChanges)
        #expect(!undoManager.canUndo)
        try context.redo()
        #expect("\(work.title) \(work.pages)" == "b 1")
        try context.redo()
        #expect(work.title == "c")
        #expect(!undoManager.canRedo)
        try context.undo()
        work.title = "d"
        #expect(!undoManager.canRedo)
    }

    @Test func `an explicit group is undone as one and has a name`() throws {
        let work = try makeWork("a")
        undoManager.beginUndoGrouping()
        work.title = "b"
        try context.processPendingChanges()
        work.title = "c"
        undoManager.setActionName("Rename")
        undoManager.endUndoGrouping()
        work.title = "d"
        try context.undo()
        #expect(work.title == "c")
        #expect(undoManager.undoActionName == "Rename")
        try context.undo()
        #expect(work.title == "a")
        #expect(undoManager.redoActionName == "Rename")
    }

    @Test func `an insertion is undone and redone with its values`() throws {
        let work = Work(context: context)
        work.title = "new"
        try context.undo()
        #expect(work.isDeleted)
        #expect(!context.hasChanges)
        #expect(try context.count(for: FetchRequest<Work>()) == 0)
        try context.redo()
        #expect(work.isInserted)
        #expect(work.title == "new")
        try context.save()
        #expect(try storedTitles() == ["new"])
    }

    @Test func `undoing a saved change is an unsaved change`() throws {
        let work = try makeWork("a")
        work.title = "b"
        try context.save()
        let new = Work(context: context)
        new.title = "n"
        try context.save()
        try context.undo()
        #expect(new.isDeleted)
        try context.undo()
        #expect(work.title == "a")
        #expect(try storedTitles() == ["b", "n"])
        try context.save()
        #expect(try storedTitles() == ["a"])
        try context.redo()
        try context.redo()
        #expect(!new.isDeleted)
        try context.save()
        #expect(try storedTitles() == ["b", "n"])
    }

    @Test func `a deletion is undone with the relationships to the object`() throws {
        let author = Author(context: context)
        author.name = "A"
        let work = try makeWork("w")
        work.author = author
        try context.save()
        context.delete(author)
        try context.undo()
        #expect(work.author === author)
        #expect(!author.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test(arguments: [true, false])
    func `a saved deletion is undone with the relationships to the object`(deletesWorks: Bool) throws {
        var setUp: ManagedObjectContext? = library.container.newContext()
        if let setUp {
            let author = Author(context: setUp)
            author.name = "A"
            for title in ["1", "2"] {
                let work = Work(context: setUp)
                work.title = title
                work.author = author
            }
            try setUp.save()
        }
        setUp = nil
        let author = try #require(try context.fetch(FetchRequest<Author>()).first)
        let previousID = author.objectID
        if deletesWorks { for work in author.works { context.delete(work) } }
        context.delete(author)
        try context.save()
        try context.undo()
        #expect(author.isInserted)
        #expect(author.works.count == 2)
        try context.save()
        #expect(author.objectID != previousID)
        let other = library.container.newContext()
        let read = try #require(try other.fetch(FetchRequest<Author>()).first)
        #expect(Set(read.works.map(\.title)) == ["1", "2"])
        try context.redo()
        try context.save()
        #expect(try other.count(for: FetchRequest<Author>()) == 0)
    }

    @Test func `a cascade is undone as a whole`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Folder.self))
        let context = container.newContext()
        let root = Folder(context: context)
        let child = Folder(context: context)
        child.parent = root
        Folder(context: context).parent = child
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        context.delete(root)
        try context.save()
        #expect(try context.count(for: FetchRequest<Folder>()) == 0)
        try context.undo()
        try context.save()
        let other = container.newContext()
        let read = try #require(try other.fetch(FetchRequest<Folder>(predicate: .isNil(\.parent))).first)
        #expect(read.children.count == 1)
        #expect(read.children.first?.children.count == 1)
    }

    @Test
    func `a limit drops the oldest groups, disabling drops new ones, and a rollback drops all`() throws {
        let work = try makeWork("0")
        undoManager.levelsOfUndo = 2
        for title in ["1", "2", "3"] {
            work.title = title
            try context.processPendingChanges()
        }
        for _ in 0..<5 { try context.undo() }
        #expect(work.title == "1")
        context.rollback()
        #expect(!undoManager.canUndo && !undoManager.canRedo)
        undoManager.disableUndoRegistration()
        work.title = "x"
        undoManager.enableUndoRegistration()
        #expect(!undoManager.canUndo)
    }
}
