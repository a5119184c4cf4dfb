import Foundation
import ObjectStorage
import Testing

/// An object without unsaved changes shows the store's values, including those that were merged while it had
/// unsaved changes.
@Suite struct RevertingTests {
    let library: Library
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    let undoManager = ManagedObjectContext.UndoManager()
    let work: Work
    /// The object of the same row in the other context.
    let same: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        work = try library.insertWork("read", in: context)
        context.automaticallyMergesChanges = true
        context.undoManager = undoManager
        other = library.container.newContext()
        same = try #require(other.existingObject(with: work.objectID) as? Work)
    }

    /// A way to revert an unsaved change or deletion.
    enum Way: CaseIterable {
        case rollback, undo, refresh

        func takeBack(_ work: Work, in context: ManagedObjectContext) throws {
            switch self {
            case .rollback: context.rollback()
            case .undo: try context.undo()
            case .refresh: try context.refresh(work, mergeChanges: false)
            }
        }
    }

    private func changeElsewhere() throws {
        same.title = "there"
        same.cover = Data(repeating: 1, count: 20_000)
        try other.save()
        _ = try context.count(for: FetchRequest<Work>())
    }

    private func deleteElsewhere() throws {
        other.delete(same)
        try other.save()
        _ = try context.count(for: FetchRequest<Work>())
    }

    private func expectTheStores() throws {
        #expect(!context.hasChanges && !work.isUpdated)
        #expect(work.title == "there")
        #expect(work.cover?.count == 20_000)
        #expect(work.readError == nil)
        // No conflict is left.
        work.title = "next"
        try context.save()
        #expect(try other.count(for: FetchRequest<Work>(predicate: \.title == "next")) == 1)
    }

    @Test(arguments: Way.allCases)
    func `a reverted change shows the other context's values`(way: Way) throws {
        work.title = "here"
        work.cover = Data(repeating: 2, count: 30_000)
        try changeElsewhere()
        #expect(work.title == "here")
        try way.takeBack(work, in: context)
        try expectTheStores()
    }

    @Test(arguments: Way.allCases, [false, true])
    func `a reverted deletion shows the other context's values`(way: Way, decides: Bool) throws {
        context.delete(work)
        if decides { context.automaticallyMergesChanges = false }
        try changeElsewhere()
        if decides { try context.mergeChangesFromStore() }
        try way.takeBack(work, in: context)
        #expect(!work.isDeleted)
        try expectTheStores()
    }

    @Test(arguments: Way.allCases)
    func `a reverted change and deletion of one object show the other context's values`(way: Way) throws {
        work.title = "here"
        context.delete(work)
        try changeElsewhere()
        try way.takeBack(work, in: context)
        try expectTheStores()
    }

    @Test(arguments: Way.allCases)
    func `an object whose row was deleted elsewhere is gone when its change is reverted`(way: Way) throws {
        work.title = "here"
        try deleteElsewhere()
        #expect(!work.isDeleted)
        try way.takeBack(work, in: context)
        #expect(work.isDeleted)
        #expect(!context.hasChanges)
        #expect(throws: ObjectStorageError.self) { try context.existingObject(with: work.objectID) }
    }

    @Test func `a rollback does not restore an object whose row was deleted elsewhere`() throws {
        work.title = "here"
        try deleteElsewhere()
        context.delete(work)
        context.rollback()
        #expect(work.isDeleted)
    }

    @Test func `a batch update that an unsaved change hides shows when the change is reverted`() throws {
        work.title = "here"
        try context.batchUpdate(FetchRequest<Work>(), set: [.set(\.title, to: "batch")])
        #expect(work.title == "here")
        context.rollback()
        #expect(work.title == "batch")
    }

    @Test func `setting a value back ends the change`() throws {
        work.title = "here"
        try changeElsewhere()
        work.title = "read"
        try expectTheStores()
    }

    @Test func `setting a value back by name ends the change, and this can be undone`() throws {
        work.title = "here"
        try context.processPendingChanges()
        try changeElsewhere()
        try work.setValue(.text("read"), forProperty: "title")
        #expect(work.title == "there")
        try context.undo()
        #expect(work.title == "here")
        try context.save()
        #expect(try other.count(for: FetchRequest<Work>(predicate: \.title == "here")) == 1)
    }

    @Test func `setting a relationship back ends the change`() throws {
        let (first, second) = (Author(context: context), Author(context: context))
        (first.name, second.name) = ("A", "B")
        try other.mergeChanges(from: try context.save())
        work.author = first
        same.author = try other.object(with: second.objectID) as? Author
        try changeElsewhere()
        #expect(work.author == first)
        work.author = nil
        #expect(work.author == second)
        try expectTheStores()
    }

    @Test
    func `a value set back shows the other context's value, also after a save of other properties`() throws {
        work.title = "here"
        work.pages = 5
        try changeElsewhere()
        work.title = "read"
        #expect(work.title == "read")
        try context.save()
        #expect(work.pages == 5)
        try expectTheStores()
    }

    @Test func `setting a value back ends the change of an object whose row is gone`() throws {
        work.title = "here"
        try deleteElsewhere()
        work.title = "read"
        #expect(work.isDeleted)
    }

    @Test func `merged values that the other context changes back show after a rollback`() throws {
        work.title = "here"
        try changeElsewhere()
        same.title = "read"
        same.cover = nil
        try other.save()
        _ = try context.count(for: FetchRequest<Work>())
        context.rollback()
        #expect(work.title == "read" && work.cover == nil)
    }

    @Test func `a conflict is still detected after a merge`() throws {
        work.title = "here"
        try changeElsewhere()
        let changed = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(changed?.conflicts.first?.properties.map(\.valueRead) == ["read"])
        context.delete(work)
        let deleted = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(deleted?.conflicts.first?.kind == .deletedInContext)
        context.rollback()
        try expectTheStores()
    }

    @Test func `a child's reverted changes show the parent's values`() throws {
        let child = context.newChildContext()
        let childs = try #require(child.existingObject(with: work.objectID) as? Work)
        childs.title = "child"
        work.title = "parent"
        try child.batchUpdate(FetchRequest<Work>(), set: [.set(\.pages, to: 5)])
        #expect(childs.title == "child")
        child.rollback()
        #expect(childs.title == "parent")
    }

    @Test func `an object of a reset context keeps the values that were read`() throws {
        work.title = "here"
        try changeElsewhere()
        context.reset()
        #expect(work.title == "read" && work.readError == nil)
    }
}
