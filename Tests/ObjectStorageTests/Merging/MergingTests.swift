import Foundation
import ObjectStorage
import Testing

/// Commits of other contexts and other programs reach a context.
@Suite struct MergingTests {
    let library: Library
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    let work: Work
    /// The object of the same row in the other context.
    let same: Work

    init() throws {
        library = try Library()
        context = library.container.newContext()
        work = try library.insertWork("read", in: context)
        other = library.container.newContext()
        same = try #require(other.existingObject(with: work.objectID) as? Work)
    }

    @Test
    func `a deletion keeps a reference that another context changed before the deletion was saved`() throws {
        let (first, second) = (Author(context: context), Author(context: context))
        first.name = "A"
        second.name = "B"
        work.author = first
        try context.save()
        try other.mergeChangesFromStore()
        #expect(same.author?.objectID == first.objectID)
        work.author = second
        try context.save()
        // The other context has not merged this change.
        other.delete(try other.object(with: first.objectID))
        try other.save()
        #expect(same.author?.objectID == second.objectID)
        let fresh = library.container.newContext()
        #expect((try fresh.existingObject(with: work.objectID) as? Work)?.author?.objectID == second.objectID)
        #expect(throws: ObjectStorageError.self) { try fresh.existingObject(with: first.objectID) }
    }

    @Test func `a save returns its changes`() throws {
        let author = Author(context: context)
        author.name = "A"
        work.author = author
        let inserted = try context.save()
        #expect(inserted.insertedObjectIDs == [author.objectID])
        #expect(inserted.updatedObjectIDs == [work.objectID])
        #expect(inserted.deletedObjectIDs.isEmpty)
        let deletion = library.container.newContext()
        deletion.delete(try deletion.object(with: author.objectID))
        let deleted = try deletion.save()
        #expect(deleted.deletedObjectIDs == [author.objectID])
        // The store cleared the work's relationship; the context had never read the work.
        #expect(deleted.updatedObjectIDs == [work.objectID])
        #expect(try context.save().isEmpty)
    }

    @Test func `a change of another context reaches an object when it is merged`() throws {
        same.title = "changed"
        let changes = try other.save()
        #expect(work.title == "read")
        #expect(try context.mergeChanges(from: changes) == changes)
        #expect(work.title == "changed")
    }

    @Test func `an unsaved change stays and no longer conflicts after merging`() throws {
        same.title = "there"
        same.pages = 5
        work.title = "here"
        try context.mergeChanges(from: try other.save())
        #expect(work.title == "here")
        #expect(work.pages == 5)
        #expect(context.updatedObjects == [work])
        try context.save()
        #expect(try other.count(for: FetchRequest<Work>(predicate: \.title == "here" && \.pages == 5)) == 1)
        work.title = "rolled back"
        context.rollback()
        #expect(work.title == "here")
    }

    @Test func `a value that was set back is no change that keeps a row deleted elsewhere`() throws {
        context.mergePolicy = .contextWins
        let author = Author(context: context)
        author.name = "A"
        work.author = author
        try other.mergeChanges(from: try context.save())
        work.title = "here"
        work.title = "read"
        other.delete(same)
        try context.mergeChanges(from: try other.save())
        #expect(work.isDeleted)
        // The deletion clears the relationships to the author, which must not restore the work.
        context.delete(author)
        try context.save()
        #expect(try context.count(for: FetchRequest<Work>()) == 0)
    }

    @Test func `merging automatically leaves conflicts to the save`() throws {
        context.automaticallyMergesChanges = true
        work.title = "here"
        same.title = "there"
        same.pages = 5
        try other.save()
        #expect(try context.fetch(FetchRequest<Work>()) == [work])
        #expect(work.title == "here")
        #expect(work.pages == 5)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.conflicts.first?.properties.map(\.valueInStore) == ["there"])
        try context.refresh(work, mergeChanges: true)
        try context.save()
        #expect(try other.count(for: FetchRequest<Work>(predicate: \.title == "here")) == 1)
    }

    @Test func `merging deletes an object whose row was deleted elsewhere`() throws {
        other.delete(same)
        let changes = try other.save()
        #expect(!work.isDeleted)
        try context.mergeChanges(from: changes)
        #expect(work.isDeleted)
        #expect(work.title == "read")
        #expect(throws: ObjectStorageError.self) { try context.existingObject(with: work.objectID) }
    }

    @Test func `an object changed here and deleted elsewhere is a conflict of the next save`() throws {
        work.title = "here"
        other.delete(same)
        try context.mergeChanges(from: try other.save())
        #expect(!work.isDeleted)
        #expect(throws: ObjectStorageError.self) { try context.save() }
        context.mergePolicy = .storeWins
        try context.save()
        #expect(work.isDeleted)
    }

    @Test func `refreshing without merging discards the changes of one object only`() throws {
        let second = Work(context: context)
        try context.save()
        work.title = "here"
        second.title = "second"
        try context.refresh(work, mergeChanges: false)
        #expect(work.title == "read")
        #expect(context.updatedObjects == [second])
    }

    @Test func `a merge reports objects that were never loaded`() throws {
        context.automaticallyMergesChanges = true
        let new = Work(context: other)
        try other.save()
        let changes = try context.mergePendingChanges()
        #expect(changes.insertedObjectIDs == [new.objectID])
        #expect(try context.mergePendingChanges().isEmpty)
    }

