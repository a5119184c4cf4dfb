import Foundation
import ObjectStorage
import Testing

@Suite struct `Objects of sub-entities` {
    private func titles<Object: Media>(
        _ request: FetchRequest<Object>, in context: ManagedObjectContext
    ) throws -> [String] {
        try context.fetch(request).map(\.title)
    }

    @Test func `a request for an entity finds its objects and those of its descendants`() throws {
        let library = try MediaLibrary()
        _ = try library.filled()
        let context = library.container.newContext()
        #expect(try titles(FetchRequest<Media>(), in: context) == ["Tune", "Podcast", "Film", "Audio"])
        #expect(try titles(FetchRequest<Audio>(), in: context) == ["Tune", "Podcast", "Audio"])
        #expect(try titles(FetchRequest<Tune>(), in: context) == ["Tune"])
        #expect(try titles(FetchRequest<Audio>(includesSubentities: false), in: context) == ["Audio"])
        #expect(try titles(FetchRequest<Media>(includesSubentities: false), in: context) == [])
        #expect(try context.count(for: FetchRequest<Audio>()) == 3)
        #expect(try context.count(for: FetchRequest<Audio>(includesSubentities: false)) == 1)
        #expect(
            try context.fetchIDs(FetchRequest<Media>()).map(\.entityName)
                == ["Tune", "Podcast", "Film", "Audio"])
        #expect(try context.list(FetchRequest<Audio>()).map { type(of: $0).entityName } == ["Tune", "Podcast", "Audio"])
        #expect(try context.aggregate(.sum(\.duration), of: FetchRequest<Audio>(), as: Double.self) == 6)
        let counts = try context.fetchDictionaries(
            FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]), properties: ["name"])
        #expect(counts == [["name": "Band"], ["name": "Maker"]])
        #expect(
            try titles(FetchRequest<Media>(predicate: \.title > "F", sortDescriptors: [.descending(\.title)]), in: context)
                == ["Tune", "Podcast", "Film"])
    }

    @Test func `objects have the class of their own entity, read in one go`() throws {
        let library = try MediaLibrary()
        _ = try library.filled()
        let context = library.container.newContext()
        let media = try context.fetch(FetchRequest<Media>())
        #expect(media.map { type(of: $0).entityName } == ["Tune", "Podcast", "Film", "Audio"])
        #expect(media.allSatisfy { !$0.description.contains("fault") })
        let song = try #require(media[0] as? Tune)
        #expect(song.year == 1990 && song.duration == 4 && song.title == "Tune")
        #expect((media[2] as? Film)?.year == "1990")
        #expect(song.objectID == ObjectID(entityName: "Tune", primaryKey: 1))
        #expect(song.maker is Band)
    }

    @Test func `a row is one object, whichever entity it is asked for by`() throws {
        let library = try MediaLibrary()
        _ = try library.filled()
        let context = library.container.newContext()
        let song = try context.object(with: ObjectID(entityName: "Media", primaryKey: 1))
        #expect(song is Tune && song.objectID.entityName == "Tune")
        #expect(try context.object(with: ObjectID(entityName: "Audio", primaryKey: 1)) === song)
        #expect(try context.fetch(FetchRequest<Tune>()).first === song)
        #expect(try context.fetch(FetchRequest<Media>()).first === song)
        let unsaved = Podcast(context: context)
        #expect(try context.object(with: unsaved.objectID) === unsaved)
    }

    @Test func `an object whose row is gone is a fault of the entity that it was asked for by`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let object = try context.object(with: ObjectID(entityName: "Media", primaryKey: 99))
        #expect(object.entity.name == "Media")
        #expect(storageError { try object.load() }?.code == .objectMissing)
        let film = try context.object(with: ObjectID(entityName: "Film", primaryKey: 1))
        #expect(storageError { try film.load() }?.message.contains("“Tune”") == true)
        #expect(try context.fetch(FetchRequest<Tune>()).first?.title == "Tune")
    }

    @Test func `a row of an entity that the model lacks is found by no request, and reading it is an error`() throws {
        let library = try MediaLibrary()
        _ = try library.filled()
        try library.runElsewhere("UPDATE Media SET \".entity\" = 'Game' WHERE objectID = 3; UPDATE Maker SET best = 3")
        let context = library.container.newContext()
        #expect(try titles(FetchRequest<Media>(), in: context) == ["Tune", "Podcast", "Audio"])
        #expect(try context.count(for: FetchRequest<Media>()) == 3)
        let object = try context.object(with: ObjectID(entityName: "Media", primaryKey: 3))
        let error = storageError { try object.load() }
        #expect(error?.code == .unknownEntity && error?.message.contains("“Game”") == true)
        let best = try #require(try context.fetch(FetchRequest<Maker>()).first?.best)
        #expect(best.title == "" && best.readError?.code == .unknownEntity)
        #expect(try context.fetch(FetchRequest<Maker>(predicate: \.name == "Maker")).first?.media.count == 1)
    }

    @Test func `an object whose row became one of another entity is gone, and the row is another object`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let song = try #require(try context.fetch(FetchRequest<Tune>()).first)
        try library.runElsewhere("UPDATE Media SET \".entity\" = 'Podcast' WHERE objectID = 1")
        let podcasts = try context.fetch(FetchRequest<Podcast>())
        #expect(podcasts.map(\.title) == ["Tune", "Podcast"])
        #expect(song.isDeleted && podcasts[0] !== song)
        try library.runElsewhere("UPDATE Media SET \".entity\" = 'Tune' WHERE objectID = 2")
        try context.mergeChangesFromStore()
        #expect(podcasts[1].isDeleted)
        #expect(try context.fetch(FetchRequest<Tune>()).map(\.title) == ["Podcast"])
    }

    @Test func `relationships to a parent lead to objects of the right classes`() throws {
        let library = try MediaLibrary()
        let first = try library.filled()
        let list = Mix(context: first)
        let band = try #require(try first.fetch(FetchRequest<Band>()).first)
        let audio = try first.fetch(FetchRequest<Audio>())
        list.items = [audio[2], audio[0], audio[1]]
        let word = Label(context: first)
        word.media = Set(try first.fetch(FetchRequest<Media>()))
        band.best = audio[1]
        try first.save()
        let context = library.container.newContext()
        let read = try #require(try context.fetch(FetchRequest<Mix>()).first)
        #expect(read.items.map(\.title) == ["Audio", "Tune", "Podcast"])
        #expect(read.items.map { type(of: $0).entityName } == ["Audio", "Tune", "Podcast"])
        read.items = [read.items[2]] + read.items[..<2]
        try context.save()
        #expect(
            try library.lines("SELECT title FROM Media WHERE playlist NOT NULL ORDER BY \"playlist.position\"")
                == ["Podcast", "Audio", "Tune"])
        let label = try #require(try context.fetch(FetchRequest<Label>()).first)
        #expect(Set(label.media.map { type(of: $0).entityName }) == ["Tune", "Podcast", "Film", "Audio"])
        label.media = label.media.filter { $0 is Film }
        try context.save()
        #expect(try library.lines("SELECT target FROM \"Label.media\"") == ["3"])
        let maker = try #require(try context.fetch(FetchRequest<Band>()).first)
        #expect(maker.best is Podcast && maker.media.contains { $0 is Tune })
    }

    @Test(arguments: [["media"], ["best", "media.labels"], ["media.maker.media"], ["favourite.media"]])
    func `what is prefetched is what is read`(paths: [String]) throws {
        let library = try MediaLibrary()
        let first = try library.filled()
        let maker = try #require(try first.fetch(FetchRequest<Maker>(predicate: \.name == "Maker")).first)
        let band = try #require(try first.fetch(FetchRequest<Band>()).first)
        maker.best = try first.fetch(FetchRequest<Tune>()).first
        maker.favourite = band
        try first.save()
        let context = library.container.newContext()
        var request = FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)])
        request.relationshipKeyPathsForPrefetching = paths
        let makers = try context.fetch(request)
        #expect(makers.map { Set($0.media.map { type(of: $0).entityName }) } == [["Tune", "Podcast"], ["Film", "Audio"]])
        #expect(makers[1].best is Tune && makers[1].favourite === makers[0])
        #expect((makers[1].best as? Tune)?.year == 1990)
    }

    @Test func `key paths, ANY and subqueries through a parent count all its kinds`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        func names(_ format: String) throws -> [String] {
            let predicate = try FetchRequest<Maker>.Predicate(format: format)
            let found = try context.fetch(
                FetchRequest<Maker>(predicate: predicate, sortDescriptors: [.ascending(\.name)]))
            let all = try context.fetch(FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]))
            #expect(try predicate.filtering(all) == found, "\(format)")
            return found.map(\.name)
        }
        #expect(try names("ANY media.title == 'Tune'") == ["Band"])
        #expect(try names("media.@count == 2") == ["Band", "Maker"])
        #expect(try names("SUBQUERY(media, $m, $m.title BEGINSWITH 'F').@count > 0") == ["Maker"])
        #expect(try names("NONE media.title == 'Film'") == ["Band"])
        let byMaker = FetchRequest<Media>(
            predicate: try .init(format: "maker.name == 'Band'"), sortDescriptors: [.ascending("maker.name")])
        #expect(try titles(byMaker, in: context) == ["Tune", "Podcast"])
        let band = try #require(try context.fetch(FetchRequest<Band>()).first)
        #expect(try titles(FetchRequest<Audio>(predicate: try .init(format: "maker == %@", band)), in: context) == ["Tune", "Podcast"])
    }

    @Test func `a property of a sub-entity is unknown to its parent's requests, and the error says whose it is`() throws {
        let context = try MediaLibrary().container.newContext()
        let error = storageError {
            _ = try context.fetch(FetchRequest<Media>(sortDescriptors: [.ascending("duration")]))
        }
        #expect(error?.code == .unknownProperty && error?.message.contains("“Audio” has it") == true)
        let song = Tune(context: context)
        let predicate = try FetchRequest<Media>.Predicate(format: "duration > 0")
        #expect(storageError { _ = try predicate.evaluate(with: song) }?.code == .unknownProperty)
        #expect(try FetchRequest<Audio>.Predicate(format: "duration > 0").evaluate(with: song))
    }

    @Test func `unsaved objects take part in requests for their parent`() throws {
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

    @Test func `uniqueness of a root holds for all, that of a sub-entity for its own`() throws {
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

    @Test func `deletions cascade and clear by inherited relationships`() throws {
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

    @Test func `batches change rows of sub-entities by their rules and name them`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let updated = try context.batchUpdate(
            FetchRequest<Audio>(), set: [.set(\.rating, to: 5)], resultType: .objectIDs)
        #expect(updated.objectIDs.map(\.description).sorted() == ["Audio/4", "Podcast/2", "Tune/1"])
        #expect(try context.fetch(FetchRequest<Media>(predicate: \.rating == 5)).count == 3)
        let counted = try context.batchUpdate(FetchRequest<Audio>(includesSubentities: false), set: [.set(\.rating, to: 4)])
        #expect(counted.count == 1)
        let deleted = try context.batchDelete(FetchRequest<Media>(predicate: \.title == "Film"), resultType: .objectIDs)
        #expect(deleted.objectIDs.map(\.description) == ["Film/3"])
        let makers = try context.batchDelete(FetchRequest<Maker>(predicate: \.name == "Band"), resultType: .objectIDs)
        #expect(makers.changes.deletedObjectIDs.map(\.description).sorted() == ["Band/1", "Podcast/2", "Tune/1"])
        #expect(try library.lines("SELECT \".entity\" FROM Media") == ["Audio"])
    }

    @Test func `imports write the entity of a row, and look up rows of sub-entities`() throws {
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
        #expect(try library.lines("SELECT m.title FROM Maker k JOIN Media m ON k.best = m.objectID") == ["Child"])
    }

    @Test func `a deletion that was saved is undone with what led to it`() throws {
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

    @Test func `a conflict names the object's own entity, and policies settle it`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let song = try #require(try context.fetch(FetchRequest<Audio>(predicate: \.title == "Tune")).first as? Tune)
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
        #expect(try library.lines("SELECT \".entity\", year, rating FROM Media WHERE objectID = 1") == ["Tune|2000|1"])
    }
}
