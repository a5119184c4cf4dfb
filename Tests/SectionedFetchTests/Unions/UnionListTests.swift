import Foundation
import SectionedFetch
import Testing

/// Lists of the objects of several entities.
@Suite final class UnionListTests {
    private let library: MediaLibrary
    private let context: ManagedObjectContext
    private let items: [ManagedObject]
    private let performers: [Performer]

    init() throws {
        library = try MediaLibrary()
        context = library.container.newContext()
        (items, performers) = try library.fill(context)
    }

    @Test func `objects of several entities are in one order, with sections and typed values`() throws {
        let controller = try library.controller(in: context)
        #expect(
            controller.words == ["A: Track Air, Podcast apple", "B: RadioPlay Bells", "Z: Audiobook Zoo"])
        guard case .podcast(let podcast) = controller.object(at: [0, 1], as: MediaItem.self),
            case .audiobook(let play) = controller.object(at: [1, 0], as: MediaItem.self)
        else { return #expect(Bool(false), "the values have other cases") }
        #expect(podcast === items[1] && play === items[2])
        #expect(MediaItem(object: performers[0]) == nil)
        #expect(items.map { controller.indexPath(for: $0) } == [[0, 0], [0, 1], [1, 0], [2, 0]])
        #expect(controller.indexPath(for: performers[0]) == nil)
        let snapshot = try #require(controller.snapshot)
        #expect(snapshot.flatMap { $0.map { $0 } } == items.map(\.objectID))
        #expect(snapshot.indexPath(for: items[3].objectID) == [2, 0])
        let other = library.container.newContext()
        #expect(try snapshot.objects(in: other).map { $0.objectID } == items.map(\.objectID))
    }

    @Test func `a context fetches, lists and counts objects of several entities`() throws {
        var request = MediaLibrary.byTitle
        #expect(try context.fetch(request) == items)
        #expect(try Array(context.list(request)) == items)
        #expect(try context.count(for: request) == 4)
        request.predicate = try .init(format: "year > 2000 AND performer.name == 'Bob'")
        #expect(try context.fetch(request) == [items[1], items[3]])
        (request.predicate, request.fetchLimit, request.fetchOffset) = (nil, 2, 1)
        #expect(try context.fetch(request) == [items[1], items[2]])
        let names = FetchRequest<ManagedObject>(
            entityNames: ["Podcast", "Track"], sortDescriptors: [.descending("year")])
        #expect(try context.fetch(names) == [items[1], items[0]])
    }

    @Test func `objects that the order leaves equal are in the sequence of the entities, then of their keys`()
        throws
    {
        for item in items { (item as? any Titled)?.title = "same" }
        let track = Track(context: context)
        track.title = "same"
        try context.save()
        let expected = [items[0], track, items[1], items[2], items[3]]
        #expect(try context.fetch(MediaLibrary.byTitle) == expected)
        let ties = FetchRequest<ManagedObject>(
            entityNames: ["RadioPlay", "Track"], sortDescriptors: [.ascending("title")])
        #expect(try context.fetch(ties) == [items[2], items[0], track])
    }

    @Test func `predicates select single objects of any entity`() throws {
        var request = MediaLibrary.byTitle
        request.predicate = try .init(format: "SELF IN %@", arguments: [[items[1], items[3]]])
        #expect(try context.fetch(request) == [items[1], items[3]])
        request.predicate = try .init(format: "SELF != %@", arguments: [items[2]])
        #expect(try context.fetch(request) == [items[0], items[1], items[3]])
        request.predicate = try .init(format: "%@ == SELF", arguments: [items[2].objectID])
        #expect(try context.fetch(request) == [items[2]])
        request.predicate = try .init(format: "SELF == %@", arguments: [performers[0]])
        #expect(throws: ObjectStorageError.self) { _ = try context.fetch(request) }
        // The keys of a track and a podcast are equal, and so is that of an object that is not saved yet.
        let track = Track(context: context)
        request.predicate = try .init(format: "SELF == %@", arguments: [track])
        #expect(try context.fetch(request) == [track])
    }

