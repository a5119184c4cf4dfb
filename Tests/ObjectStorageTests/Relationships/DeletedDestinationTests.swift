import Foundation
import ObjectStorage
import Testing

/// A relationship that one context sets to an object that another context deletes.
@Suite struct DeletedDestinationTests {
    typealias Song = LinkModel.Song
    typealias Album = LinkModel.Album
    typealias Playlist = LinkModel.Playlist

    let library: Library
    let context: ManagedObjectContext
    let song: Song
    let (first, second): (Album, Album)

    init() throws {
        library = try Library(model: LinkModel.model())
        context = library.container.newContext()
        (song, first, second) = (Song(context: context), Album(context: context), Album(context: context))
        (song.title, first.title, second.title) = ("song", "first", "second")
        song.album = first
        try context.save()
    }

    private func deleteElsewhere(_ object: ManagedObject) throws {
        let other = library.container.newContext()
        other.delete(try other.object(with: object.objectID))
        try other.save()
    }

    /// Returns each song in the store with its album.
    private func stored() throws -> [String] {
        let fresh = library.container.newContext()
        return try fresh.fetch(FetchRequest<Song>(sortDescriptors: [.ascending(\.title)])).map {
            "\($0.title) \($0.album?.title ?? "-")"
        }
    }

    @Test func `the error names the object and its relationship, and merging resolves the conflict`() throws {
        song.album = second
        song.title = "renamed"
        let new = Song(context: context)
        (new.title, new.album) = ("new", second)
        try deleteElsewhere(second)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict)
        #expect(error?.conflicts.map(\.kind) == [.destinationDeletedInStore, .destinationDeletedInStore])
        #expect(error?.conflicts.map(\.objectID) == [song.objectID, new.objectID])
        let property = try #require(error?.conflicts.first?.properties.first)
        #expect(property.name == "album")
        #expect(property.valueInStore == first.objectID.primaryKey.map(StoredValue.integer))
        #expect(property.valueInContext == second.objectID.primaryKey.map(StoredValue.integer))
        #expect(error?.message.contains("“album” was made to lead to") == true)
        #expect(try stored() == ["song first"])

