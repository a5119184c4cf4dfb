import CheckSupport
import Foundation
import SectionedFetch
import Testing

private final class Badge: ManagedObject {
    @Attribute(.unique) var code: String = ""
    @Relationship(inverse: \Holder.badges) var holder: Holder?
}

private final class Holder: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var badges: Set<Badge>
}

/// Keeps the number of reports.
private final class ReportCounter: FetchedResultsControllerDelegate {
    private(set) var count = 0

    func controller(
        _ controller: FetchedResultsController<Badge>, didChangeContentWith change: ResultsChange
    ) {
        count += 1
    }
}

/// Lists whose rows are upserted by batches, merged with new objects, or have identities before their save.
@Suite struct MergedInsertionReportingTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let controller: FetchedResultsController<Maker>
    private let keeper = MakerKeeper()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]), context: context)
        controller.delegate = keeper
    }

    /// Keeps reports, and replays them on an array of identities.
    private final class MakerKeeper: FetchedResultsControllerDelegate {
        private(set) var rows: [ObjectID] = []
        private var changes: [[String]] = []

        func begin(_ controller: FetchedResultsController<Maker>) throws {
            try controller.performFetch()
            rows = controller.snapshot.map { $0.flatMap { Array($0) } } ?? []
        }

        func take() -> [[String]] {
            defer { changes = [] }
            return changes
        }

        func controller(
            _ controller: FetchedResultsController<Maker>, didChangeContentWith change: ResultsChange
        ) {
            changes.append(
                change.isReload
                    ? ["reload"] : change.rowEvents.map { "\($0.kind) \($0.objectID.primaryKey ?? 0)" })
            if let difference = change.difference {
                rows = rows.applying(difference) ?? []
            } else {
                rows = controller.snapshot.map { $0.flatMap { Array($0) } } ?? []
            }
        }
    }

    private func maker(_ name: String, note: Int64 = 0) -> Maker {
        let maker = Maker(context: context)
        (maker.name, maker.note) = (name, note)
        return maker
    }

    @Test func `a list follows the rows that a batch inserts and updates`() throws {
        let ada = maker("Ada")
        try context.save()
        try keeper.begin(controller)
        let result = try context.batchInsert(
            Maker.self, updatingOn: \.name,
            rows: [["name": "Ada", "note": 5], ["name": "Bob"], ["name": "Ada", "note": 6]],
            resultType: .objectIDs)
        #expect(keeper.take() == [["insertion 2", "update 1"]])
        #expect(ada.note == 6 && controller.fetchedObjects?.map(\.name) == ["Ada", "Bob"])
        #expect(result.insertedCount == 1 && result.updatedCount == 1)
        _ = try context.batchInsert(Maker.self, updatingOn: \.name, rows: [["name": "Bob"]])
        #expect(keeper.take().isEmpty)
    }

    @Test func `a cached list is correct after a batch and after a save that merges an insertion`() throws {
        for (name, note) in [("Ada", 1), ("Bob", 2), ("Cid", 3)] as [(String, Int64)] {
            _ = maker(name, note: note)
        }
        try context.save()
        func fetched() throws -> FetchedResultsController<Maker> {
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Maker>(sortDescriptors: [.ascending(\.note)]), context: context,
                sectionNameKeyPath: "note", cacheName: "makers", cacheStore: workshop.caches)
            try controller.performFetch()
            workshop.caches.waitForWrites()
            return controller
        }
        _ = try fetched()
        #expect(try fetched().cacheLookup?.isHit == true)
        _ = try context.batchInsert(
            Maker.self, updatingOn: \.name, rows: [["name": "Ada", "note": 9], ["name": "Dot", "note": 0]])
        let controller = try fetched()
        #expect(controller.sections?.map(\.name) == ["0", "2", "3", "9"])
        #expect(controller.fetchedObjects?.map(\.name) == ["Dot", "Bob", "Cid", "Ada"])
        context.mergePolicy = .contextWins
        _ = maker("Bob", note: 10)
        try context.save()
        #expect(try fetched().fetchedObjects?.map(\.name) == ["Dot", "Cid", "Ada", "Bob"])
    }

    @Test(arguments: [false, true]) func `a merged insertion is an update of the row`(
        isProcessed: Bool
    ) throws {
        try workshop.runElsewhere("INSERT INTO Maker(name, note) VALUES ('Ada', 1), ('Bob', 1)")
        try keeper.begin(controller)
        context.mergePolicy = .contextWins
        let new = maker("Ada", note: 2)
        if isProcessed {
            try context.processPendingChanges()
            #expect(keeper.take() == [["insertion 0"]] && controller.fetchedObjects?.count == 3)
        }
        try context.save()
        #expect(keeper.take() == [isProcessed ? ["deletion 1", "update 1"] : ["update 1"]])
        #expect(controller.fetchedObjects?.map(\.note) == [2, 1])
        #expect(keeper.rows.map(\.primaryKey) == controller.snapshot?[0].map(\.primaryKey))
        #expect(new.isDeleted || controller.fetchedObjects?.first === new)
    }

    @Test func `an obtained identity stays in snapshots and reports`() throws {
        try keeper.begin(controller)
        let new = maker("Ada")
        try context.obtainPermanentIDs(for: [new])
        try context.processPendingChanges()
        let before = try #require(controller.snapshot)
        #expect(keeper.take() == [["insertion 1"]] && Array(before[0]) == [new.objectID])
        try context.save()
        // The rows are those that were reported already.
        #expect(keeper.take().isEmpty)
        #expect(controller.snapshot?[0].map { $0 } == Array(before[0]))
        #expect(before.indexPath(for: new.objectID) == [0, 0])
        try before.objects(in: workshop.container.newContext()).forEach { #expect($0.name == "Ada") }
        new.note = 3
        try context.save()
        #expect(keeper.take() == [["update 1"]])
    }

    /// Reports replay to the results, whichever objects a save merges.
    @Test(arguments: 0..<30) func `random saves with merges are reported`(number: Int) throws {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        try keeper.begin(controller)
        let policies: [MergePolicy] = [
            .contextWins, .storeWins, .propertyByProperty(.context), .propertyByProperty(.store),
        ]
        var kept: [Maker] = []
        for _ in 0..<25 {
            context.mergePolicy = policies.randomElement(using: &generator)!
            let name = { (generator: inout SeededGenerator) in "\(Int.random(in: 0..<6, using: &generator))" }
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                try workshop.runElsewhere(
                    "INSERT OR REPLACE INTO Maker(name, note) VALUES ('\(name(&generator))', 7)")
                try context.mergeOthersChanges()
            case 1:
                _ = try context.batchInsert(
                    Maker.self, updatingOn: \.name,
                    rows: (0..<3).map { ["name": .text(name(&generator)), "note": .integer(Int64($0))] })
            case 2:
                kept = try context.fetch(FetchRequest<Maker>())
                if let maker = kept.randomElement(using: &generator) { context.delete(maker) }
                try context.save()
            default:
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let new = maker(name(&generator), note: Int64.random(in: 0..<3, using: &generator))
                    if Bool.random(using: &generator) { try context.obtainPermanentIDs(for: [new]) }
                    if Bool.random(using: &generator) { try context.processPendingChanges() }
                }
                try context.save()
            }
            let expected = try workshop.container.newContext().fetch(
                FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]))
            #expect(controller.trackingError == nil, "seed \(seed)")
            #expect(keeper.rows.map(\.primaryKey) == expected.map(\.objectID.primaryKey), "seed \(seed)")
            #expect(controller.fetchedObjects?.map(\.name) == expected.map(\.name), "seed \(seed)")
            #expect(controller.fetchedObjects?.map(\.note) == expected.map(\.note), "seed \(seed)")
        }
    }

    /// Returns a new object that a save has merged with a row of another program.
    private func mergedMaker() throws -> Maker {
        try keeper.begin(controller)
        try workshop.runElsewhere("INSERT INTO Maker(name, note) VALUES ('Ada', 1)")
        context.mergePolicy = .contextWins
        let merged = maker("Ada", note: 2)
        try context.save()
        #expect(merged.objectID.primaryKey == 1 && !merged.isDeleted && merged.isMergedWithRow)
        #expect(controller.fetchedObjects.map(Array.init) == [merged])
        _ = keeper.take()
        return merged
    }

    @Test func `a later change of a merged object is reported once`() throws {
        let merged = try mergedMaker()
        merged.note = 9
        try context.processPendingChanges()
        #expect(keeper.take() == [["update 1"]])
        try context.save()
        #expect(keeper.take().isEmpty)
        context.delete(merged)
        try context.processPendingChanges()
        #expect(keeper.take() == [["deletion 1"]])
        context.rollback()
        #expect(keeper.take() == [["insertion 1"]])
        #expect(keeper.rows.map(\.primaryKey) == [1] && controller.fetchedObjects.map(Array.init) == [merged])
    }

    /// The row that the report read had the provisional key of the new object, and the saved row has another,
    /// so the rows differ although the objects show equal values.
    @Test func `a later relationship of a merged object to a new object is reported once`() throws {
        let store = try TemporaryStore(ManagedObjectModel(types: Badge.self, Holder.self))
        let context = store.container.newContext()
        let counter = ReportCounter()
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Badge>(sortDescriptors: [.ascending(\.code)]), context: context)
        controller.delegate = counter
        try controller.performFetch()
        try store.runElsewhere("INSERT INTO Badge(code) VALUES ('a')")
        context.mergePolicy = .contextWins
        let merged = Badge(context: context)
        merged.code = "a"
        try context.save()
        #expect(merged.isMergedWithRow && !merged.isDeleted && counter.count == 1)
        merged.holder = Holder(context: context)
        try context.processPendingChanges()
        #expect(counter.count == 2)
        try context.save()
        #expect(counter.count == 2 && controller.fetchedObjects.map(Array.init) == [merged])
    }

    @Test func `a merged object that is new again after an undo stays in the list when it is saved`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let merged = try mergedMaker()
        context.delete(merged)
        try context.save()
        #expect(keeper.take() == [["deletion 1"]])
        try context.undo()
        #expect(keeper.take() == [["insertion 0"]] && merged.isInserted)
        try context.save()
        let events = keeper.take().joined()
        #expect(!events.contains { $0.hasPrefix("deletion") || $0.hasPrefix("insertion") || $0 == "reload" })
        #expect(keeper.rows.map(\.primaryKey) == [2] && controller.fetchedObjects.map(Array.init) == [merged])
    }
}
