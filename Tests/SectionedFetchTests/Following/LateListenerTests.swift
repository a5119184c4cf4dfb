import Foundation
import SectionedFetch
import Testing

private final class Remark: ManagedObject {
    override class var existingTable: ExistingTable? { ExistingTable(name: "notes", primaryKey: "id") }
    @Attribute var text: String = ""
}

/// Delegates and listeners that are added after the fetch, and delegates that are released.
struct LateListenerTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.insert([1, 2, 3], in: context)
    }

    /// Returns a controller of all items after its fetch.
    private func fetched(cacheName: CacheName? = nil) throws -> FetchedResultsController<Item> {
        let controller = try workshop.controller(.byRank, by: nil, cacheName: cacheName, in: context)
        try controller.performFetch()
        #expect(controller.mode == .frozen)
        return controller
    }

    @Test func `a delegate that is assigned after the fetch receives each change`() throws {
        let controller = try fetched()
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        #expect(controller.mode == .tracked)
        #expect(controller.trackingError == nil)
        #expect(keeper.take().isEmpty)
        items[0].rank = 9
        try context.save()
        #expect(keeper.take() == [["move 1"]])
        context.delete(items[1])
        try context.save()
        #expect(keeper.take() == [["deletion 2"]])
        #expect(controller.fetchedObjects?.map(\.rank) == [3, 9])
    }

    /// The writer of a change between the fetch and the assignment of the delegate.
    enum Writer: CaseIterable { case ownContext, otherContext, otherProgram, unsaved }

    @Test(arguments: Writer.allCases, [nil, "items"] as [CacheName?])
    func `the first report contains the changes since the results shown`(
        writer: Writer, cacheName: CacheName?
    ) throws {
        if cacheName != nil {
            _ = try fetched(cacheName: cacheName)
            workshop.caches.waitForWrites()
        }
        let controller = try fetched(cacheName: cacheName)
        switch writer {
        case .ownContext:
            items[0].rank = 9
            try context.save()
        case .otherContext:
            let other = workshop.container.newContext()
            let item = try #require(try other.object(with: items[0].objectID) as? Item)
            item.rank = 9
            try other.save()
        case .otherProgram: try workshop.runElsewhere("UPDATE Item SET rank = 9 WHERE rank = 1")
        case .unsaved: items[0].rank = 9
        }
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        #expect(controller.mode == (cacheName == nil ? .tracked : .trackedAndPersisted))
        // The delegate begins with the results shown.
        #expect(controller.snapshot?[0].map(\.primaryKey) == [1, 2, 3])
        #expect(keeper.take().isEmpty)
        if writer == .unsaved {
            try context.processPendingChanges()
        } else {
            items[2].note = 1
            try context.save()
        }
        let update = writer == .unsaved ? [] : ["update 3"]
        #expect(keeper.take() == [["move 1"] + update])
        #expect(controller.snapshot?[0].map(\.primaryKey) == [2, 3, 1])
        items[1].rank = 0
        try context.save()
        #expect(keeper.take() == [["update 2"]])
    }

    @Test func `a sequence that is made after the fetch delivers each change`() async throws {
        let controller = try fetched()
        items[0].rank = 9
        try context.save()
        var changes = controller.changes.makeAsyncIterator()
        #expect(controller.mode == .tracked)
        items[1].rank = 10
        try context.save()
        let first = await changes.next()
        #expect(first?.rowEvents.map(\.kind) == [.move, .move])
        #expect(controller.fetchedObjects?.map(\.rank) == [3, 9, 10])
        context.delete(items[2])
        try context.save()
        #expect(await changes.next()?.rowEvents.map(\.kind) == [.deletion])
    }

    @Test func `a delegate that replaces another continues from the last report`() throws {
        let controller = try fetched()
        let first = ChangeKeeper()
        let second = ChangeKeeper()
        controller.delegate = first
        items[0].rank = 9
        try context.save()
        #expect(first.take() == [["move 1"]])
        controller.delegate = nil
        #expect(controller.mode == .frozen)
        #expect(controller.trackingError == nil)
        items[1].rank = 10
        try context.save()
        controller.delegate = second
        items[2].rank = 0
        try context.save()
        #expect(first.take().isEmpty)
        #expect(second.take() == [["move 2", "update 3"]] || second.take() == [["update 3", "move 2"]])
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 9, 10])
    }

    @Test func `a delegate that only supplies titles does not track changes`() throws {
        final class Titles: FetchedResultsControllerDelegate {
            typealias Object = Item
            var tracksChanges: Bool { false }
        }
        let controller = try fetched()
        let titles = Titles()
        controller.delegate = titles
        items[0].rank = 9
        try context.save()
        #expect(controller.mode == .frozen)
        #expect(controller.snapshot?[0].map(\.primaryKey) == [1, 2, 3])
    }

    @Test func `no change is reported before the first fetch`() throws {
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        #expect(controller.mode == .frozen)
        items[0].rank = 9
        try context.save()
        #expect(keeper.take().isEmpty)
        #expect(controller.fetchedObjects == nil)
        try controller.performFetch()
        #expect(controller.mode == .tracked)
    }

    @Test(arguments: [false, true])
    func `releasing the delegate keeps the last results and sets the tracking error`(
        hasChanged: Bool
    ) throws {
        let controller = try fetched()
        var keeper: ChangeKeeper? = ChangeKeeper()
        controller.delegate = keeper
        items[0].rank = 9
        try context.save()
        #expect(keeper?.take() == [["move 1"]])
        keeper = nil
        if hasChanged {
            items[1].rank = 10
            try context.save()
        }
        #expect(controller.mode == .frozen)
        #expect(controller.trackingError?.code == .delegateReleased)
        #expect(controller.trackingError?.entityName == "Item")
        #expect(controller.snapshot?[0].map(\.primaryKey) == [2, 3, 1])
        let next = ChangeKeeper()
        controller.delegate = next
        #expect(controller.mode == .tracked)
        #expect(controller.trackingError == nil)
        items[2].note = 1
        try context.save()
        #expect(next.take().first.map(Set.init) == (hasChanged ? ["move 2", "update 3"] : ["update 3"]))
    }

    @Test func `a sequence continues after the delegate is released`() async throws {
        let controller = try fetched()
        var changes = controller.changes.makeAsyncIterator()
        var keeper: ChangeKeeper? = ChangeKeeper()
        controller.delegate = keeper
        items[0].rank = 9
        try context.save()
        #expect(keeper?.take() == [["move 1"]])
        keeper = nil
        #expect(controller.mode == .tracked)
        #expect(controller.trackingError == nil)
        items[1].note = 5
        try context.save()
        #expect(await changes.next()?.rowEvents.map(\.kind) == [.move])
        #expect(await changes.next()?.rowEvents.map(\.kind) == [.update])
    }

    @Test func `after a reset of the context a delegate follows from the next fetch on`() throws {
        let controller = try fetched()
        context.reset()
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        #expect(controller.mode == .frozen)
        try workshop.insert([4], in: context)
        #expect(keeper.take().isEmpty)
        try controller.performFetch()
        #expect(controller.mode == .tracked)
        try workshop.insert([5], in: context)
        #expect(keeper.take() == [["insertion 5"]])
    }

    @Test func `in a store without a log the first report to a late delegate is a reload`() throws {
        let url = workshop.url.appending(path: "notes.sqlite")
        try ForeignProgram.run(
            ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"], store: url)
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Remark.self),
            options: StoreOptions(existingTables: .untracked))
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Remark>(sortDescriptors: [.ascending(\.text)]), context: context)
        try controller.performFetch()
        func insert(_ text: String) throws {
            Remark(context: context).text = text
            try context.save()
        }
        try insert("a")
        try ForeignProgram.run(["INSERT INTO notes (text) VALUES ('b')"], store: url)
        let listener = Listener<Remark>()
        controller.delegate = listener
        #expect(controller.mode == .tracked)
        #expect(controller.fetchedObjects?.count == 0)
        try insert("c")
        #expect(listener.changes.map(\.isReload) == [true])
        #expect(controller.fetchedObjects?.map(\.text) == ["a", "b", "c"])
        try insert("d")
        #expect(listener.changes.map(\.isReload) == [true, false])
    }

    @Test func `a controller that is released in a delegate call finishes its report and sends no other`()
        throws
    {
        /// Releases the controller in the first call, and makes another change.
        final class Releaser: FetchedResultsControllerDelegate {
            typealias Object = Item
            var controller: FetchedResultsController<Item>?
            var change: (() -> Void)?
            private(set) var calls: [String] = []

            func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {
                calls.append("will")
                self.controller = nil
                change?()
                change = nil
            }

            func controller(
                _ controller: FetchedResultsController<Item>, didChangeObject event: ResultsChange.RowEvent
            ) { calls.append("\(event.kind)") }

            func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
                calls.append("did")
            }
        }
        let releaser = Releaser()
        releaser.controller = try fetched()
        releaser.controller?.delegate = releaser
        weak let gone = releaser.controller
        releaser.change = { [items, context] in
            items[2].note = 2
            context.delete(items[1])
            do { try context.save() } catch { Issue.record(error) }
        }
        items[0].rank = 9
        try context.save()
        #expect(gone == nil)
        // The change that was made in the call is reported as well, because the report had not ended.
        #expect(releaser.calls == ["will", "move", "did", "will", "deletion", "update", "did"])
        items[2].note = 3
        try context.save()
        #expect(releaser.calls.count == 7)
    }
}
