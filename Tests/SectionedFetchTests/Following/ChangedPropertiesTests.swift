import Foundation
import SectionedFetch
import Testing

/// The properties that events of rows name as changed, and the values before the change.
@Suite final class ChangedPropertiesTests: FilledWorkshop {
    let listener = Listener<Item>()

    /// Returns a controller that is followed by ``listener``.
    @discardableResult
    private func follow(
        _ request: FetchRequest<Item>? = nil, by key: SectionKey? = "group",
        in other: ManagedObjectContext? = nil
    ) throws -> FetchedResultsController<Item> {
        let controller = try workshop.controller(request, by: key, in: other ?? context)
        controller.delegate = listener
        listener.controller = controller
        try controller.performFetch()
        return controller
    }

    /// Returns the events of the only change since the last call.
    private func takeEvents() throws -> [ResultsChange.RowEvent] {
        defer { listener.forget() }
        #expect(listener.changes.count == 1)
        return try #require(listener.changes.last).rowEvents
    }

    @Test func `a report of a save names the changed properties and has their old values`() throws {
        let controller = try follow()
        items[0].note = 5
        items[1].group = "c"
        try context.save()
        let events = try takeEvents()
        let update = try #require(events.first { $0.kind == .update })
        #expect(update.changedProperties == ["note"])
        #expect(update.oldValue(of: \Item.note) == 0)
        #expect(update.oldValue(of: "rank") == .integer(1))
        let move = try #require(events.first { $0.kind == .move })
        #expect(move.changedProperties == ["group"])
        #expect(move.oldValue(of: \Item.group) == "a")
        #expect(move.oldSection?.name == "a" && move.newSection?.name == "c")
        #expect(move.oldSection?.key == .text("a") && move.newSection?.key == .text("c"))
        #expect(controller.sections?[id: move.newSection?.identity ?? []]?.name == "c")
    }

    @Test func `unsaved changes are relative to the values that were shown last`() throws {
        let controller = try follow()
        items[0].note = 1
        try context.processPendingChanges()
        #expect(try takeEvents().map { $0.oldValue(of: \Item.note) } == [0])
        items[0].note = 2
        items[0].maker = makers[1]
        try context.processPendingChanges()
        let event = try #require(try takeEvents().first)
        #expect(event.changedProperties == ["note", "maker"])
        #expect(event.oldValue(of: \Item.note) == 1)
        #expect(event.oldValue(of: "maker") == makers[0].objectID.primaryKey.map(StoredValue.integer))
        context.rollback()
        let back = try #require(try takeEvents().first)
        #expect(back.changedProperties == ["note", "maker"])
        #expect(back.oldValue(of: \Item.note) == 2)
        #expect(controller.fetchedObjects?.first?.note == 0)
    }

    @Test func `a save of values that were reported unsaved has no event`() throws {
        try follow()
        items[0].note = 1
        try context.processPendingChanges()
        listener.forget()
        try context.save()
        #expect(listener.changes.isEmpty)
        items[0].note = 3
        try context.save()
        #expect(try takeEvents().map { $0.oldValue(of: \Item.note) } == [1])
    }

    @Test func `a new object keeps its changed properties across saves`() throws {
        try follow()
        let item = Item(context: context)
        item.group = "b"
        try context.processPendingChanges()
        let insertion = try #require(try takeEvents().first)
        #expect(insertion.changedProperties == nil && insertion.oldValues == nil)
        item.note = 4
        try context.processPendingChanges()
        let update = try #require(try takeEvents().first)
        #expect(update.changedProperties == ["note"] && update.oldValue(of: \Item.note) == 0)
        item.note = 5
        try context.save()
        let saved = try #require(try takeEvents().first)
        #expect(saved.changedProperties == ["note"] && saved.oldValue(of: \Item.note) == 4)
    }