    @Test func `objects at the end of relationships are compared with the objects of the list`() throws {
        performers[0].best = items[1] as? Podcast
        performers[0].shows = [try #require(items[1] as? Podcast)]
        try context.save()
        // A track has the same key as the podcast.
        for format in [
            "SELF == performer.best", "performer.best == SELF", "SELF IN performer.shows",
            "ANY performer.shows == SELF", "SUBQUERY(performer.shows, $s, $s == SELF).@count > 0",
        ] {
            (items[1] as? Podcast)?.performer = performers[0]
            try context.save()
            var request = MediaLibrary.byTitle
            request.predicate = try .init(format: format)
            #expect(try context.fetch(request) == [items[1]], "\(format)")
        }
    }

    @Test func `new objects of a later entity change the rows that lead to them`() throws {
        let listener = Listener<ManagedObject>()
        var request = FetchRequest<ManagedObject>(
            entityNames: ["Track", "Podcast"], sortDescriptors: [.ascending("title")])
        request.displayedKeyPaths = ["performer.shows"]
        let controller = try library.controller(request, by: nil, in: context)
        controller.delegate = listener
        try controller.performFetch()
        let podcast = Podcast(context: context)
        podcast.title = "z"
        podcast.host = performers[0]
        try context.processPendingChanges()
        let updated = listener.changes.flatMap(\.rowEvents).filter { $0.kind == .update }.map(\.objectID)
        #expect(updated == [items[0].objectID])
        try context.save()
        #expect(controller.fetchedObjects.map(Array.init) == [items[0], items[1], podcast])
    }

    @Test func `an unsaved object of an earlier entity comes before equal rows of a later one`() throws {
        let listener = Listener<ManagedObject>()
        let controller = try library.controller(in: context)
        controller.delegate = listener
        try controller.performFetch()
        let track = Track(context: context)
        track.title = "apple"
        try context.processPendingChanges()
        #expect(controller.words.first == "A: Track Air, Track apple, Podcast apple")
        listener.forget()
        try context.save()
        #expect(listener.changes.isEmpty)
        #expect(controller.words.first == "A: Track Air, Track apple, Podcast apple")
    }

    @Test func `a row with a key that another program made too large is an error`() throws {
        try library.runElsewhere(
            "INSERT INTO Track (objectID, title, plays) VALUES (\(Int64(5) << 56), 'far', 0)")
        let error = #expect(throws: ObjectStorageError.self) { _ = try context.fetch(MediaLibrary.byTitle) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("\(Int64(5) << 56)"))
        #expect(throws: ObjectStorageError.self) { _ = try context.count(for: MediaLibrary.byTitle) }
        #expect(try context.count(for: FetchRequest<Track>()) == 2)
    }

    @Test func `a context fetches values of the union`() throws {
        let values = try context.fetch(MediaLibrary.byTitle, as: MediaItem.self)
        #expect(values.map { $0.object as ManagedObject } == items)
        #expect(values.map(\.object.title) == ["Air", "apple", "Bells", "Zoo"])
        let controller = try library.controller(in: context)
        #expect(controller.objectIfPresent(at: [9, 0], as: MediaItem.self) == nil)
        #expect(controller.objectIfPresent(at: [0, 0], as: MediaItem.self)?.object === items[0])
    }

    @Test func `an entity whose name joins the names of others is not mistaken for their list`() throws {
        let title = AttributeDescription(name: "title", type: .string, defaultValue: .text(""))
        let model = try ManagedObjectModel(
            entities: ["A", "B", "A+B", "C+D"].map { EntityDescription(name: $0, attributes: [title]) })
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        try context.insert(entityNamed: "C+D")
        #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "C+D")) == 1)
        let request = FetchRequest<ManagedObject>(entityNames: ["A", "B"])
        #expect(throws: ObjectStorageError.self) { _ = try context.count(for: request) }
        #expect(throws: ObjectStorageError.self) {
            try ManagedObjectModel(entities: [
                EntityDescription(name: "A", attributes: [], relationships: [.toOne("x", to: "A+B")]),
                EntityDescription(name: "B", attributes: []),
            ])
        }
    }

