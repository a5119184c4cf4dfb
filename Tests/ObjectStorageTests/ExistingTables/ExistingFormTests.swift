import Foundation
import ObjectStorage
import Testing

private final class Event: ManagedObject {
    override class var existingTable: ExistingTable? {
        ExistingTable(
            name: "events", primaryKey: "id", columns: ["identity": "uuid"],
            forms: ["begin": .unixSeconds, "end": .unixMilliseconds, "identity": .uuidText])
    }
    @Attribute var begin: Date?
    @Attribute var end: Date?
    @Attribute var identity: UUID?
}

@Suite struct ExistingFormTests {
    let owner: Chinook
    private let identities = (0..<3).map { _ in UUID() }

    init() throws {
        let ids = identities
        owner = try Chinook(
            schema:
                "CREATE TABLE events (id INTEGER PRIMARY KEY, begin INTEGER, \"end\" INTEGER, uuid TEXT);",
            rows: """
                INSERT INTO events VALUES (1, 1700000000, 1700000000123, '\(ids[0].uuidString)'),
                    (2, -5, 999, '\(ids[1].uuidString.lowercased())'), (3, 1700000000.5, NULL, '\(ids[2].uuidString)');
                """)
    }

    private func open(_ way: StoreOptions.ExistingTables) throws -> PersistentContainer {
        try PersistentContainer(
            url: owner.url, model: ManagedObjectModel(types: Event.self),
            options: StoreOptions(existingTables: way))
    }

    @Test(arguments: bothWays)
    func `dates and UUIDs are the same in rows, predicates, sort orders and results`(
        way: StoreOptions.ExistingTables
    ) throws {
        let context = try open(way).newContext()
        func keys(_ predicate: FetchRequest<Event>.Predicate? = nil) throws -> [Int64] {
            let request = FetchRequest<Event>(predicate: predicate, sortDescriptors: [.ascending(\.begin)])
            let found = try context.fetch(request)
            if let predicate {
                // The objects that the predicate matches in memory.
                let all = try context.fetch(FetchRequest<Event>(sortDescriptors: [.ascending(\.begin)]))
                #expect(try all.filter { try predicate.evaluate(with: $0) } == found)
            }
            return found.compactMap(\.objectID.primaryKey)
        }
        #expect(try keys() == [2, 1, 3])
        #expect(try keys(\.begin == Date(timeIntervalSince1970: 1_700_000_000)) == [1])
        #expect(try keys(\.begin > Date(timeIntervalSince1970: 1_700_000_000)) == [3])
        #expect(try keys(\.end <= Date(timeIntervalSince1970: 0.999)) == [2])
        #expect(try keys(\.end == nil) == [3])
        #expect(try keys(\.identity == identities[0]) == [1])
        #expect(try keys(.init(format: "identity IN %@", [identities[1], identities[2]])) == [2, 3])
        let events = try context.fetch(FetchRequest<Event>(sortDescriptors: [.ascending("objectID")]))
        #expect(events.map(\.identity) == identities)
        #expect(events[0].end == Date(timeIntervalSinceReferenceDate: 1_700_000_000.123 - 978_307_200))
        #expect(events[2].begin == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(
            try context.fetchDistinctValues(of: \.begin, in: FetchRequest<Event>())
                == events.map(\.begin).sorted { $0! < $1! })
        #expect(
            try context.aggregate(.max(\.end), of: FetchRequest<Event>(), as: Date.self) == events[0].end)
        var sort = FetchRequest<Event>(sortDescriptors: [.descending(\.identity)])
        sort.predicate = nil
        #expect(
            try context.fetch(sort).compactMap { $0.identity?.uuidString }
                == identities.map(\.uuidString).sorted(by: >))
    }

    @Test(arguments: bothWays)
    func `values are written in the form of their column`(way: StoreOptions.ExistingTables) throws {
        let container = try open(way)
        let context = container.newContext()
        let event = Event(context: context)
        event.begin = Date(timeIntervalSince1970: 1_234_567_890)
        event.end = Date(timeIntervalSince1970: 5.000_4)
        event.identity = identities[0]
        try context.save()
        #expect(
            try owner.sqlite("SELECT begin, typeof(begin), \"end\", uuid FROM events WHERE id = 4")
                == "1234567890|integer|5000|\(identities[0].uuidString.lowercased())")
        #expect(event.end == Date(timeIntervalSince1970: 5))
        event.begin = Date(timeIntervalSince1970: -0.5)
        try context.save()
        #expect(try owner.sqlite("SELECT begin FROM events WHERE id = 4") == "-0.5")
        try context.batchUpdate(
            FetchRequest<Event>(predicate: \.identity == identities[1]),
            set: [.set(\.end, to: Date(timeIntervalSince1970: 7)), .set(\.identity, to: identities[2])])
        #expect(
            try owner.sqlite("SELECT \"end\", uuid FROM events WHERE id = 2")
                == "7000|\(identities[2].uuidString.lowercased())")
        try container.write { writer in
            let table = try writer.table("Event")
            let value = identities[1].storedValue
            let moment = Date(timeIntervalSince1970: 10).storedValue
            _ = try table.insert([moment, .null, value])
            #expect(try table.upsert([moment, .null, value], keyColumn: 2).outcome == .unchanged)
            #expect(try table.upsert([.null, moment, value], keyColumn: 2).outcome == .updated)
        }
        #expect(
            try owner.sqlite("SELECT begin IS NULL, \"end\", uuid FROM events WHERE id = 5")
                == "1|10000|\(identities[1].uuidString.lowercased())")
        // A change by another program is a conflict in this form as well.
        try owner.sqlite("UPDATE events SET begin = 12 WHERE id = 4")
        event.begin = nil
        let error = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(error?.code == .conflict)
    }

    @Test func `a value in another form is a read error, and forms must fit their attributes`() throws {
        try owner.sqlite("UPDATE events SET begin = 'yesterday', uuid = 'none' WHERE id = 1")
        let context = try open(.untracked).newContext()
        let event = try #require(
            try context.existingObject(with: ObjectID(entityName: "Event", primaryKey: 1)) as? Event)
        #expect(event.begin == nil && event.readError?.propertyName == "begin")
        #expect(event.identity == nil && event.readError?.propertyName == "identity")
        let entity = EntityDescription(
            name: "Event", attributes: [AttributeDescription(name: "begin", type: .double)],
            existingTable: ExistingTable(name: "events", primaryKey: "id", forms: ["begin": .unixSeconds]))
        let error = #expect(throws: ObjectStorageError.self) { try ManagedObjectModel(entities: [entity]) }
        #expect(error?.code == .invalidModel)
        #expect(
            try ManagedObjectModel(jsonText: ManagedObjectModel(types: Event.self).jsonText()).versionDigest
                == ManagedObjectModel(types: Event.self).versionDigest)
    }
}