    @Test func `a deletion has the values that were shown last`() throws {
        let controller = try follow()
        context.delete(items[0])
        try context.processPendingChanges()
        let unsaved = try #require(try takeEvents().first)
        #expect(unsaved.kind == .deletion && unsaved.changedProperties == nil)
        #expect(unsaved.oldValues?["group"] == .text("a") && unsaved.oldValues?["rank"] == .integer(1))
        #expect(unsaved.oldSection?.name == "a" && unsaved.newSection == nil)
        try context.save()
        listener.forget()
        items[1].note = 8
        context.delete(items[1])
        try context.save()
        let saved = try #require(try takeEvents().first)
        #expect(saved.kind == .deletion && saved.oldValue(of: \Item.note) == 0)
        #expect(saved.oldValue(of: \Item.rank) == 2)
        // A row that leaves through its predicate is a deletion with values as well.
        try controller.replaceRequest(
            with: FetchRequest<Item>(predicate: \.rank < 5, sortDescriptors: [.ascending(\.rank)]),
            sectionNameKeyPath: nil)
        listener.forget()
        items[2].rank = 9
        try context.save()
        let left = try #require(try takeEvents().first)
        #expect(left.kind == .deletion && left.oldValue(of: \Item.rank) == 3)
    }

    @Test func `a merged save of another context has the old values of objects in memory`() throws {
        try follow()
        #expect(items[0].note == 0)
        let other = workshop.container.newContext()
        let same = try #require(try other.existingObject(with: items[0].objectID) as? Item)
        same.note = 7
        try context.mergeChanges(from: other.save())
        let event = try #require(try takeEvents().first)
        #expect(event.changedProperties == ["note"] && event.oldValue(of: \Item.note) == 0)
        other.delete(same)
        try context.mergeChanges(from: other.save())
        let deletion = try #require(try takeEvents().first)
        #expect(deletion.kind == .deletion && deletion.oldValue(of: \Item.note) == 7)
    }

    @Test func `a delivered save has the old values of objects that are not in memory`() throws {
        let fresh = workshop.container.newContext()
        let controller = try follow(in: fresh)
        try fresh.mergePendingChanges()
        items[0].note = 7
        try context.save()
        items[0].note = 8
        items[0].rank = 0
        try context.save()
        try fresh.mergePendingChanges()
        let event = try #require(try takeEvents().first)
        #expect(event.changedProperties == ["note", "rank"])
        #expect(event.oldValue(of: \Item.note) == 0 && event.oldValue(of: \Item.rank) == 1)
        context.delete(items[1])
        try context.save()
        try fresh.mergePendingChanges()
        #expect(try takeEvents().first?.oldValue(of: \Item.group) == "a")
        #expect(controller.fetchedObjects?.count == 2)
    }

    @Test func `values are unknown after a change by another program in between`() throws {
        let fresh = workshop.container.newContext()
        let controller = try follow(in: fresh)
        try fresh.mergePendingChanges()
        try workshop.runElsewhere("UPDATE Item SET note = 3 WHERE rank = 1")
        try context.mergeChangesFromStore()
        items[0].note = 4
        try context.save()
        try fresh.mergeChangesFromStore()
        for event in try takeEvents() where event.objectID == items[0].objectID {
            // The value before was 0; the saving context saw 3.
            #expect(event.oldValue(of: \Item.note) == nil)
            #expect(event.changedProperties == nil || event.changedProperties == ["note"])
        }
        #expect(controller.fetchedObjects?.first?.note == 4)
    }

    @Test func `a change by another program is known for objects in memory, and unknown for others`() throws {
        try follow()
        try workshop.runElsewhere("UPDATE Item SET note = 3 WHERE rank = 1")
        try context.mergeChangesFromStore()
        let event = try #require(try takeEvents().first { $0.objectID == self.items[0].objectID })
        #expect(event.changedProperties == ["note"] && event.oldValue(of: \Item.note) == 0)
        let fresh = workshop.container.newContext()
        try follow(in: fresh)
        try fresh.mergeChangesFromStore()
        listener.forget()
        try workshop.runElsewhere("UPDATE Item SET note = 4 WHERE rank = 1")
        try fresh.mergeChangesFromStore()
        let unknown = try #require(try takeEvents().first { $0.objectID == self.items[0].objectID })
        #expect(unknown.changedProperties == nil && unknown.oldValues == nil)
    }

