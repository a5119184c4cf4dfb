import Foundation
import ObjectStorage
import Testing

@Suite struct ChildContextTests {
    let library: Library
    let parent: ManagedObjectContext
    let child: ManagedObjectContext
    let work: Work

    init() throws {
        library = try Library()
        parent = library.container.newContext()
        work = try library.insertWork("stored", in: parent)
        child = parent.newChildContext()
    }

    private func titles(in context: ManagedObjectContext) throws -> [String] {
        try context.fetch(FetchRequest<Work>(sortDescriptors: [.ascending(\.title)])).map(\.title)
    }

    private func counterpart(of object: Work) throws -> Work {
        try #require(child.existingObject(with: object.objectID) as? Work)
    }

    @Test func `a child sees the parent's unsaved changes and keeps its own`() throws {
        work.title = "changed"
        let new = Work(context: parent)
        new.title = "new"
        #expect(try titles(in: child) == ["changed", "new"])
        #expect(try counterpart(of: work).title == "changed")
        #expect(try child.count(for: FetchRequest<Work>(predicate: \.title == "stored")) == 0)
        try counterpart(of: new).title = "newer"
        Work(context: child).title = "own"
        #expect(try titles(in: child) == ["changed", "newer", "own"])
        #expect(new.title == "new")
        #expect(try titles(in: parent) == ["changed", "new"])
        child.rollback()
        #expect(try titles(in: child) == ["changed", "new"])
    }

    @Test func `a child's save changes the parent and not the store`() throws {
        let same = try counterpart(of: work)
        same.title = "changed"
        let new = Work(context: child)
        new.title = "new"
        let saved = try child.save()
        #expect(saved.insertedObjectIDs == [new.objectID])
        #expect(!child.hasChanges)
        #expect(work.title == "changed")
        #expect(parent.insertedObjects.map(\.objectID) == [new.objectID])
        #expect(try titles(in: library.container.newContext()) == ["stored"])
        try parent.save()
        #expect(try titles(in: library.container.newContext()) == ["changed", "new"])
    }

    @Test func `temporary IDs become permanent in all contexts of the family`() throws {
        let author = Author(context: parent)
        author.name = "A"
        let new = Work(context: child)
        let shadow = try #require(child.object(with: author.objectID) as? Author)
        #expect(shadow.name == "A")
        new.author = shadow
        #expect(shadow.works == [new])
        try child.save()
        #expect(author.works.map(\.objectID) == [new.objectID])
        let grandchild = child.newChildContext()
        let far = try #require(grandchild.object(with: new.objectID) as? Work)
        #expect(far.author?.name == "A")
        try parent.save()
        #expect(!author.objectID.isTemporary)
        #expect(shadow.objectID == author.objectID)
        #expect(new.objectID == author.works.first?.objectID)
        #expect(far.objectID == new.objectID)
        #expect(new.author === shadow)
        #expect(far.author?.objectID == author.objectID)
        new.title = "later"
        try child.save()
        try parent.save()
        #expect(try titles(in: library.container.newContext()) == ["later", "stored"])
    }

    @Test func `new objects of a child refer to each other in the parent`() throws {
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(types: Folder.self))
        let parent = container.newContext()
        let child = parent.newChildContext()
        let first = Folder(context: child)
        let second = Folder(context: child)
        first.parent = second
        second.parent = first
        try child.save()
        try parent.save()
        let other = container.newContext()
        let read = try other.fetch(FetchRequest<Folder>())
        #expect(read[0].parent === read[1])
        #expect(read[1].parent === read[0])
        #expect(first.parent === second)
    }

    @Test func `saving a child's deletion deletes the object in the parent`() throws {
        let new = Work(context: parent)
        let sameNew = try counterpart(of: new)
        child.delete(sameNew)
        child.delete(try counterpart(of: work))
        #expect(try titles(in: child) == [])
        #expect(try titles(in: parent) == ["", "stored"])
        try child.save()
        #expect(new.isDeleted)
        #expect(parent.deletedObjects == [work])
        #expect(try titles(in: child) == [])
        #expect(sameNew.isDeleted)
        try parent.save()
        #expect(try titles(in: library.container.newContext()) == [])
    }

    @Test func `an object deleted in the parent is missing in the child`() throws {
        let same = try counterpart(of: work)
        parent.delete(work)
        #expect(try titles(in: child) == [])
        child.refresh(same)
        #expect(same.title == "")
        #expect(same.readError?.code == .objectMissing)
    }

    @Test func `a change of an object that the parent deleted is a conflict`() throws {
        let same = try counterpart(of: work)
        same.title = "changed"
        parent.delete(work)
        let error = #expect(throws: ObjectStorageError.self) { try child.save() }
        #expect(error?.code == .conflict)
        child.mergePolicy = .storeWins
        try child.save()
        #expect(same.isDeleted)
    }

    @Test func `a child's changes are one undo group in the parent`() throws {
        parent.undoManager = ManagedObjectContext.UndoManager()
        try counterpart(of: work).title = "changed"
        Work(context: child).title = "new"
        try child.save()
        try parent.undo()
        #expect(work.title == "stored")
        #expect(!parent.hasChanges)
    }

    @Test func `saves of other contexts reach a child through the store`() throws {
        child.automaticallyMergesChanges = true
        let same = try counterpart(of: work)
        work.title = "changed"
        try parent.save()
        try child.mergePendingChanges()
        #expect(same.title == "changed")
    }

    @Test(arguments: ["new and deleted", "new, saved and deleted", "saved and deleted", "rolled back"])
    func `a change of an object that the parent discarded is a conflict, which the merge policy resolves`(
        what: String
    ) throws {
        let object: Work
        if what == "saved and deleted" {
            object = work
        } else {
            object = Work(context: parent)
            object.title = "given up"
        }
        let changed = try counterpart(of: object)
        changed.title = "changed here"
        if what == "new, saved and deleted" { try parent.save() }
        if what == "rolled back" { parent.rollback() } else { parent.delete(object) }
        if what == "new, saved and deleted" { try parent.save() }
        let error = #expect(throws: ObjectStorageError.self) { try child.save() }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("parent") == true)
        #expect(changed.title == "changed here")
        child.mergePolicy = .storeWins
        try child.save()
        #expect(!child.hasChanges)
        #expect(changed.isDeleted)
        try parent.save()
        #expect(try titles(in: library.container.newContext()) == (object === work ? [] : ["stored"]))
    }

    @Test(arguments: [false, true])
    func `a parent's delete rules apply to the relationships that the deleted object had in the child`(
        isMoved: Bool
    ) throws {
        let library = try Library(model: LinkModel.model())
        let parent = library.container.newContext()
        let middle = parent.newChildContext()
        let song = LinkModel.Song(context: middle)
        let kept = LinkModel.Lyrics(context: middle)
        (song.title, kept.text, kept.song) = ("first", "kept", song)
        try middle.save()
        if isMoved {
            let other = LinkModel.Song(context: middle)
            other.title = "second"
            kept.song = other
        } else {
            let next = LinkModel.Lyrics(context: middle)
            (next.text, next.song) = ("next", song)
        }
        let child = middle.newChildContext()
        child.delete(try child.existingObject(with: song.objectID))
        try child.save()
        try middle.save()
        let left = isMoved ? ["lyrics kept: second", "song second: ; ; ; -; kept; -"] : ["lyrics kept: -"]
        #expect(try LinkModel.content(parent) == left)
        try parent.save()
        #expect(try LinkModel.content(library.container.newContext()) == left)
    }
}