    @Test func `a merge combines the changes of several saves`() throws {
        context.automaticallyMergesChanges = true
        same.title = "changed"
        let new = Work(context: other)
        try other.save()
        other.delete(new)
        other.delete(same)
        try other.save()
        let changes = try context.mergePendingChanges()
        #expect(changes.deletedObjectIDs == [work.objectID, new.objectID])
        #expect(changes.insertedObjectIDs.isEmpty)
        #expect(changes.updatedObjectIDs.isEmpty)
        #expect(work.isDeleted)
    }

    @Test func `changes of another program are detected by comparison with the store`() throws {
        try context.mergeChangesFromStore()
        #expect(try context.mergeChangesFromStore().isEmpty)
        let doomed = Work(context: context)
        try context.save()
        #expect(try context.mergeChangesFromStore().isEmpty)
        try library.runElsewhere(
            "UPDATE Work SET title = 'shell' WHERE objectID = 1; DELETE FROM Work WHERE objectID = 2")
        let changes = try context.mergeChangesFromStore()
        #expect(changes.changedEntityNames == ["Work"])
        #expect(changes.updatedObjectIDs == [work.objectID])
        #expect(changes.deletedObjectIDs == [doomed.objectID])
        #expect(work.title == "shell")
        #expect(doomed.isDeleted)
    }

    @Test func `rows written without a context are reported by entity`() throws {
        context.automaticallyMergesChanges = true
        try library.container.write { writer in
            let table = try writer.table("Author")
            _ = try table.insert([.text("A"), .null])
        }
        #expect(try context.mergePendingChanges() == StoreChanges(changedEntityNames: ["Author"]))
    }

    @Test func `observers are notified of saves, merges and rollbacks in the context's isolation`() throws {
        final class Listener { var events: [ContextEvent] = [] }
        let listener = Listener()
        context.addObserver(listener) { [weak listener] in listener?.events.append($0) }
        work.title = "here"
        let saved = try context.save()
        same.title = "read"
        same.pages = 1
        other.mergePolicy = .contextWins
        let merged = try context.mergeChanges(from: try other.save())
        context.rollback()
        #expect(listener.events == [.saved(saved), .merged(merged), .rolledBack])
        context.removeObserver(listener)
        context.rollback()
        #expect(listener.events.count == 3)
    }
}

@Suite struct BackgroundTaskTests {
    @Test func `a background task has its own context, and its save reaches other contexts`() async throws {
        let library = try Library()
        let context = library.container.newContext()
        context.automaticallyMergesChanges = true
        var notifications = context.remoteChangeNotifications.makeAsyncIterator()
        let changes = try await library.container.performBackgroundTask { context in
            Work(context: context).title = "background"
            return try context.save()
        }
        await notifications.next()
        #expect(try context.mergePendingChanges() == changes)
        let objectID = try #require(changes.insertedObjectIDs.first)
        #expect((try context.existingObject(with: objectID) as? Work)?.title == "background")
    }

    @Test func `an error of a background task is rethrown, and nothing is saved`() async throws {
        let library = try Library()
        await #expect(throws: CocoaError.self) {
            try await library.container.performBackgroundTask { context in
                Work(context: context).title = "forgotten"
                throw CocoaError(.userCancelled)
            }
        }
        #expect(try library.container.newContext().count(for: FetchRequest<Work>()) == 0)
    }

    @Test func `many background tasks save one after another and lose no changes`() async throws {
        let library = try Library()
        let container = library.container
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    _ = try await container.performBackgroundTask { context in
                        Work(context: context).key = Int64(number)
                        return try context.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        let keys = try container.newContext().fetch(FetchRequest<Work>()).map(\.key)
        #expect(Set(keys) == Set(0..<20))
    }

    @Test func `the notifications end with their context`() async throws {
        let library = try Library()
        let notifications = library.container.newContext().remoteChangeNotifications
        for await _ in notifications { Issue.record("Nothing was saved.") }
    }

    @Test func `if a fetch reads more objects again than are kept, the values of the first are known`()
        throws
    {
        let library = try Library()
        let context = library.container.newContext()
        final class Listener { var merged: [StoreChanges] = [] }
        let listener = Listener()
        context.addObserver(listener) { [weak listener] event in
            if case .merged(let changes) = event { listener?.merged.append(changes) }
        }
        let count = 10_001
        let rows = (0..<count).lazy.map { number -> [String: StoredValue] in
            ["label": .text("\(100_000 + number)")]
        }
        _ = try context.batchInsert(Shelf.self, rows: rows)
        let request = FetchRequest<Shelf>(sortDescriptors: [.ascending(\.label)])
        var shelves = try context.fetch(request)
        #expect(shelves.count == count)
        try library.runElsewhere("UPDATE Shelf SET label = label || 'b'")
        _ = try context.fetch(request)
        shelves = [shelves[0], shelves[count - 1]]
        listener.merged = []
        try context.mergeChanges(from: StoreChanges())
        let changes = try #require(listener.merged.first)
        #expect(changes.updatedObjectIDs == Set(shelves.map(\.objectID)))
        #expect(changes.previousRows[shelves[0].objectID]?.values == [.text("100000")])
        let last = try #require(changes.previousRows[shelves[1].objectID])
        #expect(last.values == nil && last.writtenSlots == nil)
        #expect(shelves.map(\.label) == ["100000b", "110000b"])
    }
}
