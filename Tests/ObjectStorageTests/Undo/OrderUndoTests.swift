import ObjectStorage
import CheckSupport
import Testing

private typealias Song = LinkModel.Song
private typealias Album = LinkModel.Album

/// Lists that are ordered by their objects' keys until one object is restored with another key.
@Suite final class OrderUndoTests {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let undoManager = ManagedObjectContext.UndoManager()
    /// The songs, in ascending order of their keys.
    private let songs: [Song]
    /// An album of all songs but the first, without stored positions.
    private let album: Album

    init() throws {
        container = try PersistentContainer(inMemoryWith: LinkModel.model())
        context = container.newContext()
        songs = (0..<4).map { [context] number in
            let song = Song(context: context)
            song.title = "\(number)"
            return song
        }
        album = Album(context: context)
        for song in songs.dropFirst() { song.album = album }
        try context.save()
        context.undoManager = undoManager
    }

    private func save(_ change: () -> Void) throws {
        change()
        try context.save()
    }

    /// Checks the order here and, after a save, in the store.
    private func expect(
        _ titles: [String], isSaved: Bool = true, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(album.songs.map(\.title) == titles, sourceLocation: location)
        guard isSaved else { return }
        try context.save()
        let reader = container.newContext()
        let stored = try #require(try reader.fetch(FetchRequest<Album>()).first)
        #expect(stored.songs.map(\.title) == titles, sourceLocation: location)
    }

    @Test func `a song that joins songs with restored positions is behind them again after a redo`() throws {
        try save { context.delete(songs[2]) }
        try context.undo()
        try expect(["1", "2", "3"])
        try save { songs[0].album = album }
        try expect(["1", "2", "3", "0"])
        for _ in 0..<2 {
            try context.undo()
            try expect(["1", "2", "3"])
            try context.redo()
            try expect(["1", "2", "3", "0"])
        }
    }

    @Test func `a restored song that joins a list is at its end, with or without a save between`() throws {
        for isSaved in [false, true] {
            try save { context.delete(songs[0]) }
            try context.undo()
            if isSaved { try context.save() }
            try save { songs[0].album = album }
            for _ in 0..<2 {
                try expect(["1", "2", "3", "0"])
                try context.undo()
                try expect(["1", "2", "3"])
                try context.redo()
            }
            try expect(["1", "2", "3", "0"])
            try context.undo()
        }
    }

    @Test func `a position that a restored object was given is not used when it is restored again`() throws {
        try save { context.delete(songs[2]) }
        try save { songs[0].album = album }
        try context.undo()
        try context.undo()
        try expect(["1", "2", "3"], isSaved: false)
        try context.redo()
        try context.redo()
        try expect(["1", "3", "0"], isSaved: false)
        try context.undo()
        try expect(["1", "3"], isSaved: false)
        try context.undo()
        try expect(["1", "2", "3"])
    }

    @Test func `setting an order discards positions that were given before`() throws {
        try save { context.delete(songs[2]) }
        try context.undo()
        try save { album.songs = [songs[1], songs[3], songs[2]] }
        try save { context.delete(songs[1]) }
        for _ in 0..<2 {
            try expect(["3", "2"])
            try context.undo()
            try expect(["1", "3", "2"])
            try context.undo()
            try expect(["1", "2", "3"])
            try context.redo()
            try expect(["1", "3", "2"])
            try context.redo()
        }
    }

    /// Adds two new songs at the end of the album.
    private func addTwo() {
        for title in ["a", "b"] {
            let song = Song(context: context)
            song.title = title
            song.album = album
        }
    }

    @Test func `a new object that was deleted before its first save is restored before newer ones`() throws {
        try save {
            addTwo()
            let song = album.songs[3]
            undoManager.beginUndoGrouping()
            context.delete(song)
        }
        undoManager.endUndoGrouping()
        try expect(["1", "2", "3", "b"])
        try context.undo()
        try expect(["1", "2", "3", "a", "b"])
        try context.redo()
        try expect(["1", "2", "3", "b"])
        try context.undo()
        try save { Song(context: context).album = album }
        try expect(["1", "2", "3", "a", "b", ""])
    }

    @Test(arguments: [true, false])
    func `new objects that were deleted one after the other before a save are restored in their order`(
        isSavedBetween: Bool
    ) throws {
        addTwo()
        try context.processPendingChanges()
        let new = album.songs.suffix(2)
        for song in new {
            context.delete(song)
            try context.processPendingChanges()
        }
        try save { songs[0].title = "changed" }
        try context.undo()
        try context.undo()
        try expect(["1", "2", "3", "b"], isSaved: isSavedBetween)
        try context.undo()
        try expect(["1", "2", "3", "a", "b"])
    }
}