        try context.mergeChangesFromStore()
        #expect(song.album == nil && new.album == nil && song.title == "renamed")
        try context.save()
        #expect(try stored() == ["new -", "renamed -"])
    }

    @Test(arguments: [
        (MergePolicy.storeWins, ["new -", "song first"]), (.contextWins, ["new -", "renamed -"]),
        (.propertyByProperty(.store), ["new -", "renamed first"]),
        (.propertyByProperty(.context), ["new -", "renamed -"]),
    ])
    func `the merge policy chooses the related object, which is never a deleted one`(
        policy: MergePolicy, result: [String]
    ) throws {
        context.mergePolicy = policy
        song.album = second
        song.title = "renamed"
        let new = Song(context: context)
        (new.title, new.album) = ("new", second)
        try deleteElsewhere(second)
        try context.save()
        #expect(try stored() == result)
        let shown = [song, new].map { "\($0.title) \($0.album?.title ?? "-")" }
        #expect(shown.sorted() == result)
        #expect(second.isDeleted)
        #expect(!context.hasChanges)
        #expect(try library.hasNoLooseLinks())
    }

    @Test func `a link to an object that was deleted elsewhere is a conflict, or is not made`() throws {
        let (list, tag) = (Playlist(context: context), LinkModel.Tag(context: context))
        let others = (0..<3).map { _ in Song(context: context) }
        tag.name = "tag"
        try context.save()
        list.songs = others + [song]
        song.genres = [tag]
        try deleteElsewhere(others[1])
        try deleteElsewhere(tag)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.conflicts.map(\.kind) == [.destinationDeletedInStore, .destinationDeletedInStore])
        #expect(
            Set(error?.conflicts.flatMap(\.properties).map(\.name) ?? []) == ["songs", "genres"])
        context.mergePolicy = .contextWins
        try context.save()
        #expect(list.songs == [others[0], others[2], song] && song.genres.isEmpty)
        let other = library.container.newContext()
        let fresh = try #require(other.fetch(FetchRequest<Playlist>()).first)
        #expect(fresh.songs.map(\.objectID) == list.songs.map(\.objectID))
    }

    @Test func `the error names an object whose links changed here and that was deleted elsewhere`() throws {
        let list = Playlist(context: context)
        try context.save()
        list.songs = [song]
        try deleteElsewhere(list)
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.conflicts.map(\.kind) == [.deletedInStore])
        #expect(error?.conflicts.map(\.objectID) == [list.objectID])
        context.mergePolicy = .propertyByProperty(.store)
        try context.save()
        #expect(list.isDeleted && song.playlists.isEmpty)
    }

    @Test func `a relationship refers to a row that the context restores`() throws {
        context.mergePolicy = .contextWins
        let lyrics = LinkModel.Lyrics(context: context)
        try context.save()
        song.lyrics = lyrics
        lyrics.text = "la"
        try deleteElsewhere(lyrics)
        try context.save()
        let other = library.container.newContext()
        let fresh = try #require(other.fetch(FetchRequest<Song>()).first)
        #expect(fresh.lyrics?.text == "la" && fresh.lyrics?.song === fresh)
    }

    @Test(arguments: [MergePolicy.error, .contextWins, .storeWins])
    func `an object without its required related object is not saved`(policy: MergePolicy) throws {
        let model = """
            [{"name": "Book"}, {"name": "Chapter", "relationships": [{"name": "book", "destinationEntityName": "Book", "isOptional": false}]}]
            """
        let library = try Library(model: ManagedObjectModel(jsonText: model))
        let context = library.container.newContext()
        context.mergePolicy = policy
        let book = try context.insert(entityNamed: "Book")
        try context.save()
        try context.insert(entityNamed: "Chapter").setRelatedObject(book, forRelationship: "book")
        try library.runElsewhere("PRAGMA foreign_keys = ON; DELETE FROM Book")
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict && error?.propertyName == "book")
        #expect(try library.container.newContext().count(for: FetchRequest(entityName: "Chapter")) == 0)
    }

    @Test func `a relationship cannot be set to a deleted object`() throws {
        context.delete(second)
        song.album = second
        #expect(song.album == nil)
        try context.save()
        #expect(try stored() == ["song -"])
    }

    @Test
    func `an object that the save will restore has no relationship to an object that stays deleted`() throws {
        context.mergePolicy = .contextWins
        let lyrics = LinkModel.Lyrics(context: context)
        lyrics.song = song
        try context.save()
        lyrics.text = "la"
        try deleteElsewhere(song)
        try context.mergeChangesFromStore()
        #expect(lyrics.song == nil && !lyrics.isDeleted)
        #expect(try context.fetch(FetchRequest<LinkModel.Lyrics>(predicate: .isNil(\.song))) == [lyrics])
        try context.save()
        #expect(lyrics.song == nil && lyrics.text == "la")
        #expect(try library.container.newContext().count(for: FetchRequest<LinkModel.Lyrics>()) == 1)
        #expect(try library.hasNoLooseLinks())
    }

    @Test(arguments: [
        MergePolicy.storeWins, .contextWins, .propertyByProperty(.store), .propertyByProperty(.context),
    ])
    func `both ends of a one-to-one relationship agree`(policy: MergePolicy) throws {
        context.mergePolicy = policy
        let (other, lyrics) = (Song(context: context), LinkModel.Lyrics(context: context))
        lyrics.song = song
        try context.save()
        lyrics.song = other
        try deleteElsewhere(other)
        try context.save()
        let fresh = library.container.newContext()
        let stored = try fresh.fetch(FetchRequest<Song>())
        let words = try #require(fresh.fetch(FetchRequest<LinkModel.Lyrics>()).first)
        for song in stored { #expect((song.lyrics === words) == (words.song === song)) }
        #expect((song.lyrics === lyrics) == (lyrics.song === song))
        // A context that wins restores the related object, because that object changed here, too.
        #expect(stored.count == (policy == .contextWins || policy == .propertyByProperty(.context) ? 2 : 1))
        #expect(lyrics.song?.objectID == words.song?.objectID)
        #expect(try library.hasNoLooseLinks())
    }

    @Test func `an undo does not restore a relationship to an object that was deleted elsewhere`() throws {
        context.undoManager = ManagedObjectContext.UndoManager()
        song.album = second
        try context.processPendingChanges()
        song.album = first
        try context.processPendingChanges()
        try deleteElsewhere(second)
        try context.mergeChangesFromStore()
        try context.undo()
        #expect(song.album == nil)
        try context.save()
        #expect(try stored() == ["song -"])
    }
}
