import CheckSupport
import Foundation
import ObjectStorage
import Testing

@Suite final class InheritanceMigrationTests {
    private let directory: TemporaryDirectory
    private let url: URL
    private var contexts: [ManagedObjectContext] = []

    init() throws {
        directory = try TemporaryDirectory()
        url = directory.file("store.sqlite")
        let context = try open(Self.first)
        let owner = try context.insert(entityNamed: "Owner")
        for (position, name) in ["Item", "Book", "Novel", "Disc"].enumerated() {
            let item = try context.insert(entityNamed: name)
            item["title"] = .text("\(name) title")
            try item.setRelatedObject(owner, forRelationship: "owner")
            if name == "Book" || name == "Novel" { item["pages"] = .integer(Int64(100 * position)) }
            if name == "Disc" { try item.setRelatedObjects([owner], forRelationship: "fans") }
        }
        try context.save()
    }

    private struct Entity {
        var name: String
        var parent: String?
        var attributes: [AttributeDescription]
        var relationships: [RelationshipDescription] = []
        var previous: String?
    }

    private static let first = [
        Entity(name: "Owner", attributes: []),
        Entity(
            name: "Item", attributes: [AttributeDescription(name: "title", type: .string, isUnique: true)],
            relationships: [.toOne("owner", to: "Owner")]),
        Entity(
            name: "Book", parent: "Item",
            attributes: [AttributeDescription(name: "pages", type: .integer32, defaultValue: 0)]),
        Entity(name: "Novel", parent: "Book", attributes: []),
        Entity(
            name: "Disc", parent: "Item", attributes: [], relationships: [.toMany("fans", to: "Owner")]),
    ]

    private func changed(_ change: (inout [Entity]) -> Void) -> [Entity] {
        var entities = Self.first
        change(&entities)
        return entities
    }

    @discardableResult
    private func open(
        _ entities: [Entity], _ options: StoreOptions = StoreOptions()
    ) throws -> ManagedObjectContext {
        let model = try ManagedObjectModel(
            entities: entities.map {
                EntityDescription(
                    name: $0.name, parentName: $0.parent, attributes: $0.attributes,
                    relationships: $0.relationships, renamingIdentifier: $0.previous)
            })
        contexts.append(try PersistentContainer(url: url, model: model, options: options).newContext())
        return contexts[contexts.count - 1]
    }

    private func all(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(
            FetchRequest<ManagedObject>(entityName: entity, sortDescriptors: [.ascending("objectID")]))
    }

    private func lines(_ sql: String) throws -> [String] { try Library.lines(of: sql, path: url.path) }

    private func identities(_ entity: String, _ context: ManagedObjectContext) throws -> [String] {
        try all(entity, context).map(\.objectID.description)
    }

