import Foundation
import ObjectStorage
import Testing

@Suite struct InheritanceChangeTests {
    private func titles<Object: Media>(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext
    ) throws -> [String] {
        try context.fetch(request).map(\.title)
    }

    @Test func `unsaved objects are included in requests for their parent entity`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let film = Film(context: context)
        film.title = "New"
        #expect(try context.fetch(FetchRequest<Media>()).last === film)
        #expect(try context.fetchIDs(FetchRequest<Media>()).last == film.objectID)
        #expect(try context.count(for: FetchRequest<Audio>()) == 3)
        context.delete(try #require(try context.fetch(FetchRequest<Tune>()).first))
        #expect(try titles(FetchRequest<Media>(), in: context) == ["Podcast", "Film", "Audio", "New"])
    }

    @Test func `a unique attribute applies to the rows of its entity and its sub-entities`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let film = Film(context: context)
        film.code = "0"
        #expect(storageError { try context.save() }?.code == .duplicateValue)
        film.code = "f"
        let songs = [Tune(context: context), Tune(context: context)]
        for song in songs { song.number = 7 }
        #expect(storageError { try context.save() }?.code == .duplicateValue)
        songs[0].number = 8
        try context.save()
        try library.runElsewhere("UPDATE Media SET number = 7 WHERE \".entity\" = 'Film'")
    }

    @Test func `deletions cascade and nullify through inherited relationships`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let maker = try #require(try context.fetch(FetchRequest<Maker>(predicate: \.name == "Maker")).first)
        let band = try #require(try context.fetch(FetchRequest<Band>()).first)
        maker.best = try context.fetch(FetchRequest<Tune>()).first
        maker.favourite = band
        try context.save()
        let other = library.container.newContext()
        let seen = try #require(try other.fetch(FetchRequest<Maker>(predicate: \.name == "Maker")).first)
        #expect(seen.best is Tune && seen.favourite is Band)
        context.delete(band)
        let changes = try context.save()
        #expect(changes.deletedObjectIDs.map(\.description).sorted() == ["Band/1", "Podcast/2", "Tune/1"])
        #expect(changes.updatedObjectIDs == [maker.objectID])
        #expect(maker.best == nil && maker.favourite == nil)
        try other.mergeChanges(from: changes)
        #expect(seen.best == nil && seen.favourite == nil)
        #expect(try library.lines("SELECT title FROM Media ORDER BY 1") == ["Audio", "Film"])
    }

    @Test func `batches apply the rules of sub-entities and return their object IDs`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let updated = try context.batchUpdate(
            FetchRequest<Audio>(), set: [.set(\.rating, to: 5)], resultType: .objectIDs)
        #expect(updated.objectIDs.map(\.description).sorted() == ["Audio/4", "Podcast/2", "Tune/1"])
        #expect(try context.fetch(FetchRequest<Media>(predicate: \.rating == 5)).count == 3)
        let counted = try context.batchUpdate(
            FetchRequest<Audio>(includesSubentities: false), set: [.set(\.rating, to: 4)])
        #expect(counted.count == 1)
        let deleted = try context.batchDelete(
            FetchRequest<Media>(predicate: \.title == "Film"), resultType: .objectIDs)
        #expect(deleted.objectIDs.map(\.description) == ["Film/3"])
        let makers = try context.batchDelete(
            FetchRequest<Maker>(predicate: \.name == "Band"), resultType: .objectIDs)
        #expect(
            makers.changes.deletedObjectIDs.map(\.description).sorted() == ["Band/1", "Podcast/2", "Tune/1"])
        #expect(try library.lines("SELECT \".entity\" FROM Media") == ["Audio"])
    }

    @Test func `imports write the entity of a row and look up rows of sub-entities`() throws {
        let library = try MediaLibrary()
        _ = try library.filled()
        try library.container.write { writer in
            let songs = try writer.table("Tune")
            let title = try #require(songs.columns.firstIndex(of: "title"))
            var values = Array(repeating: StoredValue.null, count: songs.columns.count)
            values[title] = "Imported"
            values[try #require(songs.columns.firstIndex(of: "duration"))] = .real(2)
            _ = try songs.insert(values)
            values[title] = "Film"
            #expect(try songs.upsert(values, keyColumn: title).outcome == .inserted)
            let audio = try writer.table("Audio")
            let column = try #require(audio.columns.firstIndex(of: "title"))
            #expect(try audio.primaryKey(whereColumn: column, is: "Imported") == 5)
            #expect(try audio.primaryKey(whereColumn: column, is: "Nothing") == nil)
        }
        #expect(
            try library.lines("SELECT \".entity\" || ' ' || title FROM Media WHERE objectID > 4")
                == ["Tune Imported", "Tune Film"])
        let batch = try library.container.newContext().batchInsert(
            Podcast.self, rows: [["title": "Batch"]], resultType: .objectIDs)
        #expect(batch.objectIDs.map(\.description) == ["Podcast/7"])
    }

    @Test func `a child context sees and saves objects of sub-entities`() throws {
        let library = try MediaLibrary()
        let parent = try library.filled()
        let band = try #require(try parent.fetch(FetchRequest<Band>()).first)
        let song = Tune(context: parent)
        song.title = "Unsaved"
        song.maker = band
        let child = parent.newChildContext()
        let read = try #require(try child.fetch(FetchRequest<Media>(predicate: \.title == "Unsaved")).first)
        #expect(read is Tune && read.objectID == song.objectID && read.maker is Band)
        let film = Film(context: child)
        film.title = "Child"
        let maker = try #require(read.maker)
        film.maker = maker
        maker.best = film
        try child.save()
        #expect(band.best?.title == "Child" && band.media.count == 4)
        try parent.save()
        #expect(maker.best === film && film.objectID.entityName == "Film" && !film.objectID.isTemporary)
        #expect(
            try library.lines("SELECT m.title FROM Maker k JOIN Media m ON k.best = m.objectID") == ["Child"])
    }

    @Test func `undoing a saved deletion restores the relationships to the object`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        context.undoManager = .init()
        let maker = try #require(try context.fetch(FetchRequest<Maker>(predicate: \.name == "Maker")).first)
        let song = try #require(try context.fetch(FetchRequest<Tune>()).first)
        maker.best = song
        try context.save()
        context.delete(song)
        try context.save()
        #expect(maker.best == nil)
        try context.undo()
        #expect(maker.best === song && song.title == "Tune")
        try context.save()
        #expect(try library.lines("SELECT \".entity\" FROM Media WHERE title = 'Tune'") == ["Tune"])
    }

    @Test func `a conflict names the object's own entity, and merge policies resolve it`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let song = try #require(
            try context.fetch(FetchRequest<Audio>(predicate: \.title == "Tune")).first as? Tune)
        try library.runElsewhere("UPDATE Media SET title = 'Elsewhere' WHERE objectID = 1")
        song.title = "Here"
        song.year = 2000
        #expect(storageError { try context.save() }?.objectID?.description == "Tune/1")
        context.mergePolicy = .propertyByProperty(.store)
        try context.save()
        #expect(song.title == "Elsewhere" && song.year == 2000)
        try library.runElsewhere("DELETE FROM Media WHERE objectID = 1")
        context.mergePolicy = .contextWins
        song.rating = 1
        try context.save()
        #expect(
            try library.lines("SELECT \".entity\", year, rating FROM Media WHERE objectID = 1") == [
                "Tune|2000|1"
            ])
    }

    @Test func `a batch reports changes only for the entities of its request`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let result = try context.batchUpdate(
            FetchRequest<Tune>(), set: [.set(\.rating, to: 1)], resultType: .objectIDs)
        #expect(result.changes.changedEntityNames == [])
        #expect(result.changes.updatedObjectIDs == [ObjectID(entityName: "Tune", primaryKey: 1)])
        let counted = try context.batchUpdate(FetchRequest<Audio>(), set: [.set(\.rating, to: 2)])
        #expect(counted.changes.changedEntityNames == ["Audio", "Tune", "Podcast"])
        #expect(try context.fetch(FetchRequest<Media>(predicate: \.rating == 2)).count == 3)
    }

    @Test func `a change of another program is reported for all entities of the table`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        try context.mergeChangesFromStore()
        let tune = try #require(try context.fetch(FetchRequest<Tune>()).first)
        try library.runElsewhere("UPDATE Media SET title = 'foreign'")
        let changes = try context.mergeChangesFromStore()
        #expect(changes.changedEntityNames == ["Media", "Audio", "Tune", "Podcast", "Film"])
        #expect(tune.title == "foreign")
        try library.runElsewhere("UPDATE Media SET title = 'again'")
        try context.mergeChanges(from: StoreChanges(changedEntityNames: ["Audio"]))
        #expect(tune.title == "again")
        try library.runElsewhere("UPDATE Media SET title = 'third'")
        try context.mergeChanges(
            from: StoreChanges(updatedObjectIDs: [ObjectID(entityName: "Media", primaryKey: 1)]))
        #expect(tune.title == "third")
    }
}
