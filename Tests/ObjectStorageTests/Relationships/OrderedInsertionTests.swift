import Foundation
import ObjectStorage
import Testing

private typealias Song = LinkModel.Song
private typealias Album = LinkModel.Album
private typealias Playlist = LinkModel.Playlist

/// Objects that are added to an ordered list from the other end are at the list's end, before and after a
/// save.
@Suite struct OrderedInsertionTests {
    private let library: Library
    private let context: ManagedObjectContext
    private let songs: [Song]
    private let album: Album
    private let playlist: Playlist

    init() throws {
        library = try Library(model: LinkModel.model())
        let context = library.container.newContext()
        songs = (0..<5).map { number in
            let song = Song(context: context)
            song.title = "\(number)"
            return song
        }
        album = Album(context: context)
        playlist = Playlist(context: context)
        try context.save()
        self.context = context
    }

    private var albumTitles: [String] { album.songs.map(\.title) }
    private var playlistTitles: [String] { playlist.songs.map(\.title) }

    /// Checks the lists that another context reads from the store.
    private func expectStored(_ titles: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let other = library.container.newContext()
        let album = try #require(try other.existingObject(with: album.objectID) as? Album)
        let playlist = try #require(try other.existingObject(with: playlist.objectID) as? Playlist)
        #expect(album.songs.map(\.title) == titles, sourceLocation: sourceLocation)
        #expect(playlist.songs.map(\.title) == titles, sourceLocation: sourceLocation)
    }

    private func add(_ song: Song) {
        song.album = album
        song.playlists.insert(playlist)
    }

    @Test func `older objects come after those that joined before them`() throws {
        for index in [3, 1, 4] {
            add(songs[index])
            try context.save()
        }
        try expectStored(["3", "1", "4"])
        #expect(albumTitles == ["3", "1", "4"] && playlistTitles == ["3", "1", "4"])
        // The older object is before new ones, which need no stored positions.
        add(songs[0])
        let new = Song(context: context)
        new.title = "new"
        add(new)
        try context.save()
        try expectStored(["3", "1", "4", "0", "new"])
    }

    @Test func `a child shows and passes on the order of its parent`() throws {
        for index in [2, 0] { add(songs[index]) }
        let child = context.newChildContext()
        let own = try #require(try child.existingObject(with: songs[4].objectID) as? Song)
        own.album = try #require(try child.existingObject(with: album.objectID) as? Album)
        own.playlists.insert(try #require(try child.existingObject(with: playlist.objectID) as? Playlist))
        #expect(own.album?.songs.map(\.title) == ["2", "0", "4"])
        #expect(own.playlists.first?.songs.map(\.title) == ["2", "0", "4"])
        add(songs[1])
        try child.save()
        #expect(Set(albumTitles) == ["2", "0", "1", "4"] && Set(playlistTitles) == Set(albumTitles))
        let shown = (albumTitles, playlistTitles)
        try context.save()
        #expect(albumTitles == shown.0 && playlistTitles == shown.1)
        let other = library.container.newContext()
        let stored = try #require(try other.existingObject(with: album.objectID) as? Album)
        #expect(stored.songs.map(\.title) == shown.0)
    }

    @Test func `an undo removes a new member and keeps the order of the others`() throws {
        for index in [3, 1] { add(songs[index]) }
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        add(songs[0])
        try context.save()
        try expectStored(["3", "1", "0"])
        try context.undo()
        try context.save()
        try expectStored(["3", "1"])
        try context.redo()
        try context.save()
        try expectStored(["3", "1", "0"])
    }

    @Test func `an undo shows an order without stored positions as the save leaves it`() throws {
        for index in 0..<3 { songs[index].album = album }
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        album.songs.swapAt(0, 2)
        try context.save()
        #expect(albumTitles == ["2", "1", "0"])
        try context.undo()
        #expect(albumTitles == ["0", "1", "2"])
        try context.save()
        #expect(albumTitles == ["0", "1", "2"])
    }

    @Test func `an unsaved object has a position in one list only`() throws {
        let previous = Album(context: context)
        let new = Song(context: context)
        new.title = "new"
        previous.songs = [new, songs[0]]
        album.songs = [songs[1], songs[2]]
        new.album = album
        #expect(albumTitles == ["1", "2", "new"])
        try context.save()
        #expect(albumTitles == ["1", "2", "new"] && previous.songs.map(\.title) == ["0"])
    }
}
