import SectionedFetch

/// The properties that tracks, podcasts and audiobooks share.
protocol Titled: ManagedObject {
    var title: String { get set }
    var year: Int64? { get set }
    var performer: Performer? { get set }
}

final class Track: ManagedObject, Titled {
    @Attribute var title = ""
    @Attribute var year: Int64?
    @Attribute var plays: Int64 = 0
    @Relationship var performer: Performer?
    @Relationship var tags: Set<Performer>
}

final class Podcast: ManagedObject, Titled {
    @Relationship(inverse: \Performer.shows) var host: Performer?
    @Attribute var title = ""
    @Attribute var year: Int64?
    @Attribute var plays = ""
    @Relationship var performer: Performer?
    @Relationship var tags: Set<Performer>
}

class Audiobook: ManagedObject, Titled {
    @Attribute var title = ""
    @Attribute var year: Int64?
    @Relationship var performer: Performer?
    @Relationship var tags: Set<Performer>
}

final class RadioPlay: Audiobook {
    @Attribute var station: String?
}

final class Performer: ManagedObject {
    @Attribute var name = ""
    @Relationship var best: Podcast?
    @Relationship var shows: Set<Podcast>
}

/// The objects of one list by title.
enum MediaItem: ObjectUnion {
    case track(Track)
    case podcast(Podcast)
    case audiobook(Audiobook)

    typealias SharedProperties = any Titled
    static let members = [
        Member(MediaItem.track), Member(MediaItem.podcast), Member(MediaItem.audiobook),
    ]

    var object: any Titled {
        switch self {
        case .track(let track): track
        case .podcast(let podcast): podcast
        case .audiobook(let audiobook): audiobook
        }
    }
}

/// A store of tracks, podcasts and audiobooks.
final class MediaLibrary: TemporaryStore {
    init(options: StoreOptions = StoreOptions()) throws {
        try super.init(
            ManagedObjectModel(
                types: Track.self, Podcast.self, Audiobook.self, RadioPlay.self, Performer.self),
            options: options)
    }

    /// All objects by title.
    static let byTitle = FetchRequest(
        for: MediaItem.self,
        sortDescriptors: [.ascending(\.title, of: MediaItem.self, order: .caseInsensitive)])

    /// Returns a controller of all objects by title, with a section for each first letter.
    func controller(
        _ request: FetchRequest<ManagedObject> = byTitle,
        by key: SectionKey? = .firstLetter(of: MediaItem.path(to: \.title)), cacheName: CacheName? = nil,
        in context: ManagedObjectContext
    ) throws -> FetchedResultsController<ManagedObject> {
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: key, cacheName: cacheName,
            cacheStore: caches)
        try controller.performFetch()
        return controller
    }

    /// Saves a track, a podcast, an audiobook and a radio play by two performers, and returns them in the
    /// order of their titles.
    func fill(_ context: ManagedObjectContext) throws -> (items: [ManagedObject], performers: [Performer]) {
        let performers = ["Ann", "Bob"].map { name in
            let performer = Performer(context: context)
            performer.name = name
            return performer
        }
        let items: [any Titled] = [
            Track(context: context), Podcast(context: context), RadioPlay(context: context),
            Audiobook(context: context),
        ]
        for (position, item) in items.enumerated() {
            item.title = ["Air", "apple", "Bells", "Zoo"][position]
            item.year = Int64(2000 + position)
            item.performer = performers[position % 2]
        }
        try context.save()
        return (items, performers)
    }
}

extension FetchedResultsController<ManagedObject> {
    /// The sections and their rows as text.
    var words: [String] {
        (sections.map(Array.init) ?? []).map { section in
            "\(section.name): "
                + section.map { ($0 as? any Titled).map { "\($0.entity.name) \($0.title)" } ?? "?" }
                .joined(separator: ", ")
        }
    }
}
