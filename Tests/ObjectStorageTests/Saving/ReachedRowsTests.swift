import Foundation
import ObjectStorage
import Testing

private final class Chamber: ManagedObject {
    @Attribute var name: String = ""
    @Relationship var members: Set<Lodger>
}

private final class Lodger: ManagedObject {
    @Attribute var nick: String = ""
    @Relationship(inverse: \Chamber.members, details: .init(isOptional: false)) var room: Chamber?
}

private final class Troop: ManagedObject {
    @Relationship(details: .init(isOptional: false)) var people: Set<Scout>
    @Relationship(details: .init(allowedCount: 1...2)) var badges: Set<Medal>
}

private final class Scout: ManagedObject {
    @Attribute(details: .init(rules: [.minimum(2)])) var nick: String = "xx"
    @Attribute(details: .init(rules: [.maximum(150)])) var age: Int16 = 20
    @Relationship(inverse: \Troop.people) var team: Troop?
}

private final class Medal: ManagedObject {
    @Attribute var word: String = ""
    @Relationship(inverse: \Troop.badges) var teams: Set<Troop>
}

/// Rules of relationships, for rows that are not in memory and that a save or a batch reaches.
struct ReachedRowsTests {
    /// Whether the objects that a change reaches are in memory.
    private static let held = [true, false]

