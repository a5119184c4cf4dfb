import Foundation
import ObjectStorage
import Testing

@Suite struct InheritanceTests {
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
        #expect(
            try context.list(FetchRequest<Audio>()).map { type(of: $0).entityName } == [
                "Tune", "Podcast", "Audio",
            ])
        #expect(try context.aggregate(.sum(\.duration), of: FetchRequest<Audio>(), as: Double.self) == 6)
        let counts = try context.fetchDictionaries(
            FetchRequest<Maker>(sortDescriptors: [.ascending(\.name)]), properties: ["name"])
        #expect(counts == [["name": "Band"], ["name": "Maker"]])
        #expect(
            try titles(
                FetchRequest<Media>(predicate: \.title > "F", sortDescriptors: [.descending(\.title)]),
                in: context)
                == ["Tune", "Podcast", "Film"])
    }

    @Test func `objects have the class of their own entity and are read in one fetch`() throws {
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

    @Test func `key paths of a superclass work on objects and in requests of subclasses`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let tune = try #require(try context.fetch(FetchRequest<Tune>(predicate: \.title == "Tune")).first)
        let media: Media = tune
        tune[keyPath: \Media.title] = "changed"
        #expect(tune[keyPath: \Media.title] == media.title && tune[keyPath: \Audio.duration] == 4)
        try context.save()
        let request = FetchRequest<Audio>(
            predicate: \.rating == nil, sortDescriptors: [.descending(.path(\Media.title))])
        #expect(try titles(request, in: context) == ["changed", "Podcast", "Audio"])
    }

    @Test func `a row has one object, by whichever entity it is requested`() throws {
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

    @Test func `an object without a row is a fault of the requested entity`() throws {
        let library = try MediaLibrary()
        let context = try library.filled()
        let object = try context.object(with: ObjectID(entityName: "Media", primaryKey: 99))
        #expect(object.entity.name == "Media")
        #expect(storageError { try object.load() }?.code == .objectMissing)
        let film = try context.object(with: ObjectID(entityName: "Film", primaryKey: 1))
        #expect(storageError { try film.load() }?.message.contains("“Tune”") == true)
        let tune = try #require(try context.fetch(FetchRequest<Tune>()).first)
        let stray = try context.object(with: ObjectID(entityName: "Film", primaryKey: 1))
        #expect(tune.title == "Tune" && stray is Film && stray.isDeleted)
        #expect(storageError { try stray.load() }?.message.contains("“Tune”") == true)
        #expect(try context.object(with: ObjectID(entityName: "Media", primaryKey: 1)) === tune)
    }

    @Test func `a row of an unknown entity is found by no request, and reading it is an error`() throws {
        let library = try MediaLibrary()
        _ = try library.filled()
        try library.runElsewhere(
            "UPDATE Media SET \".entity\" = 'Game' WHERE objectID = 3; UPDATE Maker SET best = 3")
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

    @Test
    func `an object whose row moves to another entity is deleted, and the row has another object`() throws {
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

    @Test func `relationships to a parent entity return objects of the right classes`() throws {
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
            try library.lines(
                "SELECT title FROM Media WHERE playlist NOT NULL ORDER BY \"playlist.position\"")
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
    func `prefetched relationships have the same objects as others`(paths: [String]) throws {
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
        #expect(
            makers.map { Set($0.media.map { type(of: $0).entityName }) } == [
                ["Tune", "Podcast"], ["Film", "Audio"],
            ])
        #expect(makers[1].best is Tune && makers[1].favourite === makers[0])
        #expect((makers[1].best as? Tune)?.year == 1990)
    }

    @Test func `key paths, ANY and subqueries over a parent entity include its sub-entities`() throws {
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
        #expect(
            try titles(FetchRequest<Audio>(predicate: try .init(format: "maker == %@", band)), in: context)
                == ["Tune", "Podcast"])
    }

    @Test
    func `a parent's request for a property of a sub-entity is an error that names the latter`() throws {
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

    @Test(arguments: [
        ("Media", "TRUEPREDICATE", "SCAN t0"), ("Film", "TRUEPREDICATE", "(.entity=?)"),
        ("Film", "title == 'x'", "sc_Media_title (title=? AND .entity=?)"),
        ("Film", "objectID IN {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}", "INTEGER PRIMARY KEY"),
        ("Tune", "number == 7", "sc_Tune_number (number=?)"),
        ("Audio", "code == 'x'", "sc_Media_code (code=?)"),
        ("Mix", "ANY items.title == 'x'", "sc_Audio_playlist (playlist=? AND .entity=?)"),
        ("Maker", "ANY media.title == 'x'", "sc_Media_maker (maker=?)"),
    ])
    func `a request scans all rows of an entity only if no index finds fewer`(
        entity: String, format: String, step: String
    ) throws {
        let library = try MediaLibrary()
        let request = FetchRequest<ManagedObject>(entityName: entity, predicate: try .init(format: format))
        let sql = try library.container.compile(request.description, columns: .keys).sql
        let plan = try library.lines("EXPLAIN QUERY PLAN " + sql)
        #expect(plan.contains { $0.contains(step) }, "\(plan)")
    }
}
