import Foundation
import ObjectStorage
import Testing

/// A relationship that one context makes lead to an object which another deletes meanwhile.
@Suite struct `Relationships to what was deleted elsewhere` {
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

    /// Each song with its album, in the store.
    private func stored() throws -> [String] {
        let fresh = library.container.newContext()
        return try fresh.fetch(FetchRequest<Song>(sortDescriptors: [.ascending(\.title)])).map {
            "\($0.title) \($0.album?.title ?? "-")"
        }
    }

    @Test func `the error names the object and its relationship, and merging settles it`() throws {
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
    func `under a policy the relationship leads where the winner says, never to what is gone`(
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

    @Test func `a link to what was deleted elsewhere is a conflict, or not made`() throws {
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

    @Test func `whose links were changed here and who was deleted elsewhere is named`() throws {
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

    @Test func `a row that the context brings back is led to again`() throws {
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
    func `what must lead somewhere is not saved without it`(policy: MergePolicy) throws {
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

    @Test func `a deleted object is none to lead to`() throws {
        context.delete(second)
        song.album = second
        #expect(song.album == nil)
        try context.save()
        #expect(try stored() == ["song -"])
    }

    @Test func `who was deleted elsewhere with what it leads to is shown as the save brings it back`() throws
    {
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
    func `of relationships from one to one both ends agree`(policy: MergePolicy) throws {
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
        // A context that wins brings back who was led to, because that changed here, too.
        #expect(stored.count == (policy == .contextWins || policy == .propertyByProperty(.context) ? 2 : 1))
        #expect(lyrics.song?.objectID == words.song?.objectID)
        #expect(try library.hasNoLooseLinks())
    }

    @Test func `an undo does not lead back to what was deleted elsewhere`() throws {
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
