import Foundation
import SectionedFetch
import Testing

/// The object IDs of rows of sub-entities, in events and in snapshots.
@Suite struct RowIdentityTests {
    private let store: TemporaryStore
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<Piece>
    private let listener = Listener<Piece>()
    /// The object ID of the first of three paintings, with its own entity.
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

    @Test func `the event of a row that another program deletes has the snapshot's object ID`() throws {
        let (read, unread) = (try #require(controller.snapshot), try #require(controller.snapshot))
        #expect(read[0][0] == painting)
        try deleteElsewhere()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [painting])
        #expect(unread[0][0] == painting)
        #expect(unread.indexPath(for: painting) == [0, 0])
    }

    @Test func `the event of a row that another program deletes has the object's ID`() throws {
        #expect(controller.fetchedObjects?.first?.objectID == painting)
        // The fetch releases the object before the row is deleted.
        try controller.performFetch()
        try deleteElsewhere()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [painting])
    }

    @Test func `a row that is read after its deletion keeps its object ID`() throws {
        #expect(controller.snapshot?[0][0] == painting)
        try store.runElsewhere("DELETE FROM Piece WHERE title = '0'")
        // The context has not merged the deletion, so this is an object of the request's entity without a
        // row.
        #expect(controller.fetchedObjects?.first?.title == "")
        try context.mergeChangesFromStore()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [painting])
    }

    @Test func `a row that was inserted and deleted elsewhere has one object ID in both events`() throws {
        try store.runElsewhere(#"INSERT INTO Piece(".entity", title, room) VALUES ('Sculpture', '00', '')"#)
        try context.mergeChangesFromStore()
        try store.runElsewhere("DELETE FROM Piece WHERE title = '00'")
        try context.mergeChangesFromStore()
        let events = listener.changes.flatMap(\.rowEvents)
        #expect(events.map(\.kind) == [.insertion, .deletion])
        #expect(events.map(\.objectID.entityName) == ["Sculpture", "Sculpture"])
    }

    @Test func `snapshots and events agree on a row that was not read before its deletion`() throws {
        let snapshot = try #require(controller.snapshot)
        try deleteElsewhere()
        #expect(listener.changes.first?.rowEvents.map(\.objectID) == [snapshot[0][0]])
        #expect(snapshot[0][0].primaryKey == painting.primaryKey)
        #expect(snapshot[0][1].entityName == "Painting")
    }
}
