import Foundation
import SectionCaching
import SectionedFetch
import Synchronization
import Testing

import class GRDB.DatabasePool
import class GRDB.DatabaseQueue
import protocol GRDB.DatabaseWriter

/// A kind of store. Each kind keeps a pinned state in its own way.
enum StoreKind: CaseIterable {
    case single, pool, rollbackJournal, memory, applicationsQueue, applicationsPool
}

/// A store in which every committed state has one number, which all rows have as their `note`.
final class NumberedStore {
    let folder: URL
    let container: PersistentContainer
    let caches: SectionCacheStore
    /// The container that writes: a second one if only the library opens the store's file, else `container`.
    let writer: PersistentContainer
    private let application: (any DatabaseWriter)?
    static let count = 60

    init(_ kind: StoreKind) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "sectioned-fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        caches = SectionCacheStore(directory: folder.appending(path: "caches"))
        let url = folder.appending(path: "store.sqlite")
        let model = try ManagedObjectModel(types: Item.self, Maker.self)
        switch kind {
        case .memory:
            application = nil
            container = try PersistentContainer(inMemoryWith: model)
            writer = container
        case .applicationsQueue, .applicationsPool:
            let connection: any DatabaseWriter =
                kind == .applicationsPool
                ? try DatabasePool(path: url.path) : try DatabaseQueue(path: url.path)
            application = connection
            container = try PersistentContainer(writer: connection, model: model)
            writer = container
        case .single, .pool, .rollbackJournal:
            application = nil
            var options = StoreOptions()
            if kind == .pool { options.connections = .pool }
            var first: PersistentContainer? = try PersistentContainer(url: url, model: model)
            if first != nil, kind == .rollbackJournal {
                first = nil
                try ForeignProgram.run(["PRAGMA journal_mode = DELETE"], store: url)
            }
            first = nil
            container = try PersistentContainer(url: url, model: model, options: options)
            writer = try PersistentContainer(url: url, model: model, options: options)
        }
        let context = writer.newContext()
        for number in 0..<Self.count {
            let item = Item(context: context)
            (item.group, item.rank) = ("g\(number % 4)", Int32(number))
        }
        try context.save()
    }

    deinit {
        caches.waitForWrites()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Commits the next state, with other groups, another order, one more row and one more maker.
    func advance() throws {
        let context = writer.newContext()
        let items = try context.fetch(FetchRequest<Item>())
        let maker = Maker(context: context)
        maker.name = UUID().uuidString
        let note = (items.first?.note ?? 0) + 1
        maker.note = note
        for item in items {
            item.note = note
            item.group = "g\((Int64(item.rank) + note) % 4)"
            item.rank = item.rank &* 7 % 101
            item.maker = maker
        }
        let item = Item(context: context)
        (item.note, item.group, item.rank, item.maker) = (note, "new", 0, maker)
        try context.save()
    }

    /// Runs a statement in the `sqlite3` shell without waiting for locks.
    ///
    /// - Returns: The shell's exit status.
    @discardableResult
    func runAtOnce(_ sql: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-bail", folder.appending(path: "store.sqlite").path, sql]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The request for all items in the order of the sections.
    static var request: FetchRequest<Item> {
        FetchRequest(sortDescriptors: [.ascending(\.group), .ascending(\.rank)])
    }

    func controller(in context: ManagedObjectContext, cacheName: CacheName? = nil) throws
        -> FetchedResultsController<Item>
    {
        try FetchedResultsController(
            fetchRequest: Self.request, context: context, sectionNameKeyPath: "group", cacheName: cacheName,
            cacheStore: caches)
    }

    /// Returns the rows that the store has now, fetched in a context that is not pinned.
    func present() throws -> [String] { try Self.rows(container.newContext()) }

    /// Returns the rows that a fetch in `context` finds.
    static func rows(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(request).map { "\($0.group ?? "")/\($0.rank)/\($0.note)" }
    }

    /// Returns the fetched rows of a controller, read one by one from its sections.
    static func rows(_ controller: FetchedResultsController<Item>) throws -> [String] {
        let sections = try #require(controller.sections)
        return sections.flatMap { section in
            section.objects.map { "\(section.name)/\($0.rank)/\($0.note)" }
        }
    }
}

/// Commits of another thread, each of which gives all items the next number.
final class Commits: Sendable {
    private let state = Mutex<(isDone: Bool, failure: String?)>((false, nil))

    init(_ count: Int, to container: PersistentContainer) {
        Thread.detachNewThread { [self] in
            let outcome = Result {
                for _ in 0..<count {
                    let context = container.newContext()
                    for item in try context.fetch(FetchRequest<Item>()) {
                        (item.note, item.rank) = (item.note + 1, -item.rank)
                    }
                    try context.save()
                }
            }
            let failure: String? = if case .failure(let error) = outcome { "\(error)" } else { nil }
            state.withLock { $0 = (true, failure) }
        }
    }

    var areDone: Bool { state.withLock(\.isDone) }
    var failure: String? { state.withLock(\.failure) }
}
