import Foundation
import SectionedFetch
import Testing

/// What becomes of changes that could not be found out when they happened.
@Suite struct `Changes that cannot be followed` {
    let workshop: Workshop
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    let controller: FetchedResultsController<Item>
    let recorder = Recorder()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        other = workshop.container.newContext()
        _ = try workshop.fill(context)
        controller = try workshop.controller(.byRank, in: context)
        controller.delegate = recorder
        try controller.performFetch()
    }

    /// Another context inserts a row of the first group at the end, so that the order does not group any
    /// more.
    private func misplaceRow() throws -> Item {
        let item = Item(context: other)
        (item.group, item.rank) = ("a", 9)
        try context.mergeChanges(from: other.save())
        #expect(recorder.take() == ["error ungroupedSections"])
        return item
    }

    private func mergeUnrelated() throws {
        Maker(context: other).name = "unrelated \(UUID())"
        try context.mergeChanges(from: other.save())
    }

    @Test func `an error stays until the changes were found out, whatever else is merged`() throws {
        _ = try misplaceRow()
        try mergeUnrelated()
        #expect(controller.trackingError?.code == .ungroupedSections)
        // It was tried again, and failed again.
        #expect(recorder.take() == ["error ungroupedSections"])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test func `any event of the context makes the controller try again`() throws {
        let item = try misplaceRow()
        item.rank = 0
        try other.save()
        // The context hears of something else only.
        try mergeUnrelated()
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(controller.trackingError == nil)
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 1, 2, 3])
    }

    @Test func `a fetch makes up for what was missed`() throws {
        let item = try misplaceRow()
        #expect(throws: ObjectStorageError.self) { try controller.performFetch(reportsChange: true) }
        #expect(controller.trackingError?.code == .ungroupedSections)
        item.rank = 0
        try other.save()
        try controller.performFetch(reportsChange: true)
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(controller.trackingError == nil)
    }

    /// Does something whenever it is told of a failure, as a program would that hopes for the best.
    private final class Optimist: FetchedResultsControllerDelegate {
        typealias Object = Item
        private(set) var errors: [ObjectStorageError.Code] = []
        let action: (FetchedResultsController<Item>) throws -> Void

        init(_ action: @escaping (FetchedResultsController<Item>) throws -> Void) { self.action = action }

        func controller(
            _ controller: FetchedResultsController<Item>, didFailToFollowChanges error: ObjectStorageError
        ) {
            errors.append(error.code)
            guard errors.count < 10 else { return }
            #expect(throws: Never.self) { try action(controller) }
        }
    }

    enum Hope: CaseIterable { case fetch, reportingFetch, save }

    @Test(arguments: Hope.allCases)
    func `who fetches or saves when told is told once`(hope: Hope) throws {
        let optimist = Optimist { controller in
            switch hope {
            case .fetch: try controller.performFetch()
            case .reportingFetch: try controller.performFetch(reportsChange: true)
            case .save:
                let context = controller.managedObjectContext
                Maker(context: context).name = "told \(UUID())"
                try context.save()
            }
        }
        controller.delegate = optimist
        let item = Item(context: other)
        (item.group, item.rank) = ("a", 9)
        try context.mergeChanges(from: other.save())
        #expect(optimist.errors == [.ungroupedSections])
        #expect(controller.fetchedObjects?.count == 3)
        // What went well again is found with the next event.
        item.rank = 0
        try context.mergeChanges(from: other.save())
        #expect(controller.trackingError == nil && controller.fetchedObjects?.count == 4)
    }
}
