import Foundation
import SectionedFetch
import Testing

/// Changes that are told later, or not at all.
@Suite struct `Pausing and silence` {
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

    @Test func `what happens while the changes are paused is one change when they are resumed`() throws {
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

    @Test func `the changes go on when they are resumed as often as they were paused`() throws {
        controller.pauseChanges()
        controller.pauseChanges()
        items[0].note = 1
        try context.save()
        controller.resumeChanges()
        #expect(controller.isPaused && recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `what is taken back during a pause is not reported`() throws {
        controller.pauseChanges()
        items[0].group = "b"
        try context.processPendingChanges()
        context.rollback()
        controller.resumeChanges()
        #expect(recorder.calls.isEmpty)
    }

    @Test func `a fetch during a pause is told of at its end`() throws {
        controller.pauseChanges()
        items[0].note = 1
        try context.save()
        try controller.performFetch(reportsChange: true)
        #expect(recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `a fetch during a pause leaves the results as they were reported, and takes no report away`()
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
        // Nobody is to be told any more: a fetch is a fetch.
        controller.pauseChanges()
        controller.delegate = nil
        items[0].group = "a"
        try context.save()
        try controller.performFetch()
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
        controller.resumeChanges()
    }

    @Test func `what is done without reporting is in the results, and the next change is relative to it`()
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

    @Test func `what is still to be told is told before something is done without reporting`() throws {
        items[1].note = 1
        controller.pauseChanges()
        try context.save()
        controller.withoutReporting {}
        // Nobody can be told during a pause.
        #expect(recorder.calls.isEmpty)
        controller.resumeChanges()
        #expect(recorder.take() == ["will", "row update", "did", "with 1"])
    }

    @Test func `what others committed, and what was not processed, is told before the silence`() throws {
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
    func `what others commit during a silence is a reload`(isMerged: Bool) throws {
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

    @Test func `what failed in silence is a reload once it succeeds`() throws {
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

    @Test func `what is done without reporting inside a report is not reported afterwards`() throws {
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
    func `inside a report, what is told afterwards is not kept back by a silence`(comesFirst: Bool) throws {
        let listener = Listener<Item>()
        controller.delegate = listener
        listener.will = { [items, context] controller in
            listener.will = nil
            #expect(throws: Never.self) {
                let tell = {
                    items[2].note = 5
                    try context.save()
                }
                if comesFirst { try tell() }
                try controller.withoutReporting {
                    items[0].note = 5
                    try context.save()
                }
                if !comesFirst { try tell() }
            }
        }
        items[1].note = 1
        try context.save()
        #expect(listener.changes.count == 2)
        #expect(listener.changes.last?.rowEvents.map(\.objectID).contains(items[2].objectID) == true)
    }
}
