import Foundation
import SectionedFetch
import Testing

/// Snapshots of the results of a controller.
@Suite struct SnapshotTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let controller: FetchedResultsController<Item>
    let listener = Listener<Item>()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
        controller = try workshop.controller(in: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    private var snapshot: ResultsSnapshot<Item> { get throws { try #require(controller.snapshot) } }

    @Test func `a snapshot has the sections and rows of the results, and stays when they change`() throws {
        let snapshot = try snapshot
        items[2].group = "a"
        items[0].rank = 9
        try context.save()
        #expect(controller.sections?.map(\.numberOfObjects) == [3])
        #expect(snapshot.map(\.name) == ["a", "b"])
        #expect(snapshot.map(\.indexTitle) == ["A", "B"])
        #expect(snapshot.map(\.rows) == [0..<2, 2..<3])
        #expect(snapshot.numberOfRows == 3)
        #expect(snapshot.flatMap { $0.map { $0 } } == items.map(\.objectID))
        #expect(snapshot.readError == nil)
    }

    @Test func `each object ID has an index path that leads back to it`() throws {
        let snapshot = try snapshot
        for item in items {
            let path = try #require(snapshot.indexPath(for: item.objectID))
            #expect(snapshot.objectID(at: path) == item.objectID)
            #expect(path == controller.indexPath(for: item))
        }
        #expect(snapshot.objectID(at: [1, 1]) == nil && snapshot.objectID(at: [2, 0]) == nil)
        #expect(snapshot.objectID(at: [-1, 0]) == nil && snapshot.objectID(at: [0]) == nil)
        #expect(snapshot.indexPath(for: ObjectID(entityName: "Item", primaryKey: 99)) == nil)
        #expect(snapshot.indexPath(for: ObjectID(entityName: "Maker", primaryKey: 1)) == nil)
    }

    @Test func `a snapshot's objects belong to the context that reads them`() throws {
        let snapshot = try snapshot
        #expect(try snapshot.objects(in: context).map { $0 } == items)
        let other = workshop.container.newContext()
        let objects = try snapshot.objects(in: other)
        #expect(objects.map(\.rank) == [1, 2, 3])
        #expect(objects.allSatisfy { $0.managedObjectContext === other })
        try context.batchDelete(FetchRequest<Item>(predicate: \.rank == 2))
        let later = try snapshot.objects(in: workshop.container.newContext())
        #expect(later.map { $0.readError == nil && $0.rank != 0 } == [true, false, true])
        #expect(later[1].readError?.code == .objectMissing)
    }

    @Test func `a snapshot keeps the temporary ID of an unsaved object, which only its context has`() throws {
        let item = Item(context: context)
        item.group = "c"
        try context.processPendingChanges()
        let snapshot = try snapshot
        let temporary = item.objectID
        #expect(snapshot[2][0] == temporary && temporary.isTemporary)
        #expect(snapshot.indexPath(for: temporary) == [2, 0])
        #expect(try snapshot.objects(in: context).last === item)
        let elsewhere = try #require(try snapshot.objects(in: workshop.container.newContext()).last)
        #expect(elsewhere.rank == 0 && elsewhere.readError?.code == .wrongContext)
        try context.save()
        #expect(snapshot[2][0] == temporary)
        #expect(controller.snapshot?[2][0] == item.objectID)
    }

    @Test func `reloaded object IDs are those of updated and moved rows`() throws {
        #expect(try snapshot.reloadedObjectIDs.isEmpty)
        items[0].note = 1
        items[1].group = "b"
        let new = Item(context: context)
        new.group = "b"
        try context.save()
        let delivered = try #require(listener.snapshots.last)
        #expect(delivered.reloadedObjectIDs == [items[0].objectID, items[1].objectID])
        #expect(delivered.reloadedSectionIdentities.isEmpty && !delivered.isReload)
        #expect(try snapshot.reloadedObjectIDs.isEmpty)
    }

    @Test func `reloaded section identities are those of renamed sections`() throws {
        let byMaker = try workshop.controller(
            FetchRequest<Item>(sortDescriptors: [.ascending("maker.name"), .ascending(\.rank)]),
            by: SectionKey("maker", namedBy: "maker.name"), in: context)
        byMaker.delegate = listener
        try byMaker.performFetch()
        let identity = try #require(byMaker.snapshot?[0].identity)
        items[0].maker?.name = "Abe"
        try context.save()
        let delivered = try #require(listener.snapshots.last)
        #expect(delivered.reloadedSectionIdentities == [identity])
        #expect(delivered[0].name == "Abe")
    }

    @Test func `a snapshot can be read on any thread`() async throws {
        let snapshot = try snapshot
        let rows = await Task.detached { snapshot.map { $0.map(\.primaryKey) } }.value
        #expect(rows == [[1, 2], [3]])
    }
}

/// The asynchronous sequence of changes.
@Suite struct ChangeSequenceTests {
    @Test func `a sequence buffers all changes in order until they are read`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        var controller: FetchedResultsController<Item>? = try workshop.controller(
            .byRank, by: nil, in: context)
        let changes = try #require(controller?.changes)
        try controller?.performFetch()
        for number in 1...300 { try workshop.insert([Int32(number)], in: context) }
        #expect(controller?.fetchedObjects?.count == 300)
        controller = nil
        var paths: [IndexPath?] = []
        for await change in changes { paths += change.rowEvents.map(\.newIndexPath) }
        #expect(paths == (0..<300).map { [0, $0] })
    }

    @Test func `an import is reported in as many changes as it has saves`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        let listener = Listener<Item>()
        controller.delegate = listener
        try controller.performFetch()
        for start in stride(from: Int32(0), to: 2_000, by: 500) {
            try workshop.insert(start..<start + 500, in: context)
        }
        #expect(listener.changes.map(\.rowEvents.count) == [500, 500, 500, 500])
        let importer = workshop.container.newContext()
        for start in stride(from: Int32(2_000), to: 4_000, by: 500) {
            try workshop.insert(start..<start + 500, in: importer)
        }
        // Saves of another context are merged as one change.
        try context.mergeChangesFromStore()
        #expect(listener.changes.dropFirst(4).map(\.rowEvents.count) == [2_000])
        #expect(controller.fetchedObjects?.count == 4_000)
    }
}
