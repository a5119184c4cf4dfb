import Observation
import SectionedFetch
import Synchronization
import Testing

/// A number of notifications, which may come on any thread.
private final class Counter: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func count() { number.withLock { $0 += 1 } }
}

/// Counts the notifications of `withObservationTracking`. Each ends a registration, and the next one begins
/// at once, so that a second change of the same batch counts as well.
@MainActor private final class Observer {
    private var count = 0
    private let read: @MainActor () -> Void

    init(_ read: @escaping @MainActor () -> Void) {
        self.read = read
        register()
    }

    /// Returns the number of notifications since the last call.
    func take() -> Int {
        defer { count = 0 }
        return count
    }

    private func register() {
        withObservationTracking(read) { [weak self] in
            MainActor.assumeIsolated {
                self?.count += 1
                self?.register()
            }
        }
    }
}

@Suite(.timeLimit(.minutes(30))) @MainActor struct ObservedResultsTests {
    let workshop: Workshop
    let context: ManagedObjectContext

    init() throws {
        workshop = try Workshop()
        context = workshop.container.newContext()
    }

    private func model(
        _ request: FetchRequest<Item> = .byRank, by key: SectionKey? = nil
    ) async -> ObservedResults<Item> {
        let model = ObservedResults(request, in: context, sectionNameKeyPath: key)
        await model.fetchesCompleted()
        return model
    }

    private func ranks(_ model: ObservedResults<Item>) -> [Int32]? { model.fetchedObjects?.map(\.rank) }

    @Test func `a model fetches when it is created, and follows changes`() async throws {
        try workshop.insert([2, 1], in: context)
        let model = ObservedResults<Item>(.byRank, in: context)
        #expect(model.isFetching && model.sections == nil && model.count == 0)
        await model.fetchesCompleted()
        #expect(!model.isFetching && model.error == nil)
        #expect(ranks(model) == [1, 2] && model.count == 2 && model.sections?.count == 1)
        try workshop.insert([3], in: context)
        #expect(ranks(model) == [1, 2, 3] && model.snapshot?.numberOfRows == 3)
    }

    @Test func `one report is one notification`() async throws {
        let items = try workshop.insert([1, 2, 3], in: context)
        let model = await model(by: "rank")
        let observer = Observer {
            _ = (
                model.sections, model.fetchedObjects, model.count, model.error, model.isFetching,
                model.snapshot
            )
        }
        #expect(observer.take() == 0)
        // Several inserted, moved and deleted rows and sections in one save.
        items[0].rank = 7
        context.delete(items[1])
        for rank in 10...20 as ClosedRange<Int32> { Item(context: context).rank = rank }
        try context.save()
        #expect(observer.take() == 1)
        #expect(model.count == 13 && model.sections?.count == 13)
        // A save that does not concern the list.
        Maker(context: context).name = "Ada"
        try context.save()
        #expect(observer.take() == 0)
        items[0].note = 1
        try context.save()
        #expect(observer.take() == 1)
    }

    @Test func `after the notifications of one batch every property has the new state`() async throws {
        let model = await model()
        let count = Counter()
        withObservationTracking {
            _ = model.fetchedObjects
        } onChange: {
            count.count()
        }
        withObservationTracking {
            _ = model.sections
        } onChange: {
            count.count()
        }
        try workshop.insert([1, 2], in: context)
        #expect(count.value == 2 && model.count == 2 && model.sections?[0].count == 2)
    }

    @Test func `another request takes the place of the present one`() async throws {
        try workshop.insert([1, 2, 3], in: context)
        let model = await model()
        let observer = Observer { _ = model.fetchedObjects }
        model.request = FetchRequest(predicate: \.rank > 1, sortDescriptors: [.descending(\.rank)])
        // The previous results stay until the new ones are available.
        #expect(model.isFetching && ranks(model) == [1, 2, 3] && observer.take() == 0)
        await model.fetchesCompleted()
        #expect(ranks(model) == [3, 2] && observer.take() == 1)
        #expect(model.controller?.fetchRequest == model.request)
        try workshop.insert([4], in: context)
        #expect(ranks(model) == [4, 3, 2])
    }

    @Test func `a later request supersedes an earlier one`() async throws {
        try workshop.insert(0..<50, in: context)
        let model = await model()
        let observer = Observer { _ = model.fetchedObjects }
        func show(_ limit: Int32) {
            model.request = FetchRequest(
                predicate: \.rank < limit, sortDescriptors: [.ascending(\.rank)])
        }
        // Requests that are set in one turn are fetched once.
        for limit in 1...20 as ClosedRange<Int32> { show(limit) }
        model.sectionNameKeyPath = "rank"
        await model.fetchesCompleted()
        #expect(model.count == 20 && model.sections?.count == 20)
        #expect(observer.take() == 1 && model.error == nil)
        // Some of these fetches have begun, and some have ended, when the next request is set.
        for limit in 1...30 as ClosedRange<Int32> {
            show(limit)
            for _ in 0..<(limit % 4) { await Task.yield() }
        }
        await model.fetchesCompleted()
        #expect(model.count == 30 && model.error == nil && !model.isFetching)
        try workshop.insert([-1], in: context)
        #expect(model.count == 31)
    }

    @Test func `the request and the section key that are set in one turn are fetched once`() async throws {
        try workshop.insert([1, 2], in: context)
        let model = await model()
        model.sectionNameKeyPath = "rank"
        model.request = FetchRequest(sortDescriptors: [.descending(\.rank)])
        await model.fetchesCompleted()
        #expect(model.sections?.map(\.name) == ["2", "1"])
    }

    @Test func `an error is shown, the results stay, and another request recovers`() async throws {
        try workshop.insert([1, 2], in: context)
        let model = await model()
        model.request = FetchRequest(sortDescriptors: [])
        await model.fetchesCompleted()
        #expect(model.error?.code == .invalidRequest && ranks(model) == [1, 2] && !model.isFetching)
        model.sectionNameKeyPath = "nothing"
        await model.fetchesCompleted()
        #expect(model.error != nil && ranks(model) == [1, 2])
        model.show(.byRank, sectionNameKeyPath: nil)
        await model.fetchesCompleted()
        #expect(model.error == nil && ranks(model) == [1, 2])
    }

    @Test func `a model whose first request is invalid has no results and recovers`() async throws {
        try workshop.insert([1], in: context)
        let model = await model(FetchRequest(sortDescriptors: []))
        #expect(model.error?.code == .invalidRequest && model.sections == nil && model.controller == nil)
        model.request = .byRank
        await model.fetchesCompleted()
        #expect(model.error == nil && ranks(model) == [1])
    }

    @Test func `an error of following is shown until changes are followed again`() async throws {
        try workshop.insert([1], in: context)
        let model = await model(by: "group")
        let item = Item(context: context)
        (item.rank, item.group) = (2, "a")
        try context.save()
        #expect(model.error == nil && model.count == 2)
        let other = Item(context: context)
        other.rank = 3
        try context.save()
        #expect(model.error?.code == .ungroupedSections && model.count == 2)
        context.delete(other)
        try context.save()
        #expect(model.error == nil && model.count == 2)
    }

    @Test func `commits of other programs arrive without a call`() async throws {
        let model = await model()
        try workshop.runElsewhere("INSERT INTO Item(rank) VALUES (7)")
        while model.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(ranks(model) == [7])
    }

    @Test func `a reset of the context fetches again`() async throws {
        try workshop.insert([1, 2], in: context)
        let model = await model()
        context.reset()
        #expect(model.sections == nil && model.isFetching)
        await model.fetchesCompleted()
        #expect(ranks(model) == [1, 2] && model.error == nil)
    }

    @Test func `a fetch in the isolation of the caller has rows at once`() async throws {
        try workshop.insert([1, 2], in: context)
        let model = ObservedResults<Item>(.byRank, in: context)
        model.fetchNow()
        #expect(ranks(model) == [1, 2] && !model.isFetching)
        model.request = FetchRequest(sortDescriptors: [.descending(\.rank)])
        model.fetchNow()
        #expect(ranks(model) == [2, 1] && !model.isFetching)
        model.request = FetchRequest(sortDescriptors: [])
        model.fetchNow()
        #expect(ranks(model) == [2, 1] && model.error?.code == .invalidRequest)
    }

    @Test func `an explicit fetch reads the store again`() async throws {
        let model = await model()
        try workshop.runElsewhere("INSERT INTO Item(rank) VALUES (7)")
        await model.fetch()
        #expect(ranks(model) == [7])
    }

    @Test func `a model that is discarded before its fetch does not read the store`() async throws {
        weak var gone: ObservedResults<Item>?
        do {
            let model = ObservedResults<Item>(.byRank, in: context)
            gone = model
        }
        #expect(gone == nil)
        await Task.yield()
        #expect(context.container.isMonitoringStore == false)
    }

    @Test func `a first screen is provisional`() async throws {
        try workshop.insert(0..<100, in: context)
        let model = ObservedResults<Item>(.byRank, in: context, firstScreen: 10)
        await model.fetchesCompleted()
        #expect(model.count == 100 && !model.isProvisional)
    }

    @Test func `a delegate of the model's controller receives changes and the difference of requests`()
        async throws
    {
        try workshop.insert([1, 2], in: context)
        let model = await model()
        let recorder = Recorder()
        model.controller?.delegate = recorder
        model.request = FetchRequest(predicate: \.rank > 1, sortDescriptors: [.ascending(\.rank)])
        await model.fetchesCompleted()
        #expect(recorder.take() == ["will", "row deletion", "did", "with 1"])
        #expect(ranks(model) == [2])
    }
}

