import Foundation
import SectionedFetch
import Testing

/// What a delegate may do while it is told of a change.
@Suite struct `Changes inside of changes` {
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

    /// Does something at the first occurrence of a moment.
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
    func `a save inside comes afterwards, once`(moment: Moment) throws {
        let actor = Actor(at: moment) { #expect(throws: Never.self) { try insert() } }
        controller.delegate = actor
        try controller.performFetch()
        try insert()
        #expect(actor.calls == Self.two)
        #expect(actor.counts == [1, 2, 2, 2, 2, 3, 3, 3])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test(arguments: Moment.allCases)
    func `an insertion that is taken back inside is told of as gone afterwards`(moment: Moment) throws {
        let actor = Actor(at: moment) { [context] in context.rollback() }
        controller.delegate = actor
        try controller.performFetch()
        Item(context: context).group = "a"
        try context.processPendingChanges()
        #expect(actor.calls == Self.two)
        #expect(controller.fetchedObjects.map(Array.init) == [item])
    }

    @Test(arguments: Moment.allCases)
    func `a fetch inside starts no change inside`(moment: Moment) throws {
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
    func `the controller may be released inside`(moment: Moment) throws {
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
    func `a delegate that leaves hears of the change to its end`(moment: Moment) throws {
        let actor = Actor(at: moment) { [controller] in controller.delegate = nil }
        controller.delegate = actor
        try controller.performFetch()
        try insert()
        try insert()
        #expect(actor.calls == ["will", "event", "did", "whole"])
        #expect(controller.fetchedObjects?.count == 2)
    }
}
