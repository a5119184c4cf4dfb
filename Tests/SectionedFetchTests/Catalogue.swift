import Foundation
import SectionedFetch

final class Artist: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var artworks: Set<Artwork>
}

final class Artwork: ManagedObject {
    @Attribute var title: String?
    @Attribute var department: String?
    @Attribute var year: Int32?
    @Attribute var added: Date?
    @Relationship(inverse: \Artist.artworks) var artist: Artist?
}

final class Note: ManagedObject {
    @Attribute var text: String = ""
}

/// A store of artworks, artists and notes for one test.
final class Catalogue: TemporaryStore {
    init() throws { try super.init(Self.model()) }

    /// Saves `count` artworks, a third of them in each of three departments.
    func fill(_ count: Int) throws {
        let context = container.newContext()
        for number in 0..<count {
            let artwork = Artwork(context: context)
            artwork.department = ["Film", "Drawings", "Prints"][number % 3]
            artwork.title = "title \(number)"
        }
        try context.save()
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(types: Artwork.self, Artist.self, Note.self)
    }

    /// Returns a controller with a new container, context and cache store, as after a restart of the program.
    func restarted(
        _ request: FetchRequest<Artwork>, by sectionKey: SectionKey?, cacheName: CacheName? = "artworks"
    ) throws -> FetchedResultsController<Artwork> {
        let container = try PersistentContainer(url: url.appending(path: "store.sqlite"), model: Self.model())
        return try FetchedResultsController(
            fetchRequest: request, context: container.newContext(), sectionNameKeyPath: sectionKey,
            cacheName: cacheName, cacheStore: SectionCacheStore(directory: caches.directory))
    }
}

extension FetchedResultsController {
    /// The name and row count of each section, for instance `Film:2`.
    var outline: [String] { sections?.map { "\($0.name):\($0.numberOfObjects)" } ?? [] }

    /// The reason why the last fetch missed the cache, or nil if it did not.
    var missReason: MissReason? {
        if case .miss(let reason)? = cacheLookup { reason } else { nil }
    }

    /// Fetches, and waits until a computed entry is saved.
    func performAndSettle() throws {
        try performFetch()
        settle()
    }

    /// Waits until computed entries are saved.
    func settle() { cacheStore.waitForWrites() }
}

extension CacheLookup {
    /// Whether the entry matched the current data.
    var isCurrent: Bool { if case .hit = self { true } else { false } }

    /// Whether the entry was brought up to date.
    var isAdvanced: Bool { if case .advanced = self { true } else { false } }
}