/// Models that do not belong to the main actor.
@Suite(.timeLimit(.minutes(30))) struct ObservedResultsIsolationTests {
    private actor Shop {
        private let context: ManagedObjectContext
        private var model: ObservedResults<Item>?

        init(_ container: PersistentContainer) { context = container.newContext() }

        func start() { model = ObservedResults(.byRank, in: context) }

        func ranks() async -> [Int32]? {
            await model?.fetchesCompleted()
            return model?.fetchedObjects?.map(\.rank)
        }

        func insert(_ rank: Int32) throws {
            Item(context: context).rank = rank
            try context.save()
        }
    }

    @Test func `an actor of the app owns a model`() async throws {
        let workshop = try Workshop()
        let shop = Shop(workshop.container)
        await shop.start()
        try await shop.insert(2)
        #expect(await shop.ranks() == [2])
        try workshop.runElsewhere("INSERT INTO Item(rank) VALUES (1)")
        while await shop.ranks()?.count != 2 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(await shop.ranks() == [1, 2])
    }

    @Test func `a model without an actor fetches in the calls that create it and set its request`() throws {
        let workshop = try Workshop()
        let context = workshop.container.newContext()
        try workshop.insert([1, 2], in: context)
        let model = ObservedResults<Item>(.byRank, in: context)
        #expect(!model.isFetching && model.fetchedObjects?.map(\.rank) == [1, 2])
        let count = Counter()
        withObservationTracking {
            _ = (model.sections, model.fetchedObjects, model.count)
        } onChange: {
            count.count()
        }
        try workshop.insert([3, 4], in: context)
        #expect(model.count == 4 && count.value == 1)
        model.request = FetchRequest(predicate: \.rank < 2, sortDescriptors: [.ascending(\.rank)])
        #expect(model.fetchedObjects?.map(\.rank) == [1])
        try workshop.runElsewhere("INSERT INTO Item(rank) VALUES (0)")
        try context.mergeOthersChanges()
        #expect(model.fetchedObjects?.map(\.rank) == [0, 1])
    }
}
