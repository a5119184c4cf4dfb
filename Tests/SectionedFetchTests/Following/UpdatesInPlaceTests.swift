import Foundation
import SectionedFetch
import Testing

/// Saves that change no value that the list reads are reported without reading its rows; others read them.
@Suite struct UpdatesInPlaceTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let controller: FetchedResultsController<Item>
    let keeper = ChangeKeeper()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
        controller = try workshop.controller(cacheName: "items", in: context)
        controller.delegate = keeper
        try controller.performFetch()
    }

    /// Checks that the list and its cache entry equal a new fetch.
    private func expectCurrent() throws {
        #expect(workshop.caches.waitForWrites())
        let other = workshop.container.newContext()
        let fresh = try workshop.controller(in: other)
        try fresh.performFetch()
        let cached = try workshop.controller(cacheName: "items", in: other)
        try cached.performFetch()
        #expect(cached.cacheLookup?.isHit == true)
        for list in [fresh, cached] {
            #expect(list.fetchedObjects?.map(\.objectID) == controller.fetchedObjects?.map(\.objectID))
            #expect(list.sections?.map(\.name) == controller.sections?.map(\.name))
        }
    }

    @Test func `an update of a value that the list does not read is reported with its index path`() throws {
        var paths: [IndexPath?] = []
        for round in 1...3 {
            items[1].note = Int64(round)
            items[2].note = Int64(round)
            try context.save()
            #expect(keeper.take() == [["update 2", "update 3"]])
            paths = items.map { controller.indexPath(for: $0) }
        }
        #expect(paths == [[0, 0], [0, 1], [1, 0]])
        try expectCurrent()
        // A row that was updated in place can move later.
        items[1].rank = 0
        try context.save()
        #expect(keeper.take() == [["move 2"]])
        try expectCurrent()
    }

    @Test func `changes that another program's trigger adds to an update are followed`() throws {
        try workshop.runElsewhere(
            """
            CREATE TRIGGER noted AFTER UPDATE OF note ON item
            BEGIN UPDATE Item SET rank = -NEW.note WHERE objectID = NEW.objectID; END
            """)
        // The rows that changed around a schema change are unknown.
        items[2].rank = 4
        try context.save()
        #expect(keeper.take() == [["reload"]])
        items[1].note = 5
        try context.save()
        #expect(keeper.take() == [["move 2"]])
        #expect(controller.indexPath(for: items[1]) == [0, 0])
        try expectCurrent()
    }

    @Test func `another program's commit before a save is reported with the save`() throws {
        try workshop.runElsewhere("UPDATE Item SET rank = 0 WHERE objectID = 2")
        items[2].note = 5
        try context.save()
        #expect(keeper.take() == [["move 2", "update 3"]])
        try expectCurrent()
    }

    @Test func `one save that moves a row during a pause makes the report a move`() throws {
        controller.pauseChanges()
        items[0].note = 1
        try context.save()
        items[1].note = 1
        try context.save()
        controller.resumeChanges()
        #expect(keeper.take() == [["update 1", "update 2"]])
        controller.pauseChanges()
        items[0].note = 2
        try context.save()
        items[0].rank = 9
        try context.save()
        controller.resumeChanges()
        #expect(keeper.take() == [["move 1"]])
        try expectCurrent()
    }

    @Test func `batch updates and other contexts' saves are reported the same way`() throws {
        for resultType in [BatchResultType.count, .objectIDs] {
            try context.batchUpdate(
                FetchRequest<Item>(predicate: \.rank > 1),
                set: [.set(\.note, to: resultType == .count ? 1 : 2)],
                resultType: resultType)
            #expect(keeper.take() == [["update 2", "update 3"]])
        }
        let other = workshop.container.newContext()
        let same = try #require(try other.object(with: items[0].objectID) as? Item)
        same.note = 3
        let changes = try other.save()
        try context.mergeChanges(from: changes)
        try context.mergeChanges(from: changes)
        #expect(keeper.take().first == ["update 1"] && items[0].note == 3)
        try context.mergePendingChanges()
        _ = keeper.take()
        for item in items {
            let same = try #require(try other.existingObject(with: item.objectID) as? Item)
            same.note += 1
            try other.save()
        }
        try context.mergePendingChanges()
        #expect(keeper.take() == [["update 1", "update 2", "update 3"]])
        same.rank = 5
        try other.save()
        try context.mergePendingChanges()
        #expect(keeper.take() == [["move 1"]])
        try expectCurrent()
        try context.batchUpdate(FetchRequest<Item>(predicate: \.rank == 5), set: [.set(\.rank, to: 1)])
        #expect(keeper.take() == [["move 1"]])
        try expectCurrent()
    }

    @Test func `saves that a reverted request does not read are followed by the previous request`() throws {
        controller.pauseChanges()
        // The order does not group by note, so the request cannot be shown.
        try controller.replaceRequest(
            with: FetchRequest(sortDescriptors: [.ascending(\.rank)]), sectionNameKeyPath: "note")
        for (note, item) in zip([1, 2, 1] as [Int64], items) { item.note = note }
        try context.save()
        for item in items { item.group = item.group == "a" ? "c" : "a" }
        try context.save()
        controller.resumeChanges()
        _ = keeper.take()
        let fresh = try workshop.controller(in: workshop.container.newContext())
        try fresh.performFetch()
        #expect(controller.fetchedObjects?.map(\.rank) == [3, 1, 2])
        #expect(controller.sections?.map(\.name) == ["a", "c"])
    }

    @Test func `changes of objects of another entity that the list reads are followed`() throws {
        let list = try workshop.controller(
            FetchRequest(sortDescriptors: [.ascending("maker.name"), .ascending(\.note)]), by: "maker.name",
            in: context)
        let listener = ChangeKeeper()
        list.delegate = listener
        try list.performFetch()
        items[0].rank = 7
        try context.save()
        #expect(listener.take() == [["update 1"]])
        items[0].maker?.name = "Zoe"
        try context.save()
        #expect(list.sections?.map(\.name) == ["Bob", "Zoe"])
        items[0].maker = items[2].maker
        try context.save()
        #expect(list.sections?.map(\.numberOfObjects) == [2, 1])
    }

    @Test func `changes of related objects of the same entity that the list reads are followed`() throws {
        final class Person: ManagedObject {
            @Attribute var name: String = ""
            @Relationship(inverse: \Person.reports) var boss: Person?
            @Relationship var reports: Set<Person>
        }
        let store = try TemporaryStore(ManagedObjectModel(types: Person.self))
        let context = store.container.newContext()
        let people = ["a", "b", "c", "d"].map { name in
            let person = Person(context: context)
            person.name = name
            return person
        }
        (people[2].boss, people[3].boss) = (people[0], people[1])
        try context.save()
        let list = try FetchedResultsController(
            fetchRequest: FetchRequest<Person>(
                predicate: !.isNil(\.boss), sortDescriptors: [.ascending("boss.name")]),
            context: context, sectionNameKeyPath: "boss.name")
        let changes = list.changes
        try list.performFetch()
        #expect(list.fetchedObjects.map(Array.init) == [people[2], people[3]])
        people[0].name = "z"
        try context.save()
        #expect(list.fetchedObjects.map(Array.init) == [people[3], people[2]])
        #expect(list.sections?.map(\.name) == ["b", "z"])
        withExtendedLifetime(changes) {}
    }
}
