import CheckSupport
import SectionedFetch
import Testing

/// The sequence of a controller's snapshots, which has only the newest.
@Suite(.timeLimit(.minutes(30))) struct ResultsSnapshotsTests {
    let workshop: Workshop
    let context: ManagedObjectContext
    let controller: FetchedResultsController<Item>

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
        controller = try workshop.controller(in: context)
    }

    private func keys(_ snapshot: ResultsSnapshot<Item>?) -> [Int64?]? {
        snapshot?.flatMap { $0.map(\.primaryKey) }
    }

    @Test func `the first snapshot has the present results`() async throws {
        try workshop.insert([1, 2], in: context)
        try controller.performFetch()
        var snapshots = controller.snapshots.makeAsyncIterator()
        #expect(controller.mode == .tracked)
        let first = await snapshots.next()
        #expect(keys(first) == [1, 2])
        #expect(first?.isReload == false && first?.reloadedObjectIDs.isEmpty == true)
    }

    @Test func `a sequence that is made before the fetch begins with the fetched results`() async throws {
        try workshop.insert([1, 2], in: context)
        var snapshots = controller.snapshots.makeAsyncIterator()
        try controller.performFetch()
        let first = await snapshots.next()
        #expect(keys(first) == [1, 2] && first?.isReload == false)
    }

    @Test func `only the newest snapshot waits, and it includes the marks of the dropped ones`() async throws
    {
        let items = try workshop.insert([1, 2, 3, 4], in: context)
        try controller.performFetch()
        var snapshots = controller.snapshots.makeAsyncIterator()
        _ = await snapshots.next()
        items[0].note = 1
        try context.save()
        items[1].rank = 9
        try context.save()
        items[2].note = 1
        try context.save()
        let lost = items[2].objectID
        context.delete(items[2])
        try context.save()
        let new = try workshop.insert([5], in: context)[0]
        new.note = 2
        try context.save()
        let next = await snapshots.next()
        #expect(keys(next) == [1, 4, 5, 2])
        // The deleted object has no row, and the new one is shown anew in any case.
        #expect(next?.reloadedObjectIDs == [items[0].objectID, items[1].objectID])
        #expect(next?.reloadedObjectIDs.contains(lost) == false && next?.isReload == false)
        items[3].note = 1
        try context.save()
        #expect(await snapshots.next()?.reloadedObjectIDs == [items[3].objectID])
    }

    @Test func `a fetch without a reported change gives a snapshot that reloads everything`() async throws {
        let items = try workshop.insert([1, 2], in: context)
        try controller.performFetch()
        var snapshots = controller.snapshots.makeAsyncIterator()
        _ = await snapshots.next()
        items[0].note = 1
        try context.save()
        try controller.performFetch()
        let next = await snapshots.next()
        #expect(next?.isReload == true && next?.reloadedObjectIDs.isEmpty == true && keys(next) == [1, 2])
        items[1].note = 1
        try context.save()
        let last = await snapshots.next()
        #expect(last?.isReload == false && last?.reloadedObjectIDs == [items[1].objectID])
    }

    @Test func `a change that the app already shows gives a snapshot`() async throws {
        let items = try workshop.insert([1, 2], in: context)
        try controller.performFetch()
        var snapshots = controller.snapshots.makeAsyncIterator()
        _ = await snapshots.next()
        try controller.withoutReporting {
            items[0].rank = 3
            try context.save()
        }
        #expect(keys(await snapshots.next()) == [2, 1])
    }

    @Test func `leaving the loop unregisters the listener`() async throws {
        try workshop.insert([1], in: context)
        try controller.performFetch()
        let snapshots = controller.snapshots
        for await _ in snapshots { break }
        #expect(controller.mode == .frozen)
        for await _ in controller.snapshots.prefix(1) {}
        #expect(controller.mode == .frozen)
    }

    /// A consumer that takes snapshots at random times, and updates only the marked rows, shows the values
    /// that a fetch at each time would give.
    @Test(arguments: 0..<20) func `marks are sufficient for a consumer of any speed`(number: Int) async throws
    {
        let seed = SeededGenerator.newSeed()
        var generator = SeededGenerator(seed: seed)
        var items = try workshop.insert(0..<20, in: context)
        try controller.performFetch()
        var snapshots = controller.snapshots.makeAsyncIterator()
        var shown: [ObjectID: Int64] = [:]
        var names: [[UInt8]: String] = [:]
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0:
                    items += try workshop.insert([Int32.random(in: 0..<99, using: &generator)], in: context)
                case 1 where items.count > 3:
                    context.delete(items.remove(at: Int.random(in: 0..<items.count, using: &generator)))
                case 2:
                    items.randomElement(using: &generator)?.rank = Int32.random(in: 0..<99, using: &generator)
                case 3:
                    items.randomElement(using: &generator)?.group = ["a", "b", nil].randomElement(
                        using: &generator)!
                default: items.randomElement(using: &generator)?.note += 1
                }
                try context.save()
                if Int.random(in: 0..<20, using: &generator) == 0 { try controller.performFetch() }
            }
            guard Bool.random(using: &generator) else { continue }
            // A note that reaches the list ensures that a snapshot waits.
            items[0].note += 1
            try context.save()
            let snapshot = try #require(await snapshots.next())
            var next: [ObjectID: Int64] = [:]
            for section in snapshot {
                if snapshot.isReload || snapshot.reloadedSectionIdentities.contains(section.id)
                    || names[section.id] == nil
                {
                    names[section.id] = section.name
                }
                #expect(names[section.id] == section.name, "seed \(seed)")
                for objectID in section {
                    let isShownAnew = snapshot.isReload || snapshot.reloadedObjectIDs.contains(objectID)
                    let note = (try context.object(with: objectID) as? Item)?.note
                    next[objectID] = isShownAnew ? note : shown[objectID] ?? note
                    #expect(next[objectID] == note, "seed \(seed)")
                }
            }
            #expect(next.count == items.count, "seed \(seed)")
            #expect(snapshot.reloadedObjectIDs.isSubset(of: Set(next.keys)), "seed \(seed)")
            shown = next
        }
    }
}
