import Foundation
import ObjectStorage
import CheckSupport
import Testing

private typealias Song = LinkModel.Song
private typealias Tag = LinkModel.Tag
private typealias Album = LinkModel.Album
private typealias Playlist = LinkModel.Playlist

/// Relationships and their order that are saved by children, undone or refreshed.
@Suite final class LinkUndoTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let songs: [Song]
    private let playlist: Playlist
    private let album: Album
    private let titles = ["song 0", "song 1", "song 2"]

    init() throws {
        container = try PersistentContainer(
            inMemoryWith: LinkModel.model())
        context = container.newContext()
        songs = (0..<3).map { [context] number in
            let song = Song(context: context)
            song.title = "song \(number)"
            return song
        }
        playlist = Playlist(context: context)
        album = Album(context: context)
        playlist.songs = songs
        album.songs = songs
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
    }

    /// Returns the lists that a new context reads.
    private func stored() throws -> (playlist: [String], album: [String]) {
        let context = container.newContext()
        let playlist = try #require(try context.fetch(FetchRequest<Playlist>()).first)
        let album = try context.fetch(FetchRequest<Album>()).first
        return (playlist.songs.map(\.title), album?.songs.map(\.title) ?? [])
    }

    @Test
    func `a child's change of the order alone changes the parent, and can be saved and undone`() throws {
        let child = context.newChildContext()
        let copy = try #require(try child.existingObject(with: playlist.objectID) as? Playlist)
        copy.songs = copy.songs.reversed()
        try child.save()
        #expect(context.hasChanges && playlist.songs == songs.reversed())
        try context.save()
        #expect(try stored().playlist == titles.reversed())
        #expect(copy.songs.map(\.title) == titles.reversed())
        try context.undo()
        #expect(playlist.songs == songs)
        try context.redo()
        #expect(playlist.songs == songs.reversed())
        try context.undo()
        try context.save()
        #expect(try stored().playlist == titles)
    }

    @Test func `links that a child added and removed are undone in the parent`() throws {
        let child = context.newChildContext()
        let copy = try #require(try child.existingObject(with: songs[1].objectID) as? Song)
        let tag = Tag(context: child)
        copy.title = "changed"
        copy.genres = [tag]
        copy.playlists = []
        try child.save()
        #expect(songs[1].genres.count == 1 && playlist.songs == [songs[0], songs[2]])
        try context.undo()
        #expect(songs[1].title == "song 1" && songs[1].genres.isEmpty && playlist.songs == songs)
        try context.save()
        #expect(try stored().playlist == titles)
        #expect(try context.count(for: FetchRequest<Tag>()) == 0)
    }

    @Test(arguments: [true, false])
    func `an undo restores the positions in ordered lists`(isSaved: Bool) throws {
        func undone(_ change: () -> Void) throws {
            change()
            if isSaved { try context.save() } else { try context.processPendingChanges() }
            try context.undo()
            #expect(album.songs == songs)
            #expect(playlist.songs == songs)
            try context.save()
            #expect(try stored() == (titles, titles))
        }
        try undone { songs[1].album = nil }
        try undone { songs[1].playlists = [] }
        try undone { Album(context: context).songs = [songs[1]] }
        try undone { album.songs = songs.reversed() }
    }

    @Test func `undoing an album's saved deletion restores the order of its songs`() throws {
        context.delete(album)
        try context.save()
        try context.undo()
        #expect(album.songs == songs)
        try context.save()
        #expect(try stored().album == titles)
    }

    @Test func `an object that a rule deleted refers to its cause again after each undo`() throws {
        let text = LinkModel.Lyrics(context: context)
        text.song = songs[1]
        try context.processPendingChanges()
        context.delete(songs[1])
        try context.save()
        for _ in 0..<3 {
            try context.undo()
            #expect(text.song == songs[1] && songs[1].lyrics == text)
            try context.redo()
            #expect(text.isDeleted && songs[1].isDeleted)
        }
    }

    @Test func `an undo does not restore a reference to an object that another context deleted`() throws {
        let text = LinkModel.Lyrics(context: context)
        text.song = songs[1]
        try context.save()
        text.song = nil
        try context.save()
        let other = container.newContext()
        other.delete(try other.existingObject(with: songs[1].objectID))
        try context.mergeChanges(from: other.save())
        try context.undo()
        #expect(text.song == nil && songs[1].isDeleted)
        #expect(!text.hasChanges)
        #expect(try text.value(forProperty: "song") == .null)
    }

    @Test
    func `refreshing an object without its changes discards its links and keeps those of others`() throws {
        let tag = Tag(context: context)
        try context.save()
        songs[0].genres = [tag]
        songs[1].genres = [tag]
        playlist.songs = songs.reversed()
        try context.refresh(songs[0], mergeChanges: false)
        #expect(songs[0].genres.isEmpty && !songs[0].hasChanges)
        #expect(songs[1].genres == [tag] && playlist.songs == songs.reversed())
        try context.refresh(songs[1], mergeChanges: false)
        try context.refresh(playlist, mergeChanges: false)
        #expect(songs[1].genres.isEmpty && playlist.songs == songs)
        #expect(!context.hasChanges)
    }

    @Test func `dictionaries of an entity have its properties and not the columns of positions`() throws {
        let rows = try context.fetchDictionaries(
            FetchRequest<Song>(sortDescriptors: [.ascending(\.title)]))
        #expect(rows.map { $0["title"] } == titles.map { .text($0) })
        #expect(
            rows.allSatisfy { Set($0.keys) == ["title", "album", "lyrics", "answer"] } && rows.count == 3)
    }

    @Test func `a row that a batch moves to an ordered list is at its end`() throws {
        let other = Album(context: context)
        let last = Song(context: context)
        other.songs = [last]
        try context.save()
        try context.batchUpdate(
            FetchRequest<Song>(predicate: \.title == "song 0"), set: [.set(\.album, to: other.objectID)])
        let reading = container.newContext()
        let read = try #require(try reading.existingObject(with: other.objectID) as? Album)
        #expect(read.songs.map(\.title) == ["", "song 0"])
    }
}
