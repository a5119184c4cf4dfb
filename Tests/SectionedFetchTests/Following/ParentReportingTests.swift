import Foundation
import SectionedFetch
import Testing

/// Reports of the controllers of a parent context about saves of its children.
@Suite struct ParentReportingTests {
    let workshop: Workshop
    let parent: ManagedObjectContext
    let child: ManagedObjectContext
    let items: [Item]
    let controller: FetchedResultsController<Item>
    let recorder = Recorder()

    init() throws {
        workshop = try Workshop()
        parent = workshop.container.newContext()
        items = try workshop.fill(parent).items
        child = parent.newChildContext()
        controller = try workshop.controller(in: parent)
        controller.delegate = recorder
        try controller.performFetch()
    }

    @Test func `the parent's controller reports a child's save, and not the parent's save again`() throws {
        let new = Item(context: child)
        (new.group, new.rank) = ("c", 4)
        let same = try #require(try child.object(with: items[0].objectID) as? Item)
        same.note = 7
        child.delete(try child.object(with: items[2].objectID))
        try child.processPendingChanges()
        #expect(recorder.calls.isEmpty)
        try child.save()
        #expect(
            recorder.take() == [
                "will", "section deletion", "row deletion", "section insertion", "row insertion",
                "row update", "did", "with 5",
            ])
        #expect(controller.sections?.map(\.name) == ["a", "c"])
        #expect(controller.object(at: [1, 0]).objectID == new.objectID)
        try parent.save()
        #expect(recorder.calls.isEmpty)
    }

    @Test func `a rollback of the parent reverts the changes that the child saved`() throws {
        Item(context: child).group = "c"
        try child.save()
        #expect(recorder.take() == ["will", "section insertion", "row insertion", "did", "with 2"])
        parent.rollback()
        #expect(recorder.take() == ["will", "section deletion", "row deletion", "did", "with 2"])
    }

    @Test func `another program's changes are stamped for a child whose parent has unsaved changes`() throws {
        let own = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.rank)]), context: child)
        let keeper = ChangeKeeper()
        own.delegate = keeper
        try own.performFetch()
        items[0].note = 7
        try parent.processPendingChanges()
        // Together the insertions exceed the capacity of the log between two version stamps.
        for _ in 0..<2 {
            try workshop.insertElsewhere(3_000)
            try child.mergeChangesFromStore()
            #expect(keeper.takeCounts().last??[.insertion] == 3_000)
        }
    }

    @Test func `the save of a grandchild is reported by the child's controller`() throws {
        let grandchild = child.newChildContext()
        let own = try workshop.controller(in: child)
        let childRecorder = Recorder()
        own.delegate = childRecorder
        try own.performFetch()
        Item(context: grandchild).group = "a"
        try grandchild.save()
        #expect(childRecorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(recorder.calls.isEmpty)
        try child.save()
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
    }
}