    @Test func `a cache entry serves the list, and changes of any of its tables advance it`() throws {
        #expect(try library.controller(cacheName: "media", in: context).missReason != nil)
        library.caches.waitForWrites()
        func start() throws -> FetchedResultsController<ManagedObject> {
            let container = try PersistentContainer(
                url: library.url.appending(path: "store.sqlite"), model: library.container.model)
            return try library.controller(cacheName: "media", in: container.newContext())
        }
        let hit = try start()
        #expect(hit.missReason == nil && hit.cacheLookup?.isHit == true)
        #expect(
            hit.words == ["A: Track Air, Podcast apple", "B: RadioPlay Bells", "Z: Audiobook Zoo"])
        for (table, title) in [("Track", "Air"), ("Podcast", "apple"), ("Audiobook", "Bells")] {
            try library.runElsewhere("UPDATE \(table) SET title = 'X \(title)' WHERE title = '\(title)'")
            let advanced = try start()
            #expect(advanced.missReason == nil)
            #expect(advanced.words.contains { $0.contains("X \(title)") })
            library.caches.waitForWrites()
            #expect(try start().cacheLookup?.isHit == true)
        }
        try library.runElsewhere("UPDATE Performer SET name = 'Cy'")
        #expect(try start().cacheLookup?.isHit == true)
    }

    @Test func `lists of the same entities in another sequence have separate entries`() throws {
        let requests = [["Track", "Podcast"], ["Podcast", "Track"], ["Track", "Podcast", "Audiobook"]].map {
            FetchRequest<ManagedObject>(entityNames: $0, sortDescriptors: [.ascending("year")])
        }
        for request in requests {
            #expect(
                try library.controller(request, by: nil, cacheName: "media", in: context).missReason != nil)
            library.caches.waitForWrites()
        }
        for request in requests {
            let controller = try library.controller(request, by: nil, cacheName: "media", in: context)
            #expect(controller.missReason == nil)
            #expect(try controller.fetchedObjects.map(Array.init) == context.fetch(request))
        }
    }

    @Test func `replacing a request by one with other entities is reported as a reload`() throws {
        let listener = Listener<ManagedObject>()
        let controller = try library.controller(in: context)
        controller.delegate = listener
        try controller.performFetch()
        try controller.replaceRequest(
            with: FetchRequest(entityNames: ["Podcast", "Track"], sortDescriptors: [.ascending("title")]),
            sectionNameKeyPath: nil)
        #expect(listener.changes.map(\.isReload) == [true])
        #expect(controller.fetchedObjects.map(Array.init) == [items[0], items[1]])
    }

    @Test func `requests that cannot be answered are errors that name the entity and the reason`() throws {
        func error(
            _ names: [String], _ key: String = "title", _ predicate: String? = nil, isWhole: Bool = true
        ) -> ObjectStorageError? {
            do throws(ObjectStorageError) {
                var request = FetchRequest<ManagedObject>(
                    entityNames: names, sortDescriptors: [.ascending(.path(key))])
                request.includesSubentities = isWhole
                if let predicate { request.predicate = try .init(format: predicate) }
                _ = try context.fetch(request)
                return nil
            } catch {
                return error
            }
        }
        #expect(error(["Track", "Sang"])?.code == .unknownEntity)
        #expect(error(["Track", "Track"])?.message.contains("twice") == true)
        #expect(error(["RadioPlay", "Audiobook"])?.message.contains("inherits") == true)
        #expect(error(["Track", ""])?.code == .unknownEntity)
        let lacking = error(["Track", "Audiobook"], "plays")
        #expect(lacking?.code == .unknownProperty && lacking?.message.contains("Audiobook") == true)
        #expect(error(["Track", "Podcast"], "plays")?.message.contains("type") == true)
        #expect(error(["Track", "Podcast"], "titel")?.message.contains("title") == true)
        #expect(
            error(["Track", "Podcast"], "title", "ANY tags.name == 'Ann'")?.message.contains("to-many")
                == true
        )
        #expect(error(["Track", "Podcast"], "tags.@count")?.message.contains("to-many") == true)
        #expect(error(["Track", "Podcast"], isWhole: false)?.code == .invalidRequest)
        let request = MediaLibrary.byTitle
        let deletion = #expect(throws: ObjectStorageError.self) {
            _ = try context.batchDelete(request)
        }
        #expect(deletion?.code == .invalidRequest)
        #expect(throws: ObjectStorageError.self) {
            _ = try context.insert(entityNamed: MediaItem.entityNames.joined(separator: "+"))
        }
        let tracks = FetchRequest<Track>(entityName: "Track+Podcast")
        #expect(throws: ObjectStorageError.self) { _ = try context.fetch(tracks) }
    }

    @Test func `related objects are prefetched for each entity`() throws {
        let context = library.container.newContext()
        var request = MediaLibrary.byTitle
        request.relationshipKeyPathsForPrefetching = ["performer"]
        let fetched = try context.fetch(request)
        #expect(fetched.compactMap { ($0 as? any Titled)?.performer?.name } == ["Ann", "Bob", "Ann", "Bob"])
        request.relationshipKeyPathsForPrefetching = ["plays"]
        #expect(throws: ObjectStorageError.self) { _ = try context.fetch(request) }
    }

    @Test func `a child context lists the unsaved objects of its parent`() throws {
        let podcast = Podcast(context: context)
        podcast.title = "Aardvark"
        let track = Track(context: context)
        track.title = "Bear"
        (items[3] as? Audiobook)?.title = "Ant"
        let child = context.newChildContext()
        let own = Podcast(context: child)
        own.title = "Axe"
        let controller = try library.controller(in: child)
        #expect(
            controller.words == [
                "A: Podcast Aardvark, Track Air, Audiobook Ant, Podcast apple, Podcast Axe",
                "B: Track Bear, RadioPlay Bells",
            ])
        let snapshot = try #require(controller.snapshot)
        #expect(snapshot[0].map { $0 } == [podcast, items[0], items[3], items[1], own].map(\.objectID))
        #expect(snapshot[0][0].isTemporary && snapshot.indexPath(for: podcast.objectID) == [0, 0])
    }

    @Test func `changes of each kind are reported with the objects, their old values and sections`() throws {
        let listener = Listener<ManagedObject>()
        let controller = try library.controller(in: context)
        controller.delegate = listener
        try controller.performFetch()
        let podcast = try #require(items[1] as? Podcast)
        podcast.title = "Zebra"
        try context.save()
        let move = try #require(listener.changes.first?.rowEvents.first)
        #expect(move.kind == .move && move.objectID == podcast.objectID)
        #expect(move.oldValue(of: "title") == .text("apple") && move.changedProperties == ["title"])
        #expect(move.oldSection?.name == "A" && move.newSection?.name == "Z")
        listener.forget()
        // Both have the key 1 in their tables.
        #expect(items[0].objectID.primaryKey == items[1].objectID.primaryKey)
        podcast.plays = "many"
        try context.save()
        let update = try #require(listener.changes.first?.rowEvents.first)
        #expect(listener.changes.count == 1 && listener.changes[0].rowEvents.count == 1)
        #expect(update.kind == .update && update.objectID == podcast.objectID)
        #expect(update.changedProperties == ["plays"])
        listener.forget()
        context.delete(items[0])
        let play = RadioPlay(context: context)
        play.title = "Bee"
        try context.save()
        let events = listener.changes.flatMap(\.rowEvents)
        #expect(events.map(\.kind) == [.deletion, .insertion])
        #expect(events.map(\.objectID) == [items[0].objectID, play.objectID])
        listener.forget()
        let other = library.container.newContext()
        let bells = try #require(
            try other.fetch(FetchRequest<RadioPlay>(predicate: \.title == "Bells")).first)
        other.delete(bells)
        try other.save()
        _ = try context.mergeOthersChanges()
        #expect(listener.changes.flatMap(\.rowEvents).map(\.objectID) == [items[2].objectID])
        #expect(controller.words == ["B: RadioPlay Bee", "Z: Podcast Zebra, Audiobook Zoo"])
    }

    @Test func `a change of a related object updates the rows of all entities that show it`() throws {
        let listener = Listener<ManagedObject>()
        var request = MediaLibrary.byTitle
        request.displayedKeyPaths = ["performer.name"]
        let controller = try library.controller(request, in: context)
        controller.delegate = listener
        try controller.performFetch()
        performers[0].name = "Anna"
        try context.save()
        let events = listener.changes.flatMap(\.rowEvents)
        #expect(events.map(\.kind) == [.update, .update])
        #expect(events.map(\.objectID) == [items[0].objectID, items[2].objectID])
        #expect(events.map { $0.oldValue(of: "performer.name") } == [.text("Ann"), .text("Ann")])
    }
}
