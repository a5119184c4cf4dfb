import CSQLiteShims
import CheckSupport
import Foundation
import GRDB
import ObjectStorage
import Testing

private final class Song: ManagedObject {
    @Attribute var title: String = ""
    @Relationship(inverse: \Tag.songs) var tags: Set<Tag>
}

private final class Tag: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var songs: Set<Song>
}

/// Changes that another program's trigger makes in a save are reported like the save's own changes.
@Suite struct TriggerTests {
    let library: Library
    let context: ManagedObjectContext
    let author: Author

    init() throws {
        library = try Library()
        context = library.container.newContext()
        author = Author(context: context)
        author.name = "A"
        author.born = 0
        try context.save()
        // The trigger counts an author's works.
        try library.runElsewhere(
            """
            CREATE TRIGGER counts AFTER INSERT ON Work BEGIN
                UPDATE Author SET born = born + 1 WHERE objectID = NEW.author;
            END
            """)
    }

    private func insertWork() -> Work {
        let work = Work(context: context)
        work.author = author
        return work
    }

    @Test func `a save takes over the changes of triggers`() throws {
        for count: Int32 in 1...3 {
            let work = insertWork()
            let saved = try context.save()
            #expect(saved.insertedObjectIDs == [work.objectID])
            #expect(saved.changedEntityNames == ["Author"])
            #expect(author.born == count)
            // The next save must not conflict.
            author.name = "A\(count)"
            #expect(try context.save().changedEntityNames.isEmpty)
        }
    }

    @Test func `other contexts receive the changes of triggers`() throws {
        let other = library.container.newContext()
        other.automaticallyMergesChanges = true
        let same = try #require(other.existingObject(with: author.objectID) as? Author)
        #expect(same.born == 0)
        for count: Int32 in 1...3 {
            _ = insertWork()
            try context.save()
            #expect(try other.mergePendingChanges().changedEntityNames.contains("Author"))
            #expect(same.born == count)
        }
    }

    @Test
    func `a save that stamps external changes reports the changes of triggers and nothing else`() throws {
        try library.runElsewhere("UPDATE Author SET born = 5")
        _ = Work(context: context)
        #expect(try context.save().changedEntityNames.isEmpty)
        #expect(author.born == 0)
        try library.runElsewhere("UPDATE Author SET born = 7")
        _ = insertWork()
        #expect(try context.save().changedEntityNames == ["Author"])
        #expect(author.born == 8)
    }

    @Test func `a save does not report tables that it changed itself`() throws {
        let work = Work(context: context)
        // The trigger changes no row.
        #expect(try context.save().changedEntityNames.isEmpty)
        work.author = author
        #expect(try context.save().changedEntityNames.isEmpty)
        // The store clears the work's relationship.
        context.delete(author)
        let deleted = try context.save()
        #expect(deleted.updatedObjectIDs == [work.objectID] && deleted.changedEntityNames.isEmpty)
        let (another, second) = (Author(context: context), Work(context: context))
        another.name = "B"
        second.author = another
        #expect(try context.save().changedEntityNames.isEmpty)
    }

    @Test func `links that a trigger wrote are reported, and those that the save wrote are not`() throws {
        let url = library.directory.file("songs.sqlite")
        let container = try PersistentContainer(
            url: url, model: ManagedObjectModel(types: Song.self, Tag.self))
        let context = container.newContext()
        let (song, tag, another) = (Song(context: context), Tag(context: context), Tag(context: context))
        song.tags = [tag, another]
        #expect(try context.save().changedEntityNames.isEmpty)
        song.tags = [tag]
        #expect(try context.save().changedEntityNames.isEmpty)
        try Library.runElsewhere(
            """
            CREATE TRIGGER tags AFTER UPDATE ON Song BEGIN
                INSERT OR IGNORE INTO "Song.tags" (source, target) SELECT NEW.objectID, objectID FROM Tag;
            END
            """, path: url.path)
        song.title = "a"
        #expect(try context.save().changedEntityNames == ["Song", "Tag"])
        #expect(song.tags == [tag, another])
        // The tag's links are deleted with it.
        context.delete(tag)
        #expect(try context.save().changedEntityNames.isEmpty)
        #expect(song.tags == [another])
    }
}

@Suite struct DisabledTriggerTests {
    @Test func `a connection without triggers is refused on opening and on saving`() throws {
        let queue = try DatabaseQueue()
        let container = try PersistentContainer(writer: queue, model: Library.model())
        let context = container.newContext()
        Author(context: context).name = "A"
        try context.save()
        try queue.inDatabase {
            try #require(csqlitesettings_distrust(UnsafeMutableRawPointer($0.sqliteConnection)) == 0)
        }
        Author(context: context).name = "B"
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .triggersDisabled)
        #expect(try context.count(for: FetchRequest<Author>()) == 2)
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Author") } == 1)
        let other = #expect(throws: ObjectStorageError.self) {
            try PersistentContainer(writer: queue, model: Library.model())
        }
        #expect(other?.code == .triggersDisabled)
    }
}
