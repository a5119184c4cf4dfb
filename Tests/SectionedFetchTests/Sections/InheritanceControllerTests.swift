import Foundation
import SectionedFetch
import Testing

/// The parent entity of paintings and sculptures.
class Piece: ManagedObject {
    @Attribute var title: String = ""
    @Attribute(.indexed) var room: String = ""
}

final class Painting: Piece {
    @Attribute var width: Double = 0
}

final class Sculpture: Piece {
    @Attribute var weight: Double = 0
}

@Suite struct InheritanceControllerTests {
    private let catalogue: Catalogue
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private var path: String { catalogue.url.appending(path: "pieces.sqlite").path }

    init() throws {
        catalogue = try Catalogue()
        container = try PersistentContainer(
            url: catalogue.url.appending(path: "pieces.sqlite"),
            model: ManagedObjectModel(types: Piece.self, Painting.self, Sculpture.self))
        context = container.newContext()
        for (position, room) in ["A", "A", "B", "B", "C"].enumerated() {
            let piece: Piece =
                switch position % 3 {
                case 0: Painting(context: context)
                case 1: Sculpture(context: context)
                default: Piece(context: context)
                }
            piece.room = room
            piece.title = "\(position)"
        }
        try context.save()
    }

    @Test func `results are read through their own request until another request replaces them`() throws {
        let controller = try controller()
        let listener = Listener<Piece>()
        controller.delegate = listener
        try controller.performFetch()
        let sculpture = try #require(controller.fetchedObjects?.first { $0 is Sculpture })
        let path = controller.indexPath(for: sculpture)
        let names = try #require(controller.snapshot).flatMap { $0.map(\.entityName) }
        #expect(path != nil && Set(names).count == 3)
        controller.pauseChanges()
        try controller.replaceRequest(
            with: FetchRequest<Piece>(
                entityName: "Painting", sortDescriptors: [.ascending(\.room), .ascending(\.title)]),
            sectionNameKeyPath: "room")
        #expect(controller.indexPath(for: sculpture) == path)
        #expect(controller.snapshot?.flatMap { $0.map(\.entityName) } == names)
        controller.resumeChanges()
        #expect(controller.indexPath(for: sculpture) == nil)
        #expect(Set(controller.snapshot?.flatMap { $0.map(\.entityName) } ?? []) == ["Painting"])
    }

    private func controller(includesSubentities: Bool = true) throws -> FetchedResultsController<Piece> {
        try FetchedResultsController(
            fetchRequest: FetchRequest<Piece>(
                sortDescriptors: [.ascending(\.room), .ascending(\.title)],
                includesSubentities: includesSubentities),
            context: container.newContext(), sectionNameKeyPath: "room", cacheName: "pieces",
            cacheStore: catalogue.caches)
    }

    private func rows(_ controller: FetchedResultsController<Piece>) throws -> [String] {
        try controller.performFetch()
        catalogue.caches.waitForWrites()
        return try #require(controller.sections).map { section in
            section.name + ": "
                + section.objects.map { "\($0.title)\(type(of: $0).entityName.prefix(2))" }.joined(
                    separator: " ")
        }
    }

    @Test func `a deleted row is reported with its own entity, whether it was read or not`() throws {
        let request = { (room: String) in
            FetchRequest<Piece>(predicate: \.room >= room, sortDescriptors: [.ascending(\.title)])
        }
        let followed = try FetchedResultsController(fetchRequest: request("A"), context: context)
        let listener = Listener<Piece>()
        followed.delegate = listener
        try followed.performFetch()
        try ForeignProgram.run(
            ["UPDATE Piece SET room = '' WHERE title = '0'"], store: URL(filePath: path))
        try context.mergeChangesFromStore()
        #expect(listener.changes.last?.rowEvents.map(\.objectID.entityName) == ["Painting"])
        let paintings = FetchRequest<Piece>(entityName: "Painting", sortDescriptors: [.ascending("title")])
        try followed.replaceRequest(with: paintings, sectionNameKeyPath: nil)
        let gone = listener.changes.last?.rowEvents.filter { $0.kind == .deletion } ?? []
        #expect(gone.map(\.objectID.entityName) == ["Sculpture", "Piece", "Sculpture"])
    }

    @Test func `rows of sub-entities appear with their classes, from the cache as well`() throws {
        let expected = ["A: 0Pa 1Sc", "B: 2Pi 3Pa", "C: 4Sc"]
        let first = try controller()
        #expect(try rows(first) == expected)
        #expect(first.cacheLookup?.isCurrent == false)
        let second = try controller()
        #expect(try rows(second) == expected)
        #expect(second.cacheLookup?.isHit == true)
        let sculpture = try #require(second.fetchedObjects?.last as? Sculpture)
        #expect(sculpture.weight == 0 && sculpture.readError == nil)
        #expect(second.indexPath(for: sculpture) == IndexPath(row: 0, section: 2))
        #expect(try second.verifyCache() == .equal(sections: 3, rows: 5))
    }

    @Test func `a request without sub-entities has its own cache entry`() throws {
        _ = try rows(controller())
        let alone = try controller(includesSubentities: false)
        #expect(try rows(alone) == ["B: 2Pi"])
        #expect(alone.cacheLookup?.isCurrent == false)
        let painting = try #require(try alone.managedObjectContext.fetch(FetchRequest<Painting>()).first)
        #expect(alone.indexPath(for: painting) == nil)
        #expect(try rows(controller()) == ["A: 0Pa 1Sc", "B: 2Pi 3Pa", "C: 4Sc"])
        let again = try controller(includesSubentities: false)
        #expect(try rows(again) == ["B: 2Pi"] && again.cacheLookup?.isHit == true)
    }

    @Test func `a change of a sub-entity's row by any program is detected`() throws {
        _ = try rows(controller())
        let sculpture = try #require(try context.fetch(FetchRequest<Sculpture>()).last)
        sculpture.room = "A"
        try context.save()
        let saved = try controller()
        #expect(try rows(saved) == ["A: 0Pa 1Sc 4Sc", "B: 2Pi 3Pa"])
        #expect(saved.cacheLookup?.isCurrent == false)
        try ForeignProgram.run(
            ["UPDATE Piece SET \".entity\" = 'Sculpture' WHERE title = '2'"], store: URL(filePath: path))
        let foreign = try controller()
        #expect(try rows(foreign) == ["A: 0Pa 1Sc 4Sc", "B: 2Sc 3Pa"])
        #expect(foreign.cacheLookup?.isCurrent == false)
    }

    @Test func `changes name each object by its own entity, even a deleted one`() async throws {
        let controller = try controller()
        var changes = controller.changes.makeAsyncIterator()
        try controller.performFetch()
        let objectIDs = try context.fetchIDs(FetchRequest<Piece>(sortDescriptors: [.ascending(\.title)]))
        let painting = try #require(try context.object(with: objectIDs[0]) as? Painting)
        painting.width = 2
        context.delete(try context.object(with: objectIDs[1]))
        let new = Sculpture(context: context)
        new.room = "C"
        try controller.managedObjectContext.mergeChanges(from: try context.save())
        let change = await changes.next()
        #expect(change?.rowEvents.map(\.objectID) == [objectIDs[1], new.objectID, objectIDs[0]])
        #expect(change?.rowEvents.map(\.kind) == [.deletion, .insertion, .update])
        #expect(change?.rowEvents.map(\.objectID.entityName) == ["Sculpture", "Sculpture", "Painting"])
    }
}