    private func rooms() throws -> PersistentContainer {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Chamber.self, Lodger.self))
        let context = container.newContext()
        let room = Chamber(context: context)
        for nick in ["a", "b"] {
            let member = Lodger(context: context)
            (member.nick, member.room) = (nick, room)
        }
        try context.save()
        return container
    }

    /// Creates a team of one person with the first of two badges, and a team of two people with both.
    private func teams() throws -> PersistentContainer {
        let container = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Troop.self, Scout.self, Medal.self))
        let context = container.newContext()
        let badges = ["first", "second"].map { word in
            let badge = Medal(context: context)
            badge.word = word
            return badge
        }
        for count in 1...2 {
            let team = Troop(context: context)
            team.badges = Set(badges.prefix(count))
            for _ in 0..<count { Scout(context: context).team = team }
        }
        try context.save()
        return container
    }

    private func fault(_ body: () throws -> Void) -> ObjectStorageError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ObjectStorageError
        }
    }

    @Test(arguments: held)
    func `a deletion that empties a required relationship is refused`(isHeld: Bool) throws {
        let container = try rooms()
        let context = container.newContext()
        let members = isHeld ? try context.fetch(FetchRequest<Lodger>()) : []
        context.delete(try context.fetch(FetchRequest<Chamber>())[0])
        let error = try #require(fault { try context.save() })
        #expect(error.code == .missingValue && error.entityName == "Lodger" && error.propertyName == "room")
        #expect(error.faults.map(\.objectID?.primaryKey) == [1, 2])
        withExtendedLifetime(members) {}
        let other = container.newContext()
        #expect(try other.fetch(FetchRequest<Lodger>()).allSatisfy { $0.room != nil })
        #expect(try other.count(for: FetchRequest<Chamber>()) == 1)
    }

    @Test func `a deletion is saved if another change moves the members`() throws {
        let container = try rooms()
        let context = container.newContext()
        let old = try context.fetch(FetchRequest<Chamber>())[0]
        let new = Chamber(context: context)
        for member in try context.fetch(FetchRequest<Lodger>()) { member.room = new }
        context.delete(old)
        try context.save()
        let other = container.newContext()
        let members = try other.fetch(FetchRequest<Lodger>())
        #expect(members.count == 2 && members.allSatisfy { $0.room?.objectID == new.objectID })
    }

    @Test(arguments: held)
    func `a batch deletion that empties a required relationship is refused`(isHeld: Bool) throws {
        let container = try rooms()
        let context = container.newContext()
        let members = isHeld ? try context.fetch(FetchRequest<Lodger>()) : []
        let error = try #require(fault { try context.batchDelete(FetchRequest<Chamber>()) })
        #expect(error.code == .missingValue && error.faults.count == 2)
        let member = try context.fetch(FetchRequest<Lodger>())[0]
        member.nick = "changed"
        try context.save()
        withExtendedLifetime(members) {}
        #expect(try container.newContext().count(for: FetchRequest<Chamber>()) == 1)
    }

    @Test func `a batch deletion of members and then of their room succeeds`() throws {
        let container = try rooms()
        let context = container.newContext()
        try context.batchDelete(FetchRequest<Lodger>())
        try context.batchDelete(FetchRequest<Chamber>())
        #expect(try context.count(for: FetchRequest<Chamber>()) == 0)
    }

    @Test(arguments: held)
    func `a deletion that leaves a team without people is refused`(isHeld: Bool) throws {
        let context = try teams().newContext()
        let teams = isHeld ? try context.fetch(FetchRequest<Troop>()) : []
        context.delete(
            try #require(
                try context.fetch(FetchRequest<Scout>(sortDescriptors: [.ascending("objectID")])).first))
        let error = try #require(fault { try context.save() })
        #expect(error.code == .invalidValue && error.entityName == "Troop" && error.propertyName == "people")
        #expect(error.message.contains("must lead to at least 1"))
        withExtendedLifetime(teams) {}
    }

    @Test(arguments: held)
    func `a deletion that leaves a many-to-many relationship below its bound is refused`(
        isHeld: Bool
    ) throws {
        let context = try teams().newContext()
        let teams = isHeld ? try context.fetch(FetchRequest<Troop>()) : []
        let first = try context.fetch(FetchRequest<Medal>(predicate: \.word == "first"))[0]
        context.delete(first)
        let error = try #require(fault { try context.save() })
        #expect(
            error.entityName == "Troop" && error.propertyName == "badges" && error.objectID?.primaryKey == 1)
        #expect(error.message.contains("must lead to 1 to 2"))
        context.rollback()
        context.delete(try context.fetch(FetchRequest<Medal>(predicate: \.word == "second"))[0])
        try context.save()
        withExtendedLifetime(teams) {}
    }

    @Test func `batches respect the bounds of relationships`() throws {
        let container = try teams()
        let context = container.newContext()
        let one = FetchRequest<Scout>(predicate: try .init(format: "team.people.@count == 1"))
        for body in [
            { _ = try context.batchDelete(one) },
            { _ = try context.batchUpdate(one, set: [.set(\.team, to: nil)]) },
            { _ = try context.batchDelete(FetchRequest<Medal>(predicate: \.word == "first")) },
            { _ = try context.batchInsert(Troop.self, rows: [[:]]) },
        ] as [() throws -> Void] {
            let error = try #require(fault(body))
            #expect(error.code == .invalidValue && error.entityName == "Troop")
        }
        #expect(try context.count(for: FetchRequest<Scout>()) == 3)
        #expect(try context.count(for: FetchRequest<Troop>()) == 2)
        // One of two people may be deleted.
        let two = FetchRequest<Scout>(
            predicate: try .init(format: "team.people.@count == 2"),
            sortDescriptors: [.ascending("objectID")],
            fetchLimit: 1)
        try context.batchDelete(two)
        #expect(try context.count(for: FetchRequest<Scout>()) == 2)
    }

    @Test func `a batch writer refuses a row without a required relationship`() throws {
        let container = try rooms()
        let refused = try #require(
            fault {
                try container.write { writer in
                    _ = try writer.table("Lodger").insert([.text("c"), .null])
                }
            })
        #expect(refused.code == .missingValue && refused.propertyName == "room")
        try container.write { writer in
            _ = try writer.table("Lodger").insert([.text("c"), .integer(1)])
        }
        #expect(try container.newContext().count(for: FetchRequest<Lodger>()) == 3)
    }

    @Test func `a request that sorts by a transformable attribute is refused`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Photo",
                attributes: [
                    AttributeDescription(name: "place", type: .transformable, isOptional: true),
                    AttributeDescription(name: "title", type: .string),
                ])
        ])
        let context = try PersistentContainer(inMemoryWith: model).newContext()
        let sorted = FetchRequest<ManagedObject>(
            entityName: "Photo", sortDescriptors: [.ascending("title"), .descending("place")])
        let refused = try #require(fault { _ = try context.fetch(sorted) })
        #expect(refused.code == .invalidKeyPath && refused.propertyName == "place")
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Photo")).isEmpty)
    }

    @Test func `all validation errors of a save are reported together`() throws {
        let context = try PersistentContainer(
            inMemoryWith: ManagedObjectModel(types: Troop.self, Scout.self, Medal.self)
        ).newContext()
        let person = Scout(context: context)
        (person.nick, person.age) = ("x", 200)
        let team = Troop(context: context)
        let error = try #require(fault { try context.save() })
        #expect(error.faults.map(\.propertyName) == ["nick", "age", "people", "badges"])
        #expect(error.faults.map(\.entityName) == ["Scout", "Scout", "Troop", "Troop"])
        #expect(
            error.faults.map(\.objectID) == [person.objectID, person.objectID, team.objectID, team.objectID])
        #expect(error.message.contains("must have at least 2 characters"))
        #expect(error.message.contains("must be at most 150"))
        #expect(error.message.contains("leads to 0 objects, and must lead to at least 1"))
        #expect(error.code == .invalidValue && error.propertyName == "nick")
    }
}
