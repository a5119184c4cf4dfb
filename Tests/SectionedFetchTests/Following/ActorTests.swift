import Foundation
import SectionedFetch
import Testing

/// Controllers that an actor of the application owns.
@Suite(.timeLimit(.minutes(30))) struct ActorTests {
    /// Owns a context and a controller that follows it.
    private actor Library {
        private let context: ManagedObjectContext
        private let controller: FetchedResultsController<Item>
        private let recorder = Recorder()

        init(_ container: PersistentContainer) throws {
            context = container.newContext()
            controller = try FetchedResultsController(fetchRequest: .byRank, context: context)
        }

        func start() throws {
            controller.delegate = recorder
            try controller.performFetch()
        }

        /// Fetches without a delegate.
        func fetch() throws { try controller.performFetch() }

        /// Assigns the delegate after the fetch.
        func follow() { controller.delegate = recorder }

        func takeCalls() -> [String] { recorder.take() }
    }

    /// The time at which the delegate is assigned.
    enum Start: CaseIterable { case beforeFetch, afterFetch, afterChange }

    @Test(arguments: Start.allCases)
    func `a controller of an actor reports another program's commits automatically`(start: Start) async throws
    {
        let workshop = try Workshop()
        let library = try Library(workshop.container)
        if start == .beforeFetch { try await library.start() } else { try await library.fetch() }
        if start == .afterFetch { await library.follow() }
        try workshop.runElsewhere("INSERT INTO Item(rank) VALUES (7)")
        if start == .afterChange { await library.follow() }
        var calls: [String] = []
        while calls.isEmpty {
            try await Task.sleep(for: .milliseconds(2))
            calls = await library.takeCalls()
        }
        #expect(calls == ["will", "row insertion", "did", "with 1"])
    }

    @Test func `a controller that monitors the store is released with its actor`() async throws {
        let workshop = try Workshop()
        weak var gone: Library?
        do {
            let library = try Library(workshop.container)
            gone = library
            try await library.start()
        }
        while gone != nil { try await Task.sleep(for: .milliseconds(2)) }
    }
}
