import Foundation
import SectionedFetch
import Testing

/// Lists that are followed while another program rewrites the store's file.
@Suite struct VacuumReportingTests {
    private let workshop: Workshop
    private let context: ManagedObjectContext
    private let keeper = ChangeKeeper()
    private let controller: FetchedResultsController<Item>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        _ = try workshop.fill(context)
        try workshop.insertElsewhere(50)
        // The first ANALYZE creates a table, which is another schema change.
        try workshop.runElsewhere("ANALYZE")
        controller = try workshop.controller(cacheName: "n", in: context)
        controller.delegate = keeper
        try controller.performFetch()
        workshop.caches.waitForWrites()
    }

    @Test(arguments: [
        "VACUUM", "DELETE FROM Item WHERE rank = 99999; VACUUM", "VACUUM; ANALYZE", "REINDEX; VACUUM",
        "PRAGMA auto_vacuum = FULL; VACUUM",
    ])
    func `a vacuum is not reported if no row changed`(sql: String) throws {
        for _ in 0..<3 {
            try workshop.runElsewhere(sql)
            try context.mergeChangesFromStore()
            #expect(keeper.take() == [])
        }
        #expect(try controller.verifyCache() != nil)
        try expectCurrent()
    }

    @Test func `rows that change before and after a vacuum are reported, and no others`() throws {
        try workshop.runElsewhere("UPDATE Item SET note = 7 WHERE objectID = 2; VACUUM")
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["update 2"]])
        try workshop.runElsewhere("VACUUM; UPDATE Item SET note = 8 WHERE objectID = 3")
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["update 3"]])
        try workshop.runElsewhere("VACUUM; DELETE FROM Item WHERE objectID = 1")
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["deletion 1"]])
        try expectCurrent()
    }

    @Test func `a save of the library after a vacuum reports its row`() throws {
        try workshop.runElsewhere("VACUUM")
        let item = try #require(controller.fetchedObjects?.first)
        item.note = 5
        try context.save()
        #expect(keeper.take() == [["update \(item.objectID.primaryKey ?? 0)"]])
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [])
        try expectCurrent()
    }

    @Test(arguments: [
        // A trigger is missing while rows change.
        "DROP TRIGGER sc_Item_update; UPDATE Item SET note = 1; VACUUM",
        // After two schema changes, the rows that changed in between are unknown.
        "VACUUM; CREATE TABLE passing (a); VACUUM",
    ])
    func `a change without triggers before a vacuum and two schema changes are a reload`(sql: String)
        throws
    {
        try workshop.runElsewhere(sql)
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["reload"]])
        try expectCurrent()
    }

    @Test func `an edited dump that is restored into the file is a reload`() throws {
        let folder = workshop.url
        let dump = try ForeignProgram.run([".dump"], store: folder.appending(path: "store.sqlite"))
        let edited = dump.replacing("(9,NULL,1005,0,NULL)", with: "(9,NULL,1005,77,NULL)")
        #expect(dump != edited)
        let file = folder.appending(path: "dump.sql")
        try edited.write(to: file, atomically: true, encoding: .utf8)
        let copy = folder.appending(path: "copy.sqlite")
        try ForeignProgram.run([".read '\(file.path)'"], store: copy)
        try workshop.runElsewhere(".restore '\(copy.path)'")
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["reload"]])
        try expectCurrent()
    }

    @Test(arguments: [
        StoreKind.single, .pool, .rollbackJournal, .applicationsQueue, .applicationsPool,
    ])
    func `a vacuum is not reported on any kind of store`(kind: StoreKind) throws {
        let store = try NumberedStore(kind)
        let context = store.container.newContext()
        let controller = try store.controller(in: context)
        let keeper = ChangeKeeper()
        controller.delegate = keeper
        try controller.performFetch()
        for _ in 0..<2 {
            #expect(try store.runAtOnce("VACUUM") == 0)
            try context.mergeChangesFromStore()
            #expect(keeper.take() == [])
        }
        #expect(try store.runAtOnce("UPDATE Item SET note = 3 WHERE objectID = 4; VACUUM") == 0)
        try context.mergeChangesFromStore()
        #expect(keeper.take() == [["update 4"]])
        #expect(try NumberedStore.rows(controller) == store.present())
    }

    @Test func `an entry from before a vacuum does not hit after it`() throws {
        try workshop.runElsewhere("VACUUM")
        let next = try workshop.controller(cacheName: "n", in: workshop.container.newContext())
        try next.performFetch()
        #expect(next.cacheLookup?.isHit == false)
    }

    /// Compares the list with a fetch of another container.
    private func expectCurrent() throws {
        let container = try PersistentContainer(
            url: workshop.url.appending(path: "store.sqlite"), model: workshop.container.model)
        let fresh = try workshop.controller(in: container.newContext())
        try fresh.performFetch()
        let rows = { (controller: FetchedResultsController<Item>) in
            controller.sections?.map { section in
                section.name + section.objects.map { " \($0.rank) \($0.note)" }.joined()
            }
        }
        #expect(rows(controller) == rows(fresh))
    }
}
