import Foundation
import SectionedFetch
import Testing

/// Changes that cannot be computed when they are merged.
@Suite struct FollowingFailureTests {
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

    /// Inserts a row of the first group at the end in another context and merges it, so that the order no
    /// longer groups sections.
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

    @Test func `an error stays until the changes can be computed, even if others are merged`() throws {
        _ = try misplaceRow()
        try mergeUnrelated()
        #expect(controller.trackingError?.code == .ungroupedSections)
        // The controller tried again and failed again.
        #expect(recorder.take() == ["error ungroupedSections"])
        #expect(controller.fetchedObjects?.count == 3)
    }

    @Test func `any event of the context makes the controller try again`() throws {
        let item = try misplaceRow()
        item.rank = 0
        try other.save()
        // The context is notified of another change only.
        try mergeUnrelated()
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(controller.trackingError == nil)
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 1, 2, 3])
    }

    @Test func `a fetch reports the missed changes`() throws {
        let item = try misplaceRow()
        #expect(throws: ObjectStorageError.self) { try controller.performFetch(reportsChange: true) }
        #expect(controller.trackingError?.code == .ungroupedSections)
        item.rank = 0
        try other.save()
        try controller.performFetch(reportsChange: true)
        #expect(recorder.take() == ["will", "row insertion", "did", "with 1"])
        #expect(controller.trackingError == nil)
    }

    /// Performs an action on each failure, as an application that retries at once would.
    private final class RetryingDelegate: FetchedResultsControllerDelegate {
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

    enum Retry: CaseIterable { case fetch, reportingFetch, save }

    @Test(arguments: Retry.allCases)
    func `a delegate that refetches or saves on failure is notified only once`(retry: Retry) throws {
        let delegate = RetryingDelegate { controller in
            switch retry {
            case .fetch: try controller.performFetch()
            case .reportingFetch: try controller.performFetch(reportsChange: true)
            case .save:
                let context = controller.managedObjectContext
                Maker(context: context).name = "told \(UUID())"
                try context.save()
            }
        }
        controller.delegate = delegate
        let item = Item(context: other)
        (item.group, item.rank) = ("a", 9)
        try context.mergeChanges(from: other.save())
        #expect(delegate.errors == [.ungroupedSections])
        #expect(controller.fetchedObjects?.count == 3)
        // The next event computes the changes that can be followed again.
        item.rank = 0
        try context.mergeChanges(from: other.save())
        #expect(controller.trackingError == nil && controller.fetchedObjects?.count == 4)
    }
}
