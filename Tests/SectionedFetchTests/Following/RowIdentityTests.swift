import Foundation
import SectionedFetch
import Testing

/// By which identity a row of a list with sub-entities is called, in events and in snapshots.
@Suite struct `Identities of rows of sub-entities` {
    private let store: TemporaryStore
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Piece>
    private let listener = Listener<Piece>()
    /// The first of three paintings, by its own entity.
    private let painting: ObjectID

    init() throws {
        store = try TemporaryStore(ManagedObjectModel(types: Piece.self, Painting.self, Sculpture.self))
        let writer = store.container.newContext()
        let paintings = (0..<3).map { number in
            let painting = Painting(context: writer)
            painting.title = "\(number)"
            return painting
        }
        try writer.save()
        painting = paintings[0].objectID
        context = store.container.newContext()
        controller = try FetchedResultsController(
            fetchRequest: FetchRequest<Piece>(sortDescriptors: [.ascending(\.title)]), context: context)
        controller.delegate = listener
        try controller.performFetch()
    }

    private func deleteElsewhere() throws {
        try store.runElsewhere("DELETE FROM Piece WHERE title = '0'")
        try context.mergeChangesFromStore()
    }

    @Test func `a row that another program deletes is called what a snapshot called it`() throws {
        let (read, unread) = (try #require(controller.snapshot), try #require(controller.snapshot))
        #expect(read[0][0] == painting)
        try deleteElsewhere()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [painting])
        #expect(unread[0][0] == painting)
        #expect(unread.indexPath(for: painting) == [0, 0])
    }

    @Test func `a row that another program deletes is called what its object was called`() throws {
        #expect(controller.fetchedObjects?.first?.objectID == painting)
        // Its object is let go before the row is deleted.
        try controller.performFetch()
        try deleteElsewhere()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [painting])
    }

    @Test func `a row that is looked for when it is gone keeps what it was called`() throws {
        #expect(controller.snapshot?[0][0] == painting)
        try store.runElsewhere("DELETE FROM Piece WHERE title = '0'")
        // Nobody has told the context yet, so this is an object of the request's entity without a row.
        #expect(controller.fetchedObjects?.first?.title == "")
        try context.mergeChangesFromStore()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [painting])
    }

    @Test func `a row that was inserted and deleted elsewhere has one identity in both events`() throws {
        try store.runElsewhere(#"INSERT INTO Piece(".entity", title, room) VALUES ('Sculpture', '00', '')"#)
        try context.mergeChangesFromStore()
        try store.runElsewhere("DELETE FROM Piece WHERE title = '00'")
        try context.mergeChangesFromStore()
        let events = listener.changes.flatMap(\.rowEvents)
        #expect(events.map(\.kind) == [.insertion, .deletion])
        #expect(events.map(\.objectID.entityName) == ["Sculpture", "Sculpture"])
    }

    @Test func `snapshots and events agree on a row that nobody looked at before it went`() throws {
        let snapshot = try #require(controller.snapshot)
        try deleteElsewhere()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [snapshot[0][0]])
        #expect(snapshot[0][0].primaryKey == painting.primaryKey)
        #expect(snapshot[0][1].entityName == "Painting")
    }
}
