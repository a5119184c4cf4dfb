import Foundation
import SectionedFetch
import Testing

private final class Song: ManagedObject {
    @Attribute var title: String = ""
    @Attribute var price: Decimal = 0
    @Relationship(inverse: \Mood.songs) var moods: Set<Mood>
    @Relationship(inverse: \Band.songs) var band: Band?
}

private final class Mood: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var songs: Set<Song>
}

private final class Band: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var songs: [Song]
}

@Suite final class LinkValidityTests {
    private let directory = FileManager.default.temporaryDirectory.appending(
        path: "links-\(UUID().uuidString)")
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let songs: [Song]
    private let moods: [Mood]
    private let band: Band

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        container = try PersistentContainer(
            url: directory.appending(path: "store.sqlite"),
            model: ManagedObjectModel(types: Song.self, Mood.self, Band.self))
        context = container.newContext()
        moods = ["calm", "loud"].map { [context] name in
            let mood = Mood(context: context)
            mood.name = name
            return mood
        }
        songs = (0..<30).map { [context, moods] number in
            let song = Song(context: context)
            song.title = "song \(number)"
            song.price = Decimal(number % 3) + Decimal(string: "9.5")!
            if number.isMultiple(of: 2) { song.moods = [moods[0]] }
            return song
        }
        band = Band(context: context)
        try context.save()
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Fetches as after a restart, compares the sections with a fetch without a cache, and returns them with
    /// the result of the look-up.
    private func start() throws -> (sections: [String], lookup: CacheLookup?) {
        let caches = SectionCacheStore(directory: directory.appending(path: "caches"))
        func controller(_ cacheName: CacheName?) throws -> FetchedResultsController<Song> {
            let store = try PersistentContainer(
                url: directory.appending(path: "store.sqlite"),
                model: ManagedObjectModel(types: Song.self, Mood.self, Band.self))
            let controller = try FetchedResultsController(
                fetchRequest: FetchRequest<Song>(
                    predicate: FetchRequest.Predicate(format: "ANY moods.name == 'calm'"),
                    sortDescriptors: [.descending(\.price), .ascending(\.title)]),
                context: store.newContext(), sectionNameKeyPath: "price", cacheName: cacheName,
                cacheStore: caches)
            try controller.performFetch()
            return controller
        }
        let cached = try controller("songs")
        let plain = try controller(nil)
        caches.waitForWrites()
        let outline = { (controller: FetchedResultsController<Song>) in
            (controller.sections.map(Array.init) ?? []).map { "\($0.name): \($0.numberOfObjects)" }
        }
        #expect(outline(cached) == outline(plain))
        #expect(cached.fetchedObjects?.map(\.objectID) == plain.fetchedObjects?.map(\.objectID))
        return (outline(cached), cached.cacheLookup)
    }

    @Test func `a changed link advances the entry, and a change that the list does not read leaves a hit`()
        throws
    {
        // Decimals sort by their value: as texts, 11.5 would sort below 9.5.
        #expect(try start().sections == ["11.5: 5", "10.5: 5", "9.5: 5"])
        #expect(try start().lookup?.isHit == true)
        songs[1].moods = [moods[0]]
        try context.save()
        let changed = try start()
        #expect(changed.lookup?.isAdvanced == true && changed.sections == ["11.5: 5", "10.5: 6", "9.5: 5"])
        #expect(try start().lookup?.isHit == true)
        moods[0].name = "quiet"
        try context.save()
        #expect(try start().sections == [])
        moods[0].name = "calm"
        try context.save()
        _ = try start()
        band.name = "not read"
        try context.save()
        #expect(try start().lookup?.isHit == true)
    }
    @Test func `a link that another program makes is merged and reported`() throws {
        let controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Song>(
                predicate: FetchRequest.Predicate(format: "ANY moods.name == 'calm'"),
                sortDescriptors: [.ascending(\.title)]), context: context)
        let listener = Counter()
        controller.delegate = listener
        try controller.performFetch()
        try context.mergeChangesFromStore()
        #expect(songs[1].moods.isEmpty)
        let (mood, song) = (moods[0].objectID.primaryKey ?? 0, songs[1].objectID.primaryKey ?? 0)
        try ForeignProgram.run(
            ["INSERT INTO \"Mood.songs\" (source, target) VALUES (\(mood), \(song))"],
            store: directory.appending(path: "store.sqlite"))
        try context.mergeChangesFromStore()
        #expect(songs[1].moods == [moods[0]])
        #expect(listener.insertions == 1)
        #expect(controller.fetchedObjects?.contains(songs[1]) == true)
        try context.mergeChangesFromStore()
        #expect(listener.insertions == 1)
    }
}

private final class Counter: FetchedResultsControllerDelegate {
    private(set) var insertions = 0

    func controller(_ controller: FetchedResultsController<Song>, didChangeContentWith change: ResultsChange)
    {
        insertions += change.rowEvents.count { $0.kind == .insertion }
    }
}
