import SectionedFetch
import Testing

/// One object that follows controllers of items and of makers.
private final class Sidebar: SharedResultsDelegate {
    private(set) var calls: [String] = []
    var will: (() -> Void)?
    let tracksChanges: Bool

    init(tracksChanges: Bool = true) { self.tracksChanges = tracksChanges }

    func take() -> [String] {
        defer { calls = [] }
        return calls
    }

    private func note<Object>(_ controller: FetchedResultsController<Object>, _ call: String) {
        calls.append("\(Object.self) \(call)")
    }

    func controller<Object>(
        _ controller: FetchedResultsController<Object>, sectionIndexTitleForSectionName name: String
    ) -> String? { "\(Object.self)".prefix(1) + name }

    func controllerWillChangeContent<Object>(_ controller: FetchedResultsController<Object>) {
        note(controller, "will \(controller.fetchedObjects?.count ?? -1)")
        will?()
    }

    func controller<Object>(
        _ controller: FetchedResultsController<Object>, didChangeSection event: ResultsChange.SectionEvent
    ) { note(controller, "section \(event.kind)") }

    func controller<Object>(
        _ controller: FetchedResultsController<Object>, didChangeObject event: ResultsChange.RowEvent
    ) {
        let object = event.newIndexPath.map { controller.object(at: $0) }
        note(controller, "row \(event.kind) \(object.map { "\(type(of: $0))" } ?? "")")
    }

    func controllerDidChangeContent<Object>(_ controller: FetchedResultsController<Object>) {
        note(controller, "did \(controller.fetchedObjects?.count ?? -1)")
    }

    func controller<Object>(
        _ controller: FetchedResultsController<Object>, didChangeContentWith change: ResultsChange
    ) { note(controller, "with \(change.events.count)") }

    func controller<Object>(
        _ controller: FetchedResultsController<Object>, didChangeContentWith snapshot: ResultsSnapshot<Object>
    ) { note(controller, "snapshot \(snapshot.numberOfRows)") }

    func controller<Object>(
        _ controller: FetchedResultsController<Object>, didFailToFollowChanges error: ObjectStorageError
    ) { note(controller, "error \(error.code.rawValue)") }
}

@Suite struct SharedResultsDelegateTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: FetchedResultsController<Item>
    let makers: FetchedResultsController<Maker>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.controller(.byRank, by: nil, in: context)
        makers = try FetchedResultsController(
            fetchRequest: FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]), context: context)
        _ = try workshop.fill(context)
    }

    @Test func `one object receives all calls of controllers of two classes, in their order`() throws {
        let sidebar = Sidebar()
        items.sharedDelegate = sidebar
        makers.sharedDelegate = sidebar
        try items.performFetch()
        try makers.performFetch()
        #expect(items.mode == .tracked && makers.mode == .tracked)
        Item(context: context).rank = 9
        try context.save()
        #expect(
            sidebar.take() == [
                "Item will 3", "Item row insertion Item", "Item did 4", "Item with 1", "Item snapshot 4",
            ])
        let maker = Maker(context: context)
        maker.name = "Cid"
        try context.save()
        #expect(
            sidebar.take() == [
                "Maker will 2", "Maker row insertion Maker", "Maker did 3", "Maker with 1",
                "Maker snapshot 3",
            ])
        context.delete(maker)
        try context.save()
        #expect(sidebar.take().contains("Maker row deletion "))
    }

    @Test func `the controller's own delegate receives each call first`() throws {
        let recorder = Recorder()
        let sidebar = Sidebar()
        var order: [Int] = []
        sidebar.will = { order.append(recorder.calls.count) }
        items.delegate = recorder
        items.sharedDelegate = sidebar
        try items.performFetch()
        Item(context: context).rank = 9
        try context.save()
        #expect(order == [1])
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(sidebar.take().count == 5)
        items.delegate = nil
        Item(context: context).rank = 10
        try context.save()
        #expect(recorder.take().isEmpty && sidebar.take().count == 5)
    }

    @Test func `a shared delegate is held weakly, and its release is an error`() throws {
        var sidebar: Sidebar? = Sidebar()
        weak let gone = sidebar
        items.sharedDelegate = sidebar
        try items.performFetch()
        sidebar = nil
        #expect(gone == nil && items.mode == .frozen)
        #expect(items.trackingError?.code == .delegateReleased)
        let next = Sidebar()
        items.sharedDelegate = next
        #expect(items.mode == .tracked && items.trackingError == nil)
    }

    @Test func `a shared delegate that is assigned after the fetch receives the changes since`() throws {
        try items.performFetch()
        Item(context: context).rank = 9
        try context.save()
        let sidebar = Sidebar()
        items.sharedDelegate = sidebar
        Item(context: context).rank = 10
        try context.save()
        #expect(sidebar.take().count { $0 == "Item row insertion Item" } == 2)
    }

    @Test func `a shared delegate supplies index titles, even without following changes`() throws {
        let sidebar = Sidebar(tracksChanges: false)
        let byName = try FetchedResultsController(
            fetchRequest: FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]), context: context,
            sectionNameKeyPath: "name")
        byName.sharedDelegate = sidebar
        try byName.performFetch()
        #expect(byName.mode == .frozen)
        #expect(byName.sectionIndexTitles == ["MAda", "MBob"])
        #expect(byName.sectionIndexTitle(forSectionName: "Ada") == "MAda")
    }

    @Test func `a shared delegate receives errors`() throws {
        let sidebar = Sidebar()
        let grouped = try workshop.controller(
            FetchRequest(sortDescriptors: [.ascending(\.rank)]), by: "group", in: context)
        grouped.sharedDelegate = sidebar
        try grouped.performFetch()
        let item = Item(context: context)
        (item.group, item.rank) = ("a", 9)
        try context.save()
        #expect(sidebar.take() == ["Item error ungroupedSections"])
    }
}
