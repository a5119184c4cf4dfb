import Foundation
import GRDB
import SectionedFetch
import CheckSupport

/// The work of a process until it kills itself: saves, writes of other programs, and fetches of eight lists.
enum KillWork {
    /// The number of steps after which a process is killed if it has reached neither its statement nor its
    /// time.
    private static let maximumSteps = 200

    static func run(_ store: SongStore, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // The library's own connection, as in most applications, where another thread commits the stamps; or
        // a connection whose statements can be counted.
        let isOwn = Bool.random(using: &generator)
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        if !isOwn, Bool.random(using: &generator) {
            // Killed at a certain statement of SQLite, which may be part of anything.
            let countdown = Countdown(Int.random(in: 1...400, using: &generator))
            configuration.prepareDatabase { $0.trace { _ in countdown.step() } }
        } else {
            // Killed at a random moment, possibly while the cache is written.
            let delay = UInt32.random(in: 0...60_000, using: &generator)
            Thread.detachNewThread {
                usleep(delay)
                kill(getpid(), SIGKILL)
            }
        }
        let model = try store.tables.model()
        let options = StoreOptions(busyTimeout: 10, existingTables: store.tables.isExisting ? .tracked : nil)
        let container =
            try isOwn
            ? PersistentContainer(url: store.url, model: model, options: options)
            : PersistentContainer(
                writer: DatabaseQueue(path: store.url.path, configuration: configuration), model: model,
                options: options)
        let caches = store.caches()
        for _ in 0..<maximumSteps {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                let context = container.newContext()
                try change(context, using: &generator)
                try context.save()
            case 3: try store.write(SongWrite.random(store.tables, using: &generator))
            case 4: try store.write(SongWrite.refill(store.tables, using: &generator))
            default:
                let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
                let controller = try FetchedResultsController(
                    fetchRequest: list.request, context: container.newContext(),
                    sectionNameKeyPath: list.sectionKey, cacheName: list.cacheName, cacheStore: caches)
                try controller.performFetch()
                if Bool.random(using: &generator) { caches.waitForWrites(upTo: 10) }
            }
        }
        kill(getpid(), SIGKILL)
    }

    /// Makes unsaved changes to a few songs.
    static func change(_ context: ManagedObjectContext, using generator: inout SeededGenerator) throws {
        var request = FetchRequest<ManagedObject>(entityName: "Song")
        request.fetchLimit = 3
        request.fetchOffset = Int.random(in: 0..<30, using: &generator)
        for object in try context.fetch(request) {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                context.delete(object)
            } else {
                let genre = ["rock", "jazz", "pop", "folk"].randomElement(using: &generator) ?? ""
                try object.setValue(.text(genre), forProperty: "genre")
                try object.setValue(
                    .integer(.random(in: 1_990..<2_000, using: &generator)), forProperty: "year")
            }
        }
        let song = try context.insert(entityNamed: "Song")
        try song.setValue(.text("rock"), forProperty: "genre")
        try song.setValue(
            .real(Double.random(in: 0..<700_000_000, using: &generator)), forProperty: "released")
    }

    /// Kills this process after a number of statements.
    ///
    /// SAFETY: statements of one connection run one after the other.
    private final class Countdown: @unchecked Sendable {
        private var remaining: Int
        init(_ count: Int) { remaining = count }
        func step() {
            remaining -= 1
            if remaining <= 0 { kill(getpid(), SIGKILL) }
        }
    }
}
