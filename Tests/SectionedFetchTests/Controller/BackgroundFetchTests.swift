import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Fetches whose results are computed on another thread.
@Suite(.timeLimit(.minutes(30))) @MainActor struct BackgroundFetchTests {
    private static let reversed = FetchRequest<Item>(sortDescriptors: [.descending(\.rank)])

    /// A listener that applies each change to a list of object IDs.
    @MainActor private final class Replay {
        let controller: FetchedResultsController<Item>
        let listener = Listener<Item>()
        private(set) var list: [ObjectID]
        private var applied = 0

        init(_ controller: FetchedResultsController<Item>) throws {
            self.controller = controller
            controller.delegate = listener
            try controller.performFetch()
            list = controller.fetchedObjects?.map(\.objectID) ?? []
        }

        /// Applies the changes since the last call, and compares the list with the snapshot of each.
        func apply() throws {
            while applied < listener.changes.count {
                let change = listener.changes[applied]
                let shown = listener.snapshots[applied].flatMap { Array($0) }
                applied += 1
                if let difference = change.difference {
                    list = try #require(list.applying(difference))
                    #expect(list == shown)
                } else {
                    #expect(change.isReload)
                    list = shown
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `the results of each kind of store are those of a plain fetch`(kind: StoreKind) async throws {
        let store = try NumberedStore(kind)
        for cacheName in [nil, "numbers"] as [CacheName?] {
            let controller = try store.controller(in: store.container.newContext(), cacheName: cacheName)
            for _ in 0..<3 {
                try await controller.performFetchInBackground()
                #expect(try NumberedStore.rows(controller) == store.present())
                try store.advance()
            }
        }
    }

    @Test func `the results are saved to the cache, which answers the next fetch`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        _ = try workshop.fill(context)
        let controller = try workshop.controller(cacheName: "items", in: context)
        try await controller.performFetchInBackground()
        #expect(controller.cacheLookup?.isHit == false)
        workshop.caches.waitForWrites()
        try await controller.performFetchInBackground()
        #expect(controller.cacheLookup?.isHit == true)
    }

    @Test func `unsaved changes are part of the results`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let items = try workshop.fill(context).items
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        items[0].rank = 9
        let new = Item(context: context)
        new.rank = 5
        try await controller.performFetchInBackground()
        #expect(controller.fetchedObjects?.map(\.rank) == [2, 3, 5, 9])
        try context.save()
        try await controller.performFetchInBackground()
        #expect(controller.fetchedObjects?.map(\.rank) == [2, 3, 5, 9])
    }

    @Test(arguments: 1...6)
    func `a save during a fetch is neither lost nor reported twice`(number: Int) async throws {
        let seed = SeededGenerator.newSeed("saves during fetches \(number)")
        var chance = SeededGenerator(seed: seed)
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        try workshop.insert((0..<400).map { Int32($0 * 7 % 1_000) }, in: context)
        let replay = try Replay(
            workshop.controller(
                .byRank, by: nil, cacheName: number.isMultiple(of: 2) ? "items" : nil, in: context))
        let controller = replay.controller
        for round in 0..<25 {
            let request = Bool.random(using: &chance) ? FetchRequest<Item>.byRank : Self.reversed
            let replaces = Bool.random(using: &chance)
            let fetch = Task {
                if replaces {
                    try await controller.replaceRequestInBackground(with: request, sectionNameKeyPath: nil)
                } else {
                    try await controller.performFetchInBackground(reportsChange: true)
                }
            }
            for _ in 0..<Int.random(in: 0...3, using: &chance) {
                await Task.yield()
                if Bool.random(using: &chance) {
                    try await Task.sleep(for: .microseconds(Int.random(in: 0...900, using: &chance)))
                }
                try change(context, &chance)
            }
            try await fetch.value
            if Bool.random(using: &chance) { try change(context, &chance) }
            try context.mergePendingChanges()
            try replay.apply()
            let expected = try context.fetch(controller.fetchRequest).map(\.objectID)
            let ranks = try context.fetch(controller.fetchRequest).map(\.rank)
            #expect(controller.fetchedObjects?.map(\.rank) == ranks, "seed \(seed), round \(round)")
            #expect(Set(replay.list) == Set(expected), "seed \(seed), round \(round)")
            #expect(
                replay.list == controller.fetchedObjects?.map(\.objectID), "seed \(seed), round \(round)")
        }
    }

    /// Saves a few changes, or makes them in another context.
    private func change(_ context: ManagedObjectContext, _ chance: inout SeededGenerator) throws {
        let other =
            Bool.random(using: &chance) ? context : context.container.newContext()
        for item in try other.fetch(FetchRequest<Item>()).shuffled(using: &chance).prefix(3) {
            if Int.random(in: 0..<4, using: &chance) == 0 {
                other.delete(item)
            } else {
                item.rank = Int32.random(in: 0..<1_000, using: &chance)
            }
        }
        let item = Item(context: other)
        item.rank = Int32.random(in: 0..<1_000, using: &chance)
        try other.save()
    }

    /// Commits of more than 500 rows are computed on another thread; commits of more rows than the log holds
    /// are reloads.
    @Test(arguments: 1...6)
    func `commits of any size are reported while others follow`(number: Int) async throws {
        let seed = SeededGenerator.newSeed("large commits \(number)")
        var chance = SeededGenerator(seed: seed)
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let writer = workshop.container.newContext()
        try workshop.insert((0..<1_000).map { Int32($0 * 7 % 10_000) }, in: context)
        let replay = try Replay(
            workshop.controller(
                .byRank, by: nil, cacheName: number.isMultiple(of: 2) ? "items" : nil, in: context))
        let controller = replay.controller
        for round in 0..<12 {
            for _ in 0..<Int.random(in: 1...4, using: &chance) {
                let isOwn = Int.random(in: 0..<4, using: &chance) == 0
                let size = [1, 30, 700, 1_500, 9_000].randomElement(using: &chance) ?? 1
                if isOwn {
                    try change(context, &chance)
                } else if Int.random(in: 0..<3, using: &chance) == 0 {
                    // A program without the library does not stamp its commits.
                    try workshop.runElsewhere(
                        "UPDATE Item SET rank = (rank * 31 + \(round)) % 10000 WHERE objectID % 7 < \(size % 7)"
                    )
                } else if Bool.random(using: &chance) {
                    try workshop.insert(
                        (0..<size).map { _ in Int32.random(in: 0..<10_000, using: &chance) }, in: writer)
                } else {
                    let items = try writer.fetch(FetchRequest<Item>()).shuffled(using: &chance)
                    for (number, item) in items.prefix(size).enumerated() {
                        if number.isMultiple(of: 3) {
                            writer.delete(item)
                        } else {
                            item.rank = Int32.random(in: 0..<10_000, using: &chance)
                        }
                    }
                    try writer.save()
                }
                if Bool.random(using: &chance) { try await Task.sleep(for: .milliseconds(3)) }
                try replay.apply()
            }
            let expected = try writer.fetch(FetchRequest<Item>.byRank).map(\.objectID)
            // Counted, because each pause takes long beside other tests, and the computations wait as well.
            var pauses = 0
            while Set(replay.list) != Set(expected) || !isSorted(controller), pauses < 10_000 {
                pauses += 1
                try await Task.sleep(for: .milliseconds(2))
                try replay.apply()
            }
            #expect(controller.fetchedObjects?.map(\.objectID) == replay.list, "seed \(seed), round \(round)")
            #expect(Set(replay.list) == Set(expected), "seed \(seed), round \(round)")
            #expect(isSorted(controller), "seed \(seed), round \(round)")
            #expect(controller.trackingError == nil)
        }
    }

    private func isSorted(_ controller: FetchedResultsController<Item>) -> Bool {
        let ranks = controller.fetchedObjects?.map(\.rank) ?? []
        return zip(ranks, ranks.dropFirst()).allSatisfy { $0 <= $1 }
    }

    @Test func `a cancelled fetch throws and leaves the results`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        try workshop.insert(0..<20_000, in: context)
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        try controller.performFetch()
        var numberOfCancelled = 0
        for attempt in 0..<40 {
            let fetch = Task {
                try await controller.replaceRequestInBackground(with: Self.reversed, sectionNameKeyPath: nil)
            }
            // The first task is cancelled before it begins, the others later and later.
            if attempt > 0 { try await Task.sleep(for: .microseconds(200 * (attempt - 1))) }
            fetch.cancel()
            do {
                try await fetch.value
                // The fetch ended before it was cancelled.
                #expect(attempt > 0 && controller.fetchRequest == Self.reversed)
                try controller.replaceRequest(with: .byRank, sectionNameKeyPath: nil)
            } catch {
                #expect(error is CancellationError)
                numberOfCancelled += 1
            }
            #expect(controller.fetchRequest == .byRank && controller.fetchedObjects?.first?.rank == 0)
        }
        #expect(numberOfCancelled > 0)
    }

    @Test func `the last of several replacements takes effect, even if a fetch runs as well`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        try workshop.insert(0..<2_000, in: context)
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        try controller.performFetch()
        let replacements = (1...5).map { number in
            let request = FetchRequest<Item>(
                predicate: \.rank < Int32(number * 100), sortDescriptors: [.ascending(\.rank)])
            return Task {
                try await controller.replaceRequestInBackground(with: request, sectionNameKeyPath: nil)
            }
        }
        await Task.yield()
        try controller.performFetch()
        try await controller.performFetchInBackground()
        for replacement in replacements { try await replacement.value }
        #expect(controller.fetchedObjects?.count == 500)
        // A replacement without waiting overtakes one that waits, and a fetch of the earlier request.
        let late = Task {
            try await controller.replaceRequestInBackground(with: .byRank, sectionNameKeyPath: nil)
        }
        let fetch = Task { try await controller.performFetchInBackground() }
        await Task.yield()
        try controller.replaceRequest(with: Self.reversed, sectionNameKeyPath: nil)
        try await late.value
        try await fetch.value
        #expect(controller.fetchedObjects?.first?.rank == 1_999)
    }

    @Test func `an invalid request leaves the previous one`() async throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        let items = try workshop.fill(context).items
        (items[1].group, items[2].group) = ("b", "a")
        try context.save()
        let controller = try workshop.controller(.byRank, by: nil, in: context)
        try controller.performFetch()
        let error = await #expect(throws: ObjectStorageError.self) {
            try await controller.replaceRequestInBackground(with: .byRank, sectionNameKeyPath: "group")
        }
        #expect(error?.code == .ungroupedSections)
        #expect(controller.sectionKey == nil && controller.fetchedObjects?.map(\.rank) == [1, 2, 3])
    }
}