    @Test
    func `attributes of parents and children are added, removed and renamed, and rows are kept`() throws {
        let context = try open(
            changed {
                $0[1].attributes = [
                    AttributeDescription(
                        name: "name", type: .string, isUnique: true, renamingIdentifier: "title"),
                    AttributeDescription(name: "state", type: .string, defaultValue: "new"),
                ]
                $0[2].attributes = [
                    AttributeDescription(
                        name: "size", type: .integer32, isOptional: true, renamingIdentifier: "pages")
                ]
                $0[4].attributes = [AttributeDescription(name: "minutes", type: .double, defaultValue: 1.5)]
                $0[4].relationships = []
            })
        #expect(try identities("Item", context) == ["Item/1", "Book/2", "Novel/3", "Disc/4"])
        #expect(
            try all("Item", context).map { $0["name"] }
                == ["Item title", "Book title", "Novel title", "Disc title"])
        #expect(try all("Item", context).allSatisfy { $0["state"] == "new" })
        #expect(try all("Book", context).map { $0["size"] } == [100, 200])
        #expect(try all("Disc", context).map { $0["minutes"] } == [1.5])
        #expect(try all("Owner", context).count == 1)
        #expect(try lines("SELECT count(*) FROM Item WHERE minutes NOT NULL") == ["1"])
        #expect(try lines("SELECT name FROM sqlite_schema WHERE name = 'Disc.fans'") == [])
    }

    @Test func `a store that must not be migrated gives an error that names the differences`() throws {
        let entities = changed { $0.append(Entity(name: "Game", parent: "Item", attributes: [])) }
        let error = storageError { try open(entities, StoreOptions(migratesAutomatically: false)) }
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.message.contains("“Item” (other sub-entities: Game)") == true, "\(error?.message ?? "")")
    }

    @Test
    func `a sub-entity is added, and rows that another program inserts belong to the root entity`() throws {
        let context = try open(
            changed {
                $0.append(
                    Entity(
                        name: "Game", parent: "Item",
                        attributes: [AttributeDescription(name: "pages", type: .string)]))
            })
        let game = try context.insert(entityNamed: "Game")
        game["pages"] = "007"
        game["title"] = "Game title"
        try context.save()
        #expect(
            try lines("SELECT pages, typeof(pages) FROM Item WHERE pages NOT NULL") == [
                "100|integer", "200|integer", "007|text",
            ])
        try Library.runElsewhere("INSERT INTO Item (title) VALUES ('foreign')", path: url.path)
        #expect(try identities("Item", context).suffix(2) == ["Game/5", "Item/6"])
    }

    @Test func `entities of a hierarchy are renamed with their rows and relationships`() throws {
        let context = try open(
            changed {
                $0[1].name = "Thing"
                $0[1].previous = "Item"
                $0[2].parent = "Thing"
                $0[3].name = "Story"
                $0[3].previous = "Novel"
                $0[4].parent = "Thing"
            })
        #expect(try identities("Thing", context) == ["Thing/1", "Book/2", "Story/3", "Disc/4"])
        #expect(try all("Story", context).map { $0["pages"] } == [200])
        let disc = try #require(try all("Disc", context).first)
        #expect(try disc.relatedObjects("fans").count == 1)
        #expect(try disc.relatedObject("owner") != nil)
        context.delete(disc)
        try context.save()
        #expect(try lines("SELECT count(*) FROM \"Disc.fans\"") == ["0"])
        #expect(try lines("PRAGMA foreign_key_check") == [])
        #expect(try lines("SELECT name FROM sqlite_schema WHERE name IN ('Item', 'Thing')") == ["Thing"])
    }

    @Test
    func `rows of a sub-entity that the model no longer has are kept, and no request finds them`() throws {
        let context = try open(changed { $0.removeLast() })
        #expect(try identities("Item", context) == ["Item/1", "Book/2", "Novel/3"])
        #expect(
            try lines("SELECT \".entity\" FROM Item ORDER BY objectID") == ["Item", "Book", "Novel", "Disc"])
        #expect(try identities("Disc", open(Self.first)) == ["Disc/4"])
    }

    @Test func `an entity that loses all its sub-entities does not take over their rows`() throws {
        for _ in 0..<2 {
            let context = try open(Array(Self.first.prefix(2)))
            #expect(try identities("Item", context) == ["Item/1"])
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Item")) == 1)
            try all("Item", context)[0]["title"] = "changed"
            try context.save()
        }
        let new = try #require(try contexts.last?.insert(entityNamed: "Item"))
        new["title"] = "new"
        try contexts.last?.save()
        #expect(
            try lines("SELECT \".entity\", title FROM Item WHERE objectID > 3") == [
                "Disc|Disc title", "Item|new",
            ])
        let options = StoreOptions(isReadOnly: true)
        #expect(try identities("Item", open(Array(Self.first.prefix(2)), options)) == ["Item/1", "Item/5"])
    }

    @Test func `an entity that gets its first sub-entity keeps its rows`() throws {
        let context = try open(changed { $0.append(Entity(name: "Shop", parent: "Owner", attributes: [])) })
        #expect(try identities("Owner", context) == ["Owner/1"])
        let book = try #require(try all("Book", context).first)
        #expect(try book.relatedObject("owner")?.objectID.description == "Owner/1")
        #expect(try lines("SELECT \".entity\" FROM Owner") == ["Owner"])
        #expect(try lines("PRAGMA foreign_key_check") == [])
    }

    @Test func `a new parent in the same table requires a step, which sees only rows of its entity`() throws {
        let entities = changed { $0[4].parent = "Book" }
        let refused = storageError { try open(entities) }
        #expect(refused?.code == .modelMismatch && refused?.entityName == "Disc")
        #expect(refused?.message.contains("MigrationStep") == true)
        let step = MigrationStep(of: "Disc") { old in
            ["pages": .integer(Int64(old["title"].text?.count ?? 0)), "title": "stepped"]
        }
        let context = try open(entities, StoreOptions(migrationSteps: [step]))
        #expect(try identities("Book", context) == ["Book/2", "Novel/3", "Disc/4"])
        #expect(try all("Book", context).map { $0["pages"] } == [100, 200, 10])
        #expect(
            try all("Item", context).map { $0["title"] } == [
                "Item title", "Book title", "Novel title", "stepped",
            ])
    }

    @Test(arguments: [0, 1, 2])
    func `a move to another table is refused, with or without a step`(which: Int) throws {
        let entities = changed {
            switch which {
            case 0: $0[4].parent = nil
            case 1: $0[0].parent = "Item"
            default:
                $0.append(Entity(name: "All", attributes: []))
                $0[1].parent = "All"
            }
        }
        let name = ["Disc", "Owner", "Item"][which]
        for steps in [[], [MigrationStep(of: name) { _ in [:] }]] {
            let error = storageError { try open(entities, StoreOptions(migrationSteps: steps)) }
            #expect(error?.code == .modelMismatch && error?.entityName == name, "\(error?.message ?? "none")")
            #expect(error?.message.contains("another table") == true)
        }
        #expect(try identities("Item", open(Self.first)).count == 4)
    }

    @Test func `a row of an unknown entity stops a migration that would lose it`() throws {
        try Library.runElsewhere("UPDATE Item SET \".entity\" = 'Game' WHERE objectID = 4", path: url.path)
        let entities = changed {
            $0[1].attributes.append(AttributeDescription(name: "x", type: .string, isOptional: true))
        }
        let error = storageError { try open(entities) }
        #expect(error?.code == .modelMismatch && error?.message.contains("Item/4") == true)
        #expect(try lines("SELECT count(*) FROM Item") == ["4"])
    }

    @Test func `a store of a newer model is refused, also by a program with fewer sub-entities`() throws {
        let fewer = changed { $0.removeLast() }
        try open(fewer)
        var newer = fewer
        newer[1].attributes.append(AttributeDescription(name: "x", type: .string, isOptional: true))
        try open(newer)
        let error = storageError { try open(fewer) }
        #expect(error?.code == .newerModel && error?.entityName == "Item")
        #expect(try identities("Item", open(newer)) == ["Item/1", "Book/2", "Novel/3"])
    }

    @Test func `an older program reads the entities that it knows in a hierarchy that has grown`() throws {
        let newer = try open(changed { $0.append(Entity(name: "Game", parent: "Item", attributes: [])) })
        let game = try newer.insert(entityNamed: "Game")
        game["title"] = "Game title"
        try newer.save()
        let older = try open(Self.first)
        #expect(try identities("Item", older) == ["Item/1", "Book/2", "Novel/3", "Disc/4"])
        #expect(try identities("Item", newer).last == "Game/5")
    }
}
