import SectionedFetch
import Testing

/// The sequence of a controller's changes, and the end of its listeners.
@Suite(.timeLimit(.minutes(30))) struct ResultsChangesTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let items: [Item]
    let controller: FetchedResultsController<Item>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        items = try workshop.insert([1, 2, 3], in: context)
        controller = try workshop.controller(.byRank, by: nil, in: context)
    }

    private func change(_ note: Int64) throws {
        items[0].note = note
        try context.save()
    }

    @Test func `a loop over a prefix unregisters its listener`() async throws {
        try controller.performFetch()
        let first = controller.changes.prefix(1)
        #expect(controller.mode == .tracked)
        try change(1)
        var count = 0
        for await _ in first { count += 1 }
        // The sequence still exists; its iteration has ended.
        #expect(count == 1 && controller.mode == .frozen)
        withExtendedLifetime(first) {}
    }

    @Test func `leaving a loop unregisters its listener, even while the sequence exists`() async throws {
        let changes = controller.changes
        try controller.performFetch()
        #expect(controller.mode == .tracked)
        try change(1)
        try change(2)
        for await change in changes {
            #expect(change.rowEvents.map(\.kind) == [.update])
            break
        }
        #expect(controller.mode == .frozen)
        for await _ in changes { Issue.record("A second iteration has an element.") }
        // The next event of the context ends following.
        try change(3)
        #expect(controller.mode == .frozen && controller.trackingError == nil)
    }

    @Test func `a sequence that is released before its iteration unregisters its listener`() throws {
        try controller.performFetch()
        var changes: ResultsChanges? = controller.changes
        #expect(controller.mode == .tracked && changes != nil)
        changes = nil
        #expect(controller.mode == .frozen)
    }

    @Test func `a cancelled task unregisters its listener`() async throws {
        try controller.performFetch()
        let changes = controller.changes
        let task = Task { for await _ in changes {} }
        #expect(controller.mode == .tracked)
        task.cancel()
        await task.value
        #expect(controller.mode == .frozen)
    }

    @Test func `each sequence has every change, even after another one ended`() async throws {
        try controller.performFetch()
        let first = controller.changes
        var second = controller.changes.makeAsyncIterator()
        for note in 1...3 as ClosedRange<Int64> { try change(note) }
        for await _ in first { break }
        try change(4)
        for _ in 1...4 { #expect(await second.next()?.rowEvents.map(\.kind) == [.update]) }
        #expect(controller.mode == .tracked)
    }

    @Test func `the sequence ends with the controller`() async throws {
        var changes: ResultsChanges?
        do {
            let context = workshop.container.newContext()
            let controller = try workshop.controller(.byRank, by: nil, in: context)
            changes = controller.changes
            try controller.performFetch()
        }
        let ended = try #require(changes)
        for await _ in ended { Issue.record("A change was reported.") }
    }

    @Test @MainActor func `another task iterates a sequence of the main actor's controller`() async throws {
        let context = workshop.container.newContext()
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        try controller.performFetch()
        let changes = controller.changes
        let task = Task.detached { () -> [[ResultsChange.Kind]] in
            var kinds: [[ResultsChange.Kind]] = []
            for await change in changes.prefix(2) { kinds.append(change.rowEvents.map(\.kind)) }
            return kinds
        }
        Item(context: context).rank = 4
        try context.save()
        Item(context: context).rank = 5
        try context.save()
        #expect(await task.value == [[.insertion], [.insertion]])
        #expect(controller.mode == .frozen)
    }
}
