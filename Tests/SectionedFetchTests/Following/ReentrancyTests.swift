import Foundation
import SectionedFetch
import Testing

/// Actions of a delegate during the report of a change.
@Suite struct ReentrancyTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let item: Item
    let controller: FetchedResultsController<Item>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        item = Item(context: context)
        item.group = "a"
        try context.save()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Item>(sortDescriptors: [.ascending(\.group), .ascending(\.rank)]),
            context: context, sectionNameKeyPath: "group")
    }

    enum Moment: CaseIterable { case will, event, did, whole }

    /// A delegate that performs an action at the first occurrence of a moment.
    private final class Actor: FetchedResultsControllerDelegate {
        typealias Object = Item
        let moment: Moment
        var action: (() -> Void)?
        private(set) var calls: [String] = []
        private(set) var counts: [Int] = []

        init(at moment: Moment, _ action: @escaping () -> Void) {
            self.moment = moment
            self.action = action
        }

        private func reach(_ moment: Moment, _ controller: FetchedResultsController<Item>) {
            calls.append("\(moment)")
            counts.append(controller.fetchedObjects?.count ?? -1)
            guard moment == self.moment, let action else { return }
            self.action = nil
            action()
        }

        func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {
            reach(.will, controller)
        }
        func controller(
            _ controller: FetchedResultsController<Item>, didChangeObject event: ResultsChange.RowEvent
        ) { reach(.event, controller) }
        func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
            reach(.did, controller)
        }
        func controller(
            _ controller: FetchedResultsController<Item>, didChangeContentWith change: ResultsChange
        ) { reach(.whole, controller) }
    }

    private func insert() throws {
        Item(context: context).group = "a"
        try context.save()
    }

    private static let two = ["will", "event", "did", "whole", "will", "event", "did", "whole"]

    @Test(arguments: Moment.allCases)
    func `a save during a report is reported after it, once`(moment: Moment) throws {
        let actor = Actor(at: moment) { #expect(throws: Never.self) { try insert() } }
        controller.delegate = actor
        try controller.performFetch()
        try insert()
        #expect(actor.calls == Self.two)
        #expect(actor.counts == [1, 2, 2, 2, 2, 3, 3, 3])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test(arguments: Moment.allCases)
    func `an insertion that is rolled back during its report is reported as deleted after it`(moment: Moment)
        throws
    {
        let actor = Actor(at: moment) { [context] in context.rollback() }
        controller.delegate = actor
        try controller.performFetch()
        Item(context: context).group = "a"
        try context.processPendingChanges()
        #expect(actor.calls == Self.two)
        #expect(controller.fetchedObjects.map(Array.init) == [item])
    }

    @Test(arguments: Moment.allCases)
    func `a fetch during a report starts no nested report`(moment: Moment) throws {
        let other = workshop.container.newContext()
        let actor = Actor(at: moment) { [controller] in
            #expect(throws: Never.self) {
                Item(context: other).group = "a"
                try other.save()
                try controller.performFetch()
            }
        }
        controller.delegate = actor
        try controller.performFetch()
        try insert()
        #expect(actor.calls == Self.two)
        #expect(actor.counts == [1, 2, 2, 2, 2, 3, 3, 3])
    }

    @Test(arguments: Moment.allCases)
    func `the controller can be released during a report`(moment: Moment) throws {
        final class Owner { var controller: FetchedResultsController<Item>? }
        let owner = Owner()
        let own = try FetchedResultsController(
            fetchRequest: controller.fetchRequest, context: context, sectionNameKeyPath: "group")
        owner.controller = own
        let actor = Actor(at: moment) { owner.controller = nil }
        weak let released = own
        owner.controller?.delegate = actor
        try owner.controller?.performFetch()
        _ = consume own
        try insert()
        #expect(actor.calls == ["will", "event", "did", "whole"])
        #expect(released == nil)
        try insert()
        #expect(actor.calls.count == 4)
    }

    @Test(arguments: Moment.allCases)
    func `a delegate that is removed during a report receives the rest of it`(moment: Moment) throws {
        let actor = Actor(at: moment) { [controller] in controller.delegate = nil }
        controller.delegate = actor
        try controller.performFetch()
        try insert()
        try insert()
        #expect(actor.calls == ["will", "event", "did", "whole"])
        #expect(controller.fetchedObjects?.count == 2)
    }
}
