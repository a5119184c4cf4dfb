import ArgumentParser
import Foundation
import SectionedFetch

/// Work that goes on while the main actor draws.
enum Scenario: String, CaseIterable, ExpressibleByArgument {
    /// Nothing: the jitter of the machine.
    case idle
    /// Another process imports as many songs as the list has.
    case `import`
    /// Another process changes 2,000 scattered songs in each of ten commits.
    case commits
    /// A search for eight letters, one each 120 milliseconds.
    case search
    /// Switches of the order.
    case order

    var title: String {
        switch self {
        case .idle: "nothing else"
        case .import: "an import by another process"
        case .commits: "ten commits of 2,000 rows by another process"
        case .search: "a search by typing eight letters"
        case .order: "three switches of the order"
        }
    }
}

/// A list of songs on the main actor.
@MainActor final class SongList: FetchedResultsControllerDelegate {
    typealias Object = Song

    let container: PersistentContainer
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Song>
    private var frame = 0
    private(set) var reports = 0
    private var charactersRead = 0

    static let bySection = FetchRequest<Song>(
        sortDescriptors: [.ascending(\.section), .ascending(\.title)])

    init(store: String, caches: String) throws {
        container = try Song.container(store)
        context = container.newContext()
        controller = try FetchedResultsController(
            fetchRequest: Self.bySection, context: context, sectionNameKeyPath: "section", cacheName: "songs",
            cacheStore: SectionCacheStore(directory: URL(filePath: caches)))
        controller.delegate = self
    }

    nonisolated func controller(
        _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
    ) { MainActor.assumeIsolated { reports += 1 } }

    /// Reads twenty rows at a place that moves through the list.
    func draw() {
        guard let objects = controller.fetchedObjects, objects.count >= 20 else { return }
        frame += 1
        let start = frame * 977 % (objects.count - 19)
        for position in start..<start + 20 { charactersRead += objects[position].title.utf8.count }
    }

    /// Runs a scenario to its end.
    ///
    /// - Parameter writing: Writes songs in another process, and returns when that is done.
    func run(_ scenario: Scenario, writing: @escaping @Sendable () throws -> Void) async throws {
        try await controller.performFetchInBackground()
        switch scenario {
        case .idle: try await Task.sleep(for: .seconds(2))
        case .import:
            let expected = (controller.fetchedObjects?.count ?? 0) * 2
            try await wait(for: writing)
            // The last commits are reported after the import.
            while controller.fetchedObjects?.count ?? 0 < expected {
                try await Task.sleep(for: .milliseconds(20))
            }
        case .commits:
            try await wait(for: writing)
            try await Task.sleep(for: .milliseconds(500))
        case .search: try await search("october ")
        case .order:
            for sort in [[.ascending(\.title)], [.descending(\.year), .ascending(\.title)]]
                as [[FetchRequest<Song>.SortDescriptor]]
            {
                try await controller.replaceRequestInBackground(
                    with: FetchRequest(sortDescriptors: sort), sectionNameKeyPath: nil)
            }
            try await showAll()
        }
    }

    /// Waits for a closure on a separate thread, because it would block one of the few threads of Swift's
    /// tasks.
    private func wait(for writing: @escaping @Sendable () throws -> Void) async throws {
        let written: Result<Void, any Error> = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Result { try writing() }) }
        }
        try written.get()
    }

    private func search(_ text: String) async throws {
        var typing: Task<Void, any Error>?
        for end in text.indices.dropFirst() {
            typing?.cancel()
            let prefix = String(text[..<end])
            typing = Task {
                try await controller.replaceRequestInBackground(
                    with: FetchRequest(
                        predicate: .contains(\.title, prefix, ignoringCase: true),
                        sortDescriptors: [.ascending(\.section), .ascending(\.title)]),
                    sectionNameKeyPath: "section")
            }
            try await Task.sleep(for: .milliseconds(120))
        }
        try await typing?.value
        try await showAll()
    }

    private func showAll() async throws {
        try await controller.replaceRequestInBackground(with: Self.bySection, sectionNameKeyPath: "section")
    }
}
