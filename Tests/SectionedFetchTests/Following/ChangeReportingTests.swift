import Foundation
import SectionedFetch
import Testing

/// The conditions under which a controller reports changes.
@Suite final class ChangeReportingTests: FilledWorkshop {
    private func controller(
        _ request: FetchRequest<Item>? = nil, by key: SectionKey? = "group", cacheName: CacheName? = nil
    ) throws -> FetchedResultsController<Item> {
        try workshop.controller(request, by: key, cacheName: cacheName, in: context)
    }

    @Test func `results stay without a delegate and follow changes with one`() throws {
        let frozen = try controller()
        let tracked = try controller()
        let recorder = Recorder()
        tracked.delegate = recorder
        #expect(frozen.mode == .frozen && tracked.mode == .frozen)
        try frozen.performFetch()
        try tracked.performFetch()
        #expect(frozen.mode == .frozen && tracked.mode == .tracked)
        #expect(recorder.calls.isEmpty)
        items[2].group = "a"
        try context.save()
        #expect(frozen.sections?.map(\.name) == ["a", "b"])
        #expect(tracked.sections?.map(\.name) == ["a"])
        #expect(recorder.calls == ["will", "section deletion", "row move", "did", "with 2"])
        tracked.delegate = nil
        items[2].group = "b"
        try context.save()
        #expect(tracked.sections?.map(\.name) == ["a"])
    }

    @Test func `changes that do not affect the results are not reported`() throws {
        let controller = try controller(
            FetchRequest<Item>(
                predicate: \.rank < 3, sortDescriptors: [.ascending(\.group), .ascending(\.rank)]))
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        makers[0].note = 1
        try context.save()
        items[2].rank = 4
        try context.save()
        items[0].rank = 9
        items[0].rank = 1
        try context.save()
        items[0].note = 1
        context.rollback()
        #expect(recorder.calls.isEmpty)
    }

    @Test func `unsaved changes are reported once, and a rollback reports the reversal`() throws {
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        items[0].note = 1
        let item = Item(context: context)
        item.group = "c"
        item.maker = makers[0]
        #expect(recorder.calls.isEmpty)
        try context.processPendingChanges()
        #expect(
            recorder.take() == ["will", "section insertion", "row insertion", "row update", "did", "with 3"])
        try context.processPendingChanges()
        try context.save()
        #expect(recorder.take() == [])
        #expect(controller.indexPath(for: item) == IndexPath(row: 0, section: 2))
        items[0].note = 2
        item.group = "b"
        try context.processPendingChanges()
        #expect(recorder.take() == ["will", "section deletion", "row move", "row update", "did", "with 3"])
        context.rollback()
        #expect(recorder.take() == ["will", "section insertion", "row move", "row update", "did", "with 3"])
    }

    @Test(arguments: [true, false])
    func `a save with nothing to write reports the deletion of an unsaved object that was shown`(
        isFetched: Bool
    ) throws {
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        let item = Item(context: context)
        item.group = "c"
        item.maker = makers[0]
        if isFetched {
            try controller.performFetch()
            #expect(recorder.take() == [])
        } else {
            try context.processPendingChanges()
            #expect(recorder.take() == ["will", "section insertion", "row insertion", "did", "with 2"])
        }
        context.delete(item)
        #expect(!context.hasChanges)
        try context.save()
        #expect(recorder.take() == ["will", "section deletion", "row deletion", "did", "with 2"])
        #expect(controller.fetchedObjects?.elementsEqual(items) == true)
    }

    @Test func `a save that fails reports nothing`() throws {
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        makers[0].name = "Bob"
        items[0].note = 1
        #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(recorder.calls.isEmpty)
    }

    @Test func `undoing is reported`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let controller = try controller()
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        items[0].rank = 5
        try context.processPendingChanges()
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
        try context.undo()
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
        #expect(controller.fetchedObjects?.map(\.rank) == [1, 2, 3])
    }

    @Test func `a change of a related object is reported if the request reads it`() throws {
        let byMaker = FetchRequest<Item>(sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)])
        let reading = try controller(byMaker, by: nil)
        let sectioned = try controller(byMaker, by: SectionKey("maker", namedBy: "maker.name"))
        let other = try controller()
        let recorders = [Recorder(), Recorder(), Recorder()]
        for (controller, recorder) in zip([reading, sectioned, other], recorders) {
            controller.delegate = recorder
            try controller.performFetch()
        }
        makers[0].name = "Ad"
        try context.save()
        #expect(recorders[0].take() == ["will", "row update", "row update", "did", "with 2"])
        #expect(
            recorders[1].take() == ["will", "section update", "row update", "row update", "did", "with 3"])
        makers[0].name = "Cyd"
        try context.save()
        // The two rows that changed move, not the one that they pass.
        #expect(recorders[0].take() == ["will", "row move", "row move", "did", "with 2"])
        #expect(recorders[1].take().first { $0.hasPrefix("section") } == "section move")
        #expect(sectioned.sections?.map(\.name) == ["Bob", "Cyd"])
        #expect(recorders[2].calls.isEmpty)
    }

    @Test func `a unique value that two objects share before the save is reported as shown`() throws {
        let controller = try controller(
            FetchRequest(sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)]), by: "maker.name")
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["Ada", "Bob"])
        for name in ["Ad", "Ada", "Adam"] {
            makers[1].name = name
            try context.processPendingChanges()
            #expect(controller.sections?.map(\.name) == Set(["Ada", name]).sorted())
            let calls = recorder.take()
            #expect(calls.contains("row move") && !calls.contains { $0.hasPrefix("reload") }, "\(calls)")
        }
        try context.save()
        #expect(recorder.calls.isEmpty)
    }

    @Test func `an order that stops grouping sections is an error, and the last results stay`() throws {
        let byRank = FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)])
        let controller = try controller(byRank)
        let recorder = Recorder()
        controller.delegate = recorder
        try controller.performFetch()
        items[0].rank = 4
        items[0].note = 1
        try context.save()
        #expect(recorder.take() == ["error ungroupedSections"])
        #expect(controller.trackingError?.code == .ungroupedSections)
        #expect(controller.sections?.map(\.name) == ["a", "b"])
        // Once the order groups again, all changes since then are reported as one.
        items[1].rank = 5
        try context.save()
        #expect(
            recorder.take() == ["will", "section move", "row update", "row update", "did", "with 3"])
        #expect(controller.trackingError == nil)
        #expect(controller.fetchedObjects?.map(\.rank) == [3, 4, 5])
    }

    @Test func `each sequence delivers the same changes and ends with the controller`() async throws {
        var controller: FetchedResultsController<Item>? = try self.controller()
        var first = try #require(controller?.changes).makeAsyncIterator()
        var second = try #require(controller?.changes).makeAsyncIterator()
        try controller?.performFetch()
        #expect(controller?.mode == .tracked)
        items[0].note = 1
        try context.save()
        context.delete(items[2])
        try context.save()
        controller = nil
        let update = await first.next()
        #expect(update?.rowEvents.map(\.kind) == [.update])
        #expect(update?.rowEvents.first?.objectID == items[0].objectID)
        #expect(await second.next() == update)
        #expect(await first.next()?.sectionEvents.map(\.kind) == [.deletion])
        #expect(await first.next() == nil)
    }

    @Test func `once the last listener stops, the results stay`() async throws {
        let controller = try controller()
        let task = Task { [changes = controller.changes] in for await _ in changes {} }
        try controller.performFetch()
        task.cancel()
        await task.value
        #expect(controller.mode == .frozen)
        context.delete(items[2])
        try context.save()
        #expect(controller.sections?.count == 2)
    }
}