    @Test func `a batch update names its properties`() throws {
        let fresh = workshop.container.newContext()
        try follow(in: fresh)
        try fresh.mergePendingChanges()
        let all = try context.batchUpdate(FetchRequest<Item>(), set: [.set(\.note, to: 9)])
        try fresh.mergeChanges(from: all.changes)
        let events = try takeEvents()
        #expect(events.count == 3)
        for event in events {
            #expect(event.changedProperties == ["note"])
            #expect(event.oldValue(of: \Item.note) == nil)
        }
    }

    @Test func `a related change has a key path, and the old value of the related object`() throws {
        try follow(FetchRequest<Item>(sortDescriptors: [.ascending(\.maker?.name)]), by: "maker.name")
        makers[0].name = "Cy"
        try context.save()
        let events = try takeEvents()
        #expect(events.map(\.kind) == [.move, .move])
        for event in events {
            #expect(event.changedProperties == ["maker.name"])
            #expect(event.oldValue(of: "maker.name") == .text("Ada"))
            #expect(event.oldSection?.name == "Ada" && event.newSection?.name == "Cy")
        }
        items[2].maker = makers[0]
        makers[0].note = 4
        try context.save()
        let event = try #require(try takeEvents().first { $0.objectID == self.items[2].objectID })
        #expect(event.changedProperties == ["maker"])
    }

    @Test func `paused changes are relative to the last report`() throws {
        let controller = try follow()
        controller.pauseChanges()
        for note in 1...3 {
            items[0].note = Int64(note)
            try context.save()
        }
        controller.resumeChanges()
        let event = try #require(try takeEvents().first)
        #expect(event.changedProperties == ["note"] && event.oldValue(of: \Item.note) == 0)
    }

    @Test func `events of sections have names, titles and numbers of rows on both sides`() throws {
        let request = FetchRequest<Item>(sortDescriptors: [.ascending("maker"), .ascending(\.rank)])
        try follow(request, by: SectionKey("maker", namedBy: "maker.name"))
        makers[0].name = "Zoe"
        let item = Item(context: context)
        (item.maker, item.rank) = (makers[0], 9)
        try context.save()
        let section = try #require(listener.changes.last?.sectionEvents.first)
        #expect(section.kind == .update && section.oldName == "Ada" && section.name == "Zoe")
        #expect(section.indexTitle == "Z")
        #expect(section.oldNumberOfObjects == 2 && section.newNumberOfObjects == 3)
        #expect(section.key == makers[0].objectID.primaryKey.map(StoredValue.integer))
        listener.forget()
        context.delete(items[2])
        try context.save()
        let deletion = try #require(listener.changes.last?.sectionEvents.first)
        #expect(deletion.kind == .deletion && deletion.oldNumberOfObjects == 1)
        #expect(deletion.newNumberOfObjects == nil && deletion.oldName == "Bob")
    }

    @Test func `a merged save names changed links beside changed attributes`() throws {
        let store = try TemporaryStore(ManagedObjectModel(types: Memo.self, Label.self))
        let own = store.container.newContext()
        let memo = Memo(context: own)
        let label = Label(context: own)
        try own.save()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Memo>(sortDescriptors: [.ascending(\.title)]), context: own)
        let listener = Listener<Memo>()
        controller.delegate = listener
        try controller.performFetch()
        try own.mergePendingChanges()
        let other = store.container.newContext()
        let same = try #require(try other.existingObject(with: memo.objectID) as? Memo)
        same.title = "new"
        same.labels = [try #require(try other.object(with: label.objectID) as? Label)]
        try other.save()
        try own.mergePendingChanges()
        #expect(listener.changes.last?.rowEvents.first?.changedProperties == ["title", "labels"])
        // Without a record of the save, changes of links are unknown.
        same.title = "newer"
        let changes = try other.save()
        try own.mergeChanges(
            from: StoreChanges(updatedObjectIDs: changes.updatedObjectIDs))
        #expect(listener.changes.last?.rowEvents.first?.changedProperties == nil)
    }

    final class Memo: ManagedObject {
        @Attribute var title: String = ""
        @Relationship var labels: Set<Label>
    }

    final class Label: ManagedObject {
        @Attribute var word: String = ""
        @Relationship(inverse: \Memo.labels) var memos: Set<Memo>
    }
}
