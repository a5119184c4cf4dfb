import Foundation
import SectionedFetch

let folder = URL.currentDirectory().appending(path: "songs-data")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let store = folder.appending(path: "songs.store")
let caches = SectionCacheStore(directory: folder.appending(path: "caches"))

final class Song: ManagedObject {
    @Attribute(.indexed) var title: String = ""
    @Attribute var year: Int32?
    @Attribute var plays: Int32 = 0
    @Relationship(inverse: \Artist.songs) var artist: Artist?
}

final class Artist: ManagedObject {
    @Attribute(.unique) var name: String = ""
    @Relationship var songs: Set<Song>
}

let model = try ManagedObjectModel(types: Song.self, Artist.self)
let container = try PersistentContainer(url: store, model: model)
let context = container.newContext()

if try context.count(for: FetchRequest<Song>()) == 0 {
    for (name, title) in [("Nina Simone", "Sinnerman"), ("Bill Withers", "Lovely Day")] {
        let artist = Artist(context: context)
        artist.name = name
        let song = Song(context: context)
        song.title = title
        song.artist = artist
    }
    try context.save()
}

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

final class TitleList: FetchedResultsControllerDelegate {
    func controller(
        _ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange
    ) {
        for event in change.events { print(event) }
    }
}

let list = TitleList()
controller.delegate = list
let song = controller.object(at: IndexPath(row: 0, section: 1))
song.plays += 1
try context.save()

switch controller.cacheLookup {
case .miss(let reason)?: print("computed: \(reason)")
case let lookup?: print(lookup)
case nil: print("no cache")
}

caches.waitForWrites()
