import Foundation
import SectionedFetch
import Testing

/// Changes that are reported later or not at all.
@Suite struct PausingTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let controller: FetchedResultsController<Item>
    let recorder = Recorder()

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.fill(context).items
        controller = try workshop.controller(in: context)
        controller.delegate = recorder
        try controller.performFetch()
    }

    @Test func `changes during a pause are reported as one change when it ends`() throws {
        controller.pauseChanges()
        #expect(controller.isPaused)
        items[0].note = 1
        try context.save()
        items[1].rank = 0
        try context.save()
        context.delete(items[2])
        try context.save()
        #expect(recorder.calls.isEmpty)
        #expect(controller.sections?.map(\.name) == ["a", "b"])
        controller.resumeChanges()
        #expect(!controller.isPaused)
        #expect(
            recorder.take() == [
                "will", "section deletion", "row deletion", "row move", "row update", "did", "with 4",
            ])
        #expect(controller.fetchedObjects?.map(\.rank) == [0, 1])
    }

    @Test func `changes continue after as many calls of resumeChanges() as of pauseChanges()`() throws {
        controller.pauseChanges()
        controller.pauseChanges()
        items[0].note = 1
        try context.save()
        controller.resumeChanges()
        #expect(controller.isPaused && recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `changes that are rolled back during a pause are not reported`() throws {
        controller.pauseChanges()
        items[0].group = "b"
        try context.processPendingChanges()
        context.rollback()
        controller.resumeChanges()
        #expect(recorder.calls.isEmpty)
    }

    @Test func `changes that a fetch finds during a pause are reported at its end`() throws {
        controller.pauseChanges()
        items[0].note = 1
        try context.save()
        try controller.performFetch(reportsChange: true)
        #expect(recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `a fetch during a pause leaves the results as reported, and suppresses no report`()
        throws
    {
        controller.pauseChanges()
        items[0].group = "b"
        try context.save()
        try controller.performFetch()
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        var request = controller.fetchRequest
        request.predicate = \.group != "c"
        try controller.replaceRequest(with: request, sectionNameKeyPath: "group", reportsChange: false)
        #expect(recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
        #expect(recorder.take() == ["will", "row move", "did", "with 1"])
        // Without a delegate, a fetch during a pause updates the results.
        controller.pauseChanges()
        controller.delegate = nil
        items[0].group = "a"
        try context.save()
        try controller.performFetch()
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        controller.resumeChanges()
    }

    @Test func `changes in withoutReporting are in the results, and the next report is relative to them`()
        throws
    {
        controller.withoutReporting {
            items[0].group = "b"
            #expect(throws: Never.self) { try context.save() }
        }
        #expect(recorder.calls.isEmpty)
        #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
        items[0].note = 1
        try context.save()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `withoutReporting during a pause keeps the outstanding report`() throws {
        items[1].note = 1
        controller.pauseChanges()
        try context.save()
        controller.withoutReporting {}
        // Nothing is reported during a pause.
        #expect(recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `other commits and unprocessed changes are reported before withoutReporting runs`() throws {
        let other = workshop.container.newContext()
        try workshop.insert([7], in: other)
        items[1].note = 1
        try controller.withoutReporting {
            #expect(recorder.take().contains("row insertion"))
            items[0].group = "b"
            try context.save()
        }
        #expect(recorder.calls.isEmpty)
        try context.mergePendingChanges()
        #expect(recorder.calls.isEmpty)
        #expect(controller.fetchedObjects?.count == 4)
        items[1].note = 2
        try context.save()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test(arguments: [false, true])
    func `another program's commit in withoutReporting is a reload`(isMerged: Bool) throws {
        try controller.withoutReporting {
            items[0].note = 1
            try context.save()
            #expect(recorder.calls.isEmpty)
            try workshop.runElsewhere("INSERT INTO Item(rank, \"group\") VALUES (7, 'c')")
            if isMerged { try context.mergeChangesFromStore() }
            items[0].note = 2
            try context.save()
        }
        #expect(recorder.take().last?.hasPrefix("reload ") == true)
        #expect(controller.fetchedObjects?.count == 4)
        try context.mergeChangesFromStore()
        #expect(recorder.take() == [])
    }

    @Test func `changes that failed in withoutReporting are a reload once they succeed`() throws {
        controller.delegate = nil
        let controller = try workshop.controller(.byRank, in: context)
        controller.delegate = recorder
        try controller.performFetch()
        try controller.withoutReporting {
            items[0].rank = 9
            try context.save()
        }
        #expect(recorder.take() == ["error ungroupedSections"])
        items[0].rank = 0
        try context.save()
        #expect(recorder.take().last?.hasPrefix("reload ") == true)
    }

    @Test func `changes in withoutReporting during a report are not reported afterwards`() throws {
        let listener = Listener<Item>()
        controller.delegate = listener
        listener.will = { [items, context] controller in
            listener.will = nil
            controller.withoutReporting {
                items[0].note = 5
                #expect(throws: Never.self) { try context.save() }
            }
        }
        items[1].note = 1
        try context.save()
        #expect(listener.changes.map { $0.rowEvents.map(\.objectID) } == [[items[1].objectID]])
        items[0].note = 6
        try context.save()
        #expect(listener.changes.map { $0.rowEvents.map(\.indexPath) } == [[[0, 1]], [[0, 0]]])
    }

    @Test(arguments: [false, true])
    func `withoutReporting during a report does not suppress the delegate's other changes`(comesFirst: Bool)
        throws
    {
        let listener = Listener<Item>()
        controller.delegate = listener
        listener.will = { [items, context] controller in
            listener.will = nil
            #expect(throws: Never.self) {
                let changeReported = {
                    items[2].note = 5
                    try context.save()
                }
                if comesFirst { try changeReported() }
                try controller.withoutReporting {
                    items[0].note = 5
                    try context.save()
                }
                if !comesFirst { try changeReported() }
            }
        }
        items[1].note = 1
        try context.save()
        #expect(listener.changes.count == 2)
        #expect(listener.changes.last?.rowEvents.map(\.objectID).contains(items[2].objectID) == true)
    }
}
