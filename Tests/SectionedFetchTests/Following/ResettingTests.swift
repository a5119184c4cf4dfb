import Foundation
import SectionedFetch
import Testing

/// Controllers whose context is reset.
@Suite struct ResettingTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let controller: FetchedResultsController<Item>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
        controller = try workshop.controller(in: context)
    }

    @Test(arguments: [false, true])
    func `a reset reports nothing and leaves no results until the next fetch`(hasChanges: Bool) throws {
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        if hasChanges {
            items[0].note = 7
            context.delete(items[2])
            try context.processPendingChanges()
            _ = recorder.take()
        }
        context.reset()
        #expect(controller.fetchedObjects == nil && controller.sections == nil && controller.snapshot == nil)
        #expect(controller.indexPath(for: items[0]) == nil)
        let new = Item(context: context)
        new.group = "a"
        try context.save()
        #expect(recorder.calls.isEmpty)
        try controller.performFetch()
        #expect(recorder.calls.isEmpty)
        #expect(controller.sections?.map(\.numberOfObjects) == [3, 1])
        #expect(controller.fetchedObjects?.allSatisfy { $0.note == 0 && !items.contains($0) } == true)
        new.rank = 9
        try context.save()
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
    }

    @Test func `a fetch after a reset reports nothing, even with reportsChange`() throws {
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        context.reset()
        try controller.performFetch(reportsChange: true)
        #expect(recorder.calls.isEmpty)
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test func `a reset during a report ends the report`() throws {
        let recorder = Recorder()
        let listener = Listener<Item>()
        controller.delegate = listener
        try controller.performFetch()
        listener.will = { [context] _ in context.reset() }
        items[0].note = 1
        try context.save()
        #expect(listener.changes.isEmpty && listener.snapshots.isEmpty)
        #expect(controller.fetchedObjects == nil)
        controller.delegate = recorder
        try controller.performFetch()
        #expect(controller.fetchedObjects?.first?.note == 1)
        let later = try #require(controller.fetchedObjects?.first)
        later.note = 2
        try context.save()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `a fetch after a reset during a report shows the new objects at once`() throws {
        let listener = Listener<Item>()
        controller.delegate = listener
        try controller.performFetch()
        listener.will = { [context] controller in
            listener.will = nil
            context.reset()
            #expect(throws: Never.self) { try controller.performFetch() }
        }
        items[0].note = 1
        try context.save()
        #expect(listener.changes.isEmpty)
        let objects = try #require(controller.fetchedObjects)
        #expect(objects.map(\.note) == [1, 0, 0])
        #expect(objects.allSatisfy { $0.managedObjectContext === context })
    }

    @Test func `objects kept over a reset have a read error, and snapshots keep their object IDs`() throws {
        let context = workshop.container.newContext()
        let controller = try workshop.controller(in: context)
        try controller.performFetch()
        let objects = try #require(controller.fetchedObjects)
        let snapshot = try #require(controller.snapshot)
        context.reset()
        #expect(objects.allSatisfy { $0.managedObjectContext == nil })
        #expect(objects.allSatisfy { $0.rank == 0 && $0.readError?.code == .wrongContext })
        // Object IDs stay valid.
        #expect(snapshot[0].count == 2)
        #expect(try snapshot.objects(in: context).map(\.rank) == [1, 2, 3])
    }
}
