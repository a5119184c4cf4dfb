import Foundation
import ObjectStorage
import CheckSupport
import Testing

private typealias Song = LinkModel.Song
private typealias Tag = LinkModel.Tag
private typealias Album = LinkModel.Album
private typealias Playlist = LinkModel.Playlist

@Suite final class LinkTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private var contexts: [ManagedObjectContext] = []

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("songs.sqlite")
        container = try PersistentContainer(
            url: url, model: LinkModel.model())
        context = container.newContext()
    }

    private func songs(_ count: Int) -> [Song] {
        (0..<count).map { number in
            let song = Song(context: context)
            song.title = "song \(number)"
            return song
        }
    }

    /// Returns the object of the same row in a new context.
    private func reread<Object: ManagedObject>(_ object: Object) throws -> Object {
        let context = container.newContext()
        contexts.append(context)
        return try #require(try context.existingObject(with: object.objectID) as? Object)
    }

    @Test
    func `prefetching reads the links of all objects in few statements, with the same results`() throws {
        let counter = QueryCounter()
        let container = try PersistentContainer(
            writer: counter.makeWriter(),
            model: LinkModel.model())
        let writing = container.newContext()
        var generator = SeededGenerator(seed: SeededGenerator.newSeed())
        let songs = (0..<60).map { _ in Song(context: writing) }
        let tags = (0..<5).map { number in
            let tag = Tag(context: writing)
            tag.name = "tag \(number)"
            return tag
        }
        for (number, song) in songs.enumerated() {
            song.title = "song \(number)"
            song.genres = Set(tags.shuffled(using: &generator).prefix(number % 4))
            song.covers = Set(songs.shuffled(using: &generator).prefix(number % 3))
        }
        for number in 0..<20 {
            let playlist = Playlist(context: writing)
            playlist.name = "\(number)"
            playlist.songs = Array(songs.shuffled(using: &generator).prefix(number))
        }
        try writing.save()
        func content(_ context: ManagedObjectContext, _ paths: [String]) throws -> [String] {
            var request = FetchRequest<Playlist>(sortDescriptors: [.ascending("objectID")])
            request.relationshipKeyPathsForPrefetching = paths
            return try context.fetch(request).map { playlist in
                let songs = playlist.songs.map { song in
                    "\(song.title) \(song.genres.map(\.name).sorted()) \(song.covers.map(\.title).sorted())"
                }
                return "\(playlist.name): \(songs)"
            }
        }
        let contexts = [container.newContext(), container.newContext()]
        let plain = try content(contexts[0], [])
        var prefetched: [String] = []
        let queries = try counter.queries {
            prefetched = try content(contexts[1], ["songs.genres", "songs.covers"])
        }
        #expect(prefetched == plain)
        #expect(queries < 12)
        #expect(plain[19].contains("tag"))
    }

    @Test func `a batch deletion applies delete rules over links`() throws {
        let model = """
            [{"name": "Team", "attributes": [{"name": "name", "type": "string"}],
              "relationships": [
                {"name": "members", "destinationEntityName": "Person", "isToMany": true, "deleteRule": "cascade", "inverseName": "teams"},
                {"name": "rooms", "destinationEntityName": "Room", "isToMany": true, "deleteRule": "deny"}]},
             {"name": "Person", "attributes": [{"name": "name", "type": "string"}],
              "relationships": [{"name": "teams", "destinationEntityName": "Team", "isToMany": true}]},
             {"name": "Room", "attributes": [{"name": "name", "type": "string"}]}]
            """
        let container = try PersistentContainer(inMemoryWith: ManagedObjectModel(jsonText: model))
        let context = container.newContext()
        func insert(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.insert(entityNamed: entity)
            object["name"] = .text(name)
            return object
        }
        let (a, b) = (try insert("Team", "a"), try insert("Team", "b"))
        let (ada, bob) = (try insert("Person", "Ada"), try insert("Person", "Bob"))
        try a.setRelatedObjects([ada], forRelationship: "members")
        try b.setRelatedObjects([bob], forRelationship: "members")
        try b.setRelatedObjects([try insert("Room", "r")], forRelationship: "rooms")
        try context.save()
        let all = FetchRequest<ManagedObject>(entityName: "Team")
        #expect(throws: ObjectStorageError.self) { try context.batchDelete(all) }
        #expect(try context.count(for: all) == 2)
        var first = all
        first.fetchLimit = 1
        #expect(try context.batchDelete(first).count == 1)
        let people = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        #expect(people.map { $0["name"] } == ["Bob"])
    }

    @Test func `each side of a many-to-many relationship shows the changes of the other`() throws {
        let songs = songs(3)
        let playlists = (0..<2).map { _ in Playlist(context: context) }
        playlists[0].songs = [songs[2], songs[0]]
        #expect(songs[0].playlists == [playlists[0]] && songs[1].playlists.isEmpty)
        songs[1].playlists = Set(playlists)
        #expect(playlists[0].songs == [songs[2], songs[0], songs[1]])
        #expect(playlists[1].songs == [songs[1]])
        try context.save()
        #expect(!context.hasChanges)
        #expect(try reread(playlists[0]).songs.map(\.title) == ["song 2", "song 0", "song 1"])
        #expect(try reread(songs[1]).playlists.count == 2)
        songs[1].playlists = [playlists[1]]
        #expect(playlists[0].songs == [songs[2], songs[0]] && context.hasChanges)
        context.rollback()
        #expect(playlists[0].songs.count == 3 && !context.hasChanges)
        songs[1].playlists = []
        try context.save()
        #expect(try reread(playlists[0]).songs.count == 2)
        #expect(try reread(playlists[1]).songs.isEmpty)
    }

    @Test func `a one-way relationship can be to-many`() throws {
        let song = songs(1)[0]
        let tags = ["a", "b"].map { name in
            let tag = Tag(context: context)
            tag.name = name
            return tag
        }
        song.genres = Set(tags)
        try context.save()
        #expect(try Set(reread(song).genres.map(\.name)) == ["a", "b"])
        context.delete(tags[0])
        #expect(song.genres == [tags[1]])
        try context.save()
        #expect(try reread(song).genres.map(\.name) == ["b"])
    }

    @Test func `a symmetric relationship shows both directions`() throws {
        let songs = songs(3)
        songs[0].covers = [songs[1], songs[2]]
        #expect(songs[1].covers == [songs[0]])
        try context.save()
        #expect(try reread(songs[2]).covers.map(\.title) == ["song 0"])
        songs[2].covers = []
        try context.save()
        #expect(try reread(songs[0]).covers.map(\.title) == ["song 1"])
    }

    @Test(arguments: [false, true])
    func `an order is kept through insertions, moves and removals`(isManyToMany: Bool) throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let album = Album(context: context)
        let playlist = Playlist(context: context)
        var pool = songs(12)
        var expected: [Song] = []
        for _ in 0..<40 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0 where !pool.isEmpty:
                let index = Int.random(in: 0...expected.count, using: &generator)
                expected.insert(pool.removeLast(), at: index)
            case 1 where !expected.isEmpty:
                pool.append(expected.remove(at: Int.random(in: expected.indices, using: &generator)))
            case 2 where !expected.isEmpty:
                let song = expected.remove(at: Int.random(in: expected.indices, using: &generator))
                expected.insert(song, at: Int.random(in: 0...expected.count, using: &generator))
            default: expected.shuffle(using: &generator)
            }
            if isManyToMany { playlist.songs = expected } else { album.songs = expected }
            #expect((isManyToMany ? playlist.songs : album.songs) == expected, "seed \(seed)")
            if Bool.random(using: &generator) {
                try context.save()
                let read = isManyToMany ? try reread(playlist).songs : try reread(album).songs
                #expect(read.map(\.title) == expected.map(\.title), "seed \(seed)")
            }
        }
        #expect(album.songs.allSatisfy { $0.album === album })
    }

    @Test func `a song that moves to another album is appended to it`() throws {
        let songs = songs(4)
        let albums = (0..<2).map { _ in Album(context: context) }
        albums[0].songs = [songs[3], songs[2]]
        albums[1].songs = [songs[1], songs[0]]
        try context.save()
        songs[3].album = albums[1]
        #expect(albums[1].songs == [songs[1], songs[0], songs[3]] && albums[0].songs == [songs[2]])
        try context.save()
        #expect(try reread(albums[1]).songs.map(\.title) == ["song 1", "song 0", "song 3"])
    }

    @Test func `moving one of many objects writes one row`() throws {
        let playlist = Playlist(context: context)
        playlist.songs = songs(100)
        try context.save()
        let before = try positions()
        playlist.songs.insert(playlist.songs.remove(at: 90), at: 5)
        try context.save()
        let changed = zip(before, try positions()).count { $0 != $1 }
        #expect(changed == 1)
        #expect(try reread(playlist).songs.map(\.title) == playlist.songs.map(\.title))
    }

    private func positions() throws -> [StoredValue] {
        // The rows of the link table as another program sees them.
        let text = try Library.output(
            of: "SELECT source || ' ' || sourcePosition FROM \"Playlist.songs\" ORDER BY target",
            path: url.path)
        return text.split(separator: "\n").map { .text(String($0)) }
    }

    @Test func `links of another program are read, except those to missing rows`() throws {
        let songs = songs(2)
        let playlist = Playlist(context: context)
        try context.save()
        let keys = try songs.map { try #require($0.objectID.primaryKey) }
        try Library.runElsewhere(
            "INSERT INTO \"Playlist.songs\" (source, target) VALUES (1, \(keys[0])), (1, \(keys[1])); DELETE FROM Song WHERE objectID = \(keys[0])",
            path: url.path)
        #expect(try reread(playlist).songs.map(\.objectID) == [songs[1].objectID])
    }

    @Test
    func `predicates follow links in SQL and in memory, and changed links change the version stamp`() throws {
        let songs = songs(3)
        let playlists = (0..<2).map { number in
            let playlist = Playlist(context: context)
            playlist.name = "list \(number)"
            return playlist
        }
        playlists[0].songs = [songs[0], songs[1]]
        playlists[1].songs = [songs[1]]
        func titles(_ format: String) throws -> [String] {
            let predicate = try FetchRequest<Song>.Predicate(format: format)
            let request = FetchRequest<Song>(predicate: predicate, sortDescriptors: [.ascending(\.title)])
            let fetched = try context.fetch(request)
            for song in songs {
                #expect(try predicate.evaluate(with: song) == fetched.contains(song), "\(format)")
            }
            return fetched.map(\.title)
        }
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            #expect(try titles("ANY playlists.name == 'list 1'") == ["song 1"])
            #expect(try titles("playlists.@count == 0") == ["song 2"])
            #expect(try titles("ALL playlists.name BEGINSWITH 'list'").count == 3)
            #expect(
                try titles("SUBQUERY(playlists, $p, $p.songs.@count > 1).@count == 1") == [
                    "song 0", "song 1",
                ])
            #expect(try titles("NONE playlists.songs.title == 'song 0'") == ["song 2"])
        }
        let nonce = "SELECT hex(nonce) FROM sc_gen WHERE tbl = 'Playlist.songs'"
        let before = try Library.output(of: nonce, path: url.path)
        songs[2].playlists = [playlists[0]]
        try context.save()
        #expect(try Library.output(of: nonce, path: url.path) != before)
    }

    @Test func `changes of links can be undone and redone`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        let songs = songs(3)
        let playlist = Playlist(context: context)
        playlist.songs = songs
        try context.save()
        playlist.songs = [songs[2], songs[0]]
        try context.undo()
        #expect(playlist.songs == songs && songs[1].playlists == [playlist])
        try context.redo()
        #expect(playlist.songs == [songs[2], songs[0]])
        try context.save()
        #expect(try reread(playlist).songs.map(\.title) == ["song 2", "song 0"])
    }

    @Test(arguments: [true, false])
    func `an object whose deletion is undone still has its unsaved links`(isSaved: Bool) throws {
        let song = songs(1)[0]
        let tag = Tag(context: context)
        tag.name = "baroque"
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        song.genres = [tag]
        try context.processPendingChanges()
        context.delete(song)
        try context.undo()
        #expect(song.genres == [tag] && context.updatedObjects.contains(song))
        if isSaved {
            #expect(try context.save().updatedObjectIDs.contains(song.objectID))
            #expect(try reread(song).genres.map(\.name) == ["baroque"])
        } else {
            context.rollback()
            #expect(song.genres.isEmpty)
        }
        #expect(!song.isUpdated && !context.hasChanges)
    }

    @Test func `undoing a saved deletion restores the links, and redoing it deletes them`() throws {
        let songs = songs(3)
        let tag = Tag(context: context)
        tag.name = "baroque"
        let playlist = Playlist(context: context)
        playlist.songs = [songs[2], songs[0]]
        songs[0].genres = [tag]
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        // The objects refer to each other, and all are deleted.
        context.delete(playlist)
        context.delete(songs[0])
        context.delete(tag)
        try context.save()
        for _ in 0..<2 {
            try context.undo()
            #expect(playlist.songs == [songs[2], songs[0]] && songs[0].genres == [tag])
            try context.save()
            #expect(try reread(playlist).songs.map(\.title) == ["song 2", "song 0"])
            #expect(try reread(songs[0]).genres.map(\.name) == ["baroque"])
            try context.redo()
            try context.save()
            let links =
                "SELECT (SELECT count(*) FROM \"Playlist.songs\") + (SELECT count(*) FROM \"Song.genres\")"
            #expect(try Library.output(of: links, path: url.path) == "0\n")
        }
    }

    @Test func `undoing a saved deletion restores the positions in ordered relationships`() throws {
        let songs = songs(4)
        let playlist = Playlist(context: context)
        playlist.songs = [songs[3], songs[1], songs[0], songs[2]]
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        context.delete(songs[1])
        context.delete(songs[0])
        try context.save()
        #expect(playlist.songs == [songs[3], songs[2]])
        try context.undo()
        #expect(playlist.songs == [songs[3], songs[1], songs[0], songs[2]])
        try context.save()
        #expect(try reread(playlist).songs.map(\.title) == ["song 3", "song 1", "song 0", "song 2"])
    }

    @Test func `a child context shows the parent's links and saves its own to it`() throws {
        let songs = songs(3)
        let playlist = Playlist(context: context)
        playlist.songs = [songs[0], songs[1]]
        try context.save()
        playlist.songs = [songs[1], songs[0], songs[2]]
        let child = context.newChildContext()
        let copy = try #require(try child.object(with: playlist.objectID) as? Playlist)
        #expect(copy.songs.map(\.title) == ["song 1", "song 0", "song 2"])
        let new = Song(context: child)
        new.title = "new"
        copy.songs = [new] + copy.songs.dropFirst()
        try child.save()
        #expect(playlist.songs.map(\.title) == ["new", "song 0", "song 2"])
        #expect(songs[1].playlists.isEmpty)
        try context.save()
        #expect(try reread(playlist).songs.map(\.title) == ["new", "song 0", "song 2"])
    }
}
