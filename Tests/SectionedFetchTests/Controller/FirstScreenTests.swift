import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// Provisional first screens of lists that are computed on another thread.
@Suite(.timeLimit(.minutes(30))) @MainActor struct FirstScreenTests {
    private final class Title: ManagedObject {
        @Attribute(.indexed) var letter: String = ""
        @Attribute var number: Int64 = 0
    }

    private static let count = 60_000
    private static let byLetter = FetchRequest<Title>(
        sortDescriptors: [.ascending(\.letter)])

    /// Returns a store of titles in 26 sections: the first has 10 rows, the second 50.
    private func makeStore() throws -> TemporaryStore {
        let store = try TemporaryStore(ManagedObjectModel(types: Title.self))
        try store.container.write { writer in
            let table = try writer.table("Title")
            for number in 0..<Self.count {
                let position = number < 10 ? 0 : number < 60 ? 1 : 2 + number % 24
                let letter = String(UnicodeScalar(UInt8(97 + position)))
                _ = try table.insert([.text(letter), .integer(Int64(number))])
            }
        }
        return store
    }

    private func controller(
        _ store: TemporaryStore, _ request: FetchRequest<Title>, cacheName: CacheName? = nil,
        in context: ManagedObjectContext? = nil
    ) throws -> FetchedResultsController<Title> {
        try FetchedResultsController(
            fetchRequest: request, context: context ?? store.container.newContext(),
            sectionNameKeyPath: "letter", cacheName: cacheName, cacheStore: store.caches)
    }

    /// The state at one report.
    private struct Report: Equatable {
        var rows: [Int64]
        var sizes: [Int]
        var counts: [Int?]?
        var isReload: Bool
    }

    /// Fetches in the background, and returns the state at each report.
    private func fetch(
        _ controller: FetchedResultsController<Title>, firstScreen: Int
    ) async throws -> [Report] {
        var reports: [Report] = []
        let recorder = ReportRecorder { change in
            reports.append(
                Report(
                    rows: controller.fetchedObjects?.prefix(80).map(\.number) ?? [],
                    sizes: controller.sections?.map(\.numberOfObjects) ?? [],
                    counts: controller.firstScreen?.sectionCounts, isReload: change.isReload))
        }
        controller.delegate = recorder
        try await controller.performFetchInBackground(firstScreen: firstScreen)
        return reports
    }

    /// A delegate that calls a closure for each change.
    private final class ReportRecorder: FetchedResultsControllerDelegate {
        typealias Object = Title
        let report: (ResultsChange) -> Void

        init(_ report: @escaping (ResultsChange) -> Void) { self.report = report }

        func controller(
            _ controller: FetchedResultsController<Title>, didChangeContentWith change: ResultsChange
        ) { report(change) }
    }

    /// The rows and the numbers of rows of all sections, computed from the whole list.
    private func expected(_ store: TemporaryStore, _ request: FetchRequest<Title>) throws -> (
        rows: [Title], sizes: [Int]
    ) {
        let rows = try store.container.newContext().fetch(request)
        let sizes = rows.reduce(into: [(String, Int)]()) { sizes, row in
            if sizes.last?.0 == row.letter {
                sizes[sizes.count - 1].1 += 1
            } else {
                sizes.append((row.letter, 1))
            }
        }
        return (rows, sizes.map(\.1))
    }

    @Test(arguments: [5, 10, 40, 60, 75])
    func `the first rows come before the list, with the numbers of rows of their sections`(
        numberOfRows: Int
    ) async throws {
        let store = try makeStore()
        let (rows, sizes) = try expected(store, Self.byLetter)
        var numberOfScreens = 0
        for _ in 0..<20 where numberOfScreens < 2 {
            let controller = try controller(store, Self.byLetter)
            let reports = try await fetch(controller, firstScreen: numberOfRows)
            #expect(controller.firstScreen == nil)
            #expect(controller.sections?.map(\.numberOfObjects) == sizes)
            guard let first = reports.first else { continue }
            numberOfScreens += 1
            #expect(reports.count == 2 && reports.allSatisfy(\.isReload))
            #expect(first.rows == rows.prefix(numberOfRows).map(\.number))
            #expect(first.counts == sizes.prefix(first.sizes.count).map(Optional.some))
            #expect(first.sizes.reduce(0, +) == numberOfRows)
            #expect(reports.last?.sizes == sizes && reports.last?.counts == nil)
        }
        #expect(numberOfScreens > 0)
    }

    @Test func `an order without an index, unsaved changes and a cached list have no first screen`()
        async throws
    {
        let store = try makeStore()
        let byNumber = FetchRequest<Title>(sortDescriptors: [.ascending(\.letter), .descending(\.number)])
        #expect(try await fetch(controller(store, byNumber), firstScreen: 20).isEmpty)
        let context = store.container.newContext()
        Title(context: context).letter = "a"
        let unsaved = try controller(store, Self.byLetter, in: context)
        #expect(try await fetch(unsaved, firstScreen: 20).isEmpty)
        #expect(unsaved.sections?.first?.numberOfObjects == 11)
        _ = try await fetch(controller(store, Self.byLetter, cacheName: "titles"), firstScreen: 20)
        store.caches.waitForWrites()
        let cached = try controller(store, Self.byLetter, cacheName: "titles")
        #expect(try await fetch(cached, firstScreen: 20).isEmpty && cached.cacheLookup?.isHit == true)
        #expect(try await fetch(controller(store, Self.byLetter), firstScreen: 0).isEmpty)
    }

    @Test func `a window and a predicate have their own first screens`() async throws {
        let store = try makeStore()
        var window = Self.byLetter
        (window.fetchOffset, window.fetchLimit) = (7, 30_000)
        let few = FetchRequest<Title>(
            predicate: try .init(format: "number > 40 OR letter == 'a'"),
            sortDescriptors: Self.byLetter.sortDescriptors)
        for request in [window, few] {
            let (rows, sizes) = try expected(store, request)
            var numberOfScreens = 0
            for _ in 0..<20 where numberOfScreens < 2 {
                let controller = try controller(store, request)
                let reports = try await fetch(controller, firstScreen: 25)
                #expect(controller.sections?.map(\.numberOfObjects) == sizes)
                guard let first = reports.first else { continue }
                numberOfScreens += 1
                #expect(first.rows == rows.prefix(25).map(\.number))
                for (count, size) in zip(first.counts ?? [], sizes) { #expect(count == nil || count == size) }
            }
            #expect(numberOfScreens > 0)
        }
    }

    @Test func `saves and deletions during the fetch are part of the list, and later ones are reported`()
        async throws
    {
        let store = try makeStore()
        let context = store.container.newContext()
        let controller = try controller(store, Self.byLetter, in: context)
        let listener = Listener<Title>()
        listener.will = { controller in
            guard listener.changes.isEmpty, controller.firstScreen != nil else { return }
            // The save is announced during the report of the first screen.
            let title = Title(context: context)
            (title.letter, title.number) = ("a", -1)
            _ = try? context.save()
        }
        controller.delegate = listener
        try await controller.performFetchInBackground(firstScreen: 20)
        let expected = try store.container.newContext().fetch(Self.byLetter).map(\.number)
        #expect(controller.fetchedObjects?.map(\.number) == expected)
        #expect(controller.firstScreen == nil && controller.mode == .tracked)
        listener.forget()
        let late = Title(context: context)
        (late.letter, late.number) = ("a", -2)
        try context.save()
        #expect(listener.changes.count == 1 && listener.changes.first?.isReload == false)
    }

    /// Fetches with new controllers until a first screen was shown: a list may come before it.
    ///
    /// - Parameter body: Fetches, and returns whether there was a first screen.
    private func untilShown(
        in store: TemporaryStore,
        _ body: @MainActor (FetchedResultsController<Title>, Listener<Title>) async throws -> Bool
    ) async throws {
        var isShown = false
        for _ in 0..<20 where !isShown {
            let controller = try controller(store, Self.byLetter)
            let listener = Listener<Title>()
            controller.delegate = listener
            isShown = try await body(controller, listener)
        }
        #expect(isShown)
    }

    @Test func `after a cancellation the first screen stays, and the next fetch completes it`() async throws {
        try await untilShown(in: makeStore()) { controller, listener in
            let fetch = Task { try await controller.performFetchInBackground(firstScreen: 20) }
            listener.will = { _ in fetch.cancel() }
            _ = await fetch.result
            guard controller.firstScreen != nil else { return false }
            #expect(controller.mode == .frozen && controller.fetchedObjects?.count == 20)
            try await controller.performFetchInBackground()
            #expect(controller.fetchedObjects?.count == Self.count && controller.firstScreen == nil)
            return true
        }
    }

    @Test func `a pause during the first screen keeps it until the end of the pause`() async throws {
        try await untilShown(in: makeStore()) { controller, listener in
            listener.will = { controller in
                if controller.firstScreen != nil, listener.changes.isEmpty { controller.pauseChanges() }
            }
            try await controller.performFetchInBackground(firstScreen: 20)
            guard controller.isPaused else { return false }
            #expect(listener.changes.count == 1 && controller.fetchedObjects?.count == 20)
            controller.resumeChanges()
            #expect(listener.changes.count == 2 && controller.fetchedObjects?.count == Self.count)
            #expect(controller.firstScreen == nil && controller.mode == .tracked)
            return true
        }
    }

    @Test func `a fetch during the report of the first screen runs after it`() async throws {
        try await untilShown(in: makeStore()) { controller, listener in
            var sizes: [Int] = []
            listener.will = { controller in
                sizes.append(controller.fetchedObjects?.count ?? -1)
                if listener.changes.isEmpty { try? controller.performFetch() }
            }
            try await controller.performFetchInBackground(firstScreen: 20)
            guard sizes.count == 2 else { return false }
            #expect(sizes == [0, 20] && listener.changes.count == 2)
            #expect(listener.snapshots.map(\.numberOfRows) == [20, Self.count])
            #expect(controller.fetchedObjects?.count == Self.count && controller.firstScreen == nil)
            return true
        }
    }

    @Test func `a delegate that is assigned during the first screen receives the list`() async throws {
        let store = try makeStore()
        let controller = try controller(store, Self.byLetter)
        let listener = Listener<Title>()
        let fetch = Task { try await controller.performFetchInBackground(firstScreen: 20) }
        while controller.fetchedObjects == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        let isFirstScreen = controller.firstScreen != nil
        controller.delegate = listener
        try await fetch.value
        #expect(controller.fetchedObjects?.count == Self.count && controller.mode == .tracked)
        #expect(listener.changes.count == (isFirstScreen ? 1 : 0))
    }

    @Test func `a window that is not longer than the first screen has no first screen`() async throws {
        let store = try makeStore()
        var window = Self.byLetter
        window.fetchLimit = 20
        #expect(try await fetch(controller(store, window), firstScreen: 50).isEmpty)
    }

    @Test func `a first screen without sections does not count the list`() async throws {
        let store = try makeStore()
        var counts: [[Int?]] = []
        for _ in 0..<20 where counts.isEmpty {
            let controller = try FetchedResultsController(
                fetchRequest: Self.byLetter, context: store.container.newContext())
            let listener = Listener<Title>()
            listener.will = { controller in
                if let screen = controller.firstScreen, !screen.sectionCounts.isEmpty {
                    counts.append(screen.sectionCounts)
                }
            }
            controller.delegate = listener
            try await controller.performFetchInBackground(firstScreen: 20)
            #expect(controller.fetchedObjects?.count == Self.count)
        }
        #expect(counts == [[nil]])
    }
}
