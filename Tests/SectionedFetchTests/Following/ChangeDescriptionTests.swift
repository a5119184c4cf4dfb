import Foundation
import SectionedFetch
import Testing

/// The texts of events and changes, as `print` shows them.
@Suite struct ChangeDescriptionTests {
    private let workshop: Workshop
    private let context: ManagedObjectContext
    private let listener = Listener<Item>()
    private let controller: FetchedResultsController<Item>
    private let items: [Item]

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
        controller = try workshop.controller(in: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    /// Saves, and returns the descriptions of the events in their order.
    private func save() throws -> [String] {
        try context.save()
        let change = try #require(listener.changes.last)
        #expect(change.description == change.events.map { "\($0)" }.joined(separator: "\n"))
        return change.events.map { "\($0)" }
    }

    @Test func `each kind of event names its subject and its positions`() throws {
        items[0].rank = 5
        #expect(try save() == ["move of Item/1 from [0, 0] to [0, 1] (rank)"])
        items[0].note = 1
        #expect(try save() == ["update of Item/1 at [0, 1] (note)"])
        items[0].group = "c"
        #expect(
            try save() == [
                "insertion of section “c” at 2", "move of Item/1 from [0, 1] to [2, 0] (group)",
            ])
        context.delete(items[1])
        #expect(try save() == ["deletion of section “a” at 0", "deletion of Item/2 at [0, 0]"])
        let item = Item(context: context)
        item.group = "b"
        item.rank = 9
        #expect(try save() == ["insertion of Item/4 at [0, 1]"])
    }

    @Test func `a change set names inserted, updated and deleted objects`() throws {
        items[1].note = 1
        items[0].note = 1
        context.delete(items[2])
        Item(context: context).rank = 7
        #expect(
            "\(try context.save())" == "inserted Item/4; updated Item/1, Item/2; deleted Item/3")
        #expect("\(StoreChanges())" == "no changes")
        #expect("\(StoreChanges(changedEntityNames: ["B", "A"]))" == "any of A, B")
    }
}
