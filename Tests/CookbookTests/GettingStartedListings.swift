import CheckSupport
import Foundation
import SectionedFetch
import Testing

/// The listings of the article “Getting Started”.
@Suite struct GettingStartedListings {
    final class Song: ManagedObject {
        @Attribute(.indexed) var title: String = ""
        @Attribute var year: Int32?
        @Relationship(inverse: \Artist.songs) var artist: Artist?
    }

    final class Artist: ManagedObject {
        @Attribute(.unique) var name: String = ""
        @Relationship var songs: Set<Song>
    }

    final class TitleList: FetchedResultsControllerDelegate {
        private(set) var events: [ResultsChange.Event] = []

        func controller(
            _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
        ) {
            for event in change.events { print(event) }
            events += change.events
        }
    }

    @Test func `the first program lists a song, follows it, and its second start is a hit`() throws {
        let directory = try TemporaryDirectory()
        let store = directory.url.appending(path: "songs.store")
        let caches = SectionCacheStore(directory: directory.url.appending(path: "caches"))
        let model = try ManagedObjectModel(types: Song.self, Artist.self)
        let container = try PersistentContainer(url: store, model: model)
        let context = container.newContext()

        let artist = Artist(context: context)
        artist.name = "Nina Simone"
        let song = Song(context: context)
        song.title = "Sinnerman"
        song.artist = artist
        try context.save()

        let request = FetchRequest<Song>(
            predicate: \.title != "",
            sortDescriptors: [.ascending("artist.name"), .ascending(\.title)])
        let controller = try FetchedResultsController(
            fetchRequest: request, context: context, sectionNameKeyPath: "artist.name",
            cacheName: "songs by artist", cacheStore: caches)
        try controller.performFetch()
        for section in controller.sections! {
            print(section.name, section.map(\.title))
        }
        #expect(controller.sections?.map(\.name) == ["Nina Simone"])
        switch controller.cacheLookup {
        case .miss(let reason)?: print("computed: \(reason)")
        case let lookup?: print(lookup)
        case nil: print("no cache")
        }
        #expect(controller.cacheLookup?.isHit == false)

        let list = TitleList()
        controller.delegate = list
        song.title = "Feeling Good"
        try context.save()
        #expect(list.events.count == 1)
        _ = caches.waitForWrites(upTo: 10)

        let next = try FetchedResultsController(
            fetchRequest: request, context: container.newContext(), sectionNameKeyPath: "artist.name",
            cacheName: "songs by artist", cacheStore: caches)
        try next.performFetch()
        #expect(next.cacheLookup?.isHit == true)
        #expect(next.fetchedObjects?.map(\.title) == ["Feeling Good"])
    }
}
