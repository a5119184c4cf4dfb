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

    /// Saves artworks, each third of them in one of three departments.
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

    /// A controller of a fresh container, context and cache store: as a new start of the program would have.
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
    /// The names and counts of the sections, to compare at a glance.
    var outline: [String] { sections?.map { "\($0.name):\($0.numberOfObjects)" } ?? [] }

    /// Why the last fetch was no hit; nil for a hit.
    var missReason: MissReason? {
        if case .miss(let reason)? = cacheLookup { reason } else { nil }
    }

    /// Fetches, and waits until what was computed is saved.
    func performAndSettle() throws {
        try performFetch()
        settle()
    }

    /// Waits until what was computed is saved.
    func settle() { cacheStore.waitForSaves() }
}

extension CacheLookup {
    /// Whether the entry was as of the data as they are now.
    var isCurrent: Bool { if case .hit = self { true } else { false } }

    /// Whether the entry was brought up to date.
    var isAdvanced: Bool { if case .advanced = self { true } else { false } }
}
