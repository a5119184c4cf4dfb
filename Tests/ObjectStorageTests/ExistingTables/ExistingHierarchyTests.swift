import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Tables with a column for the entity of a row, columns of positions, and keys of one-way relationships.
@Suite struct ExistingHierarchyTests {
    private static let schema = """
        CREATE TABLE media (id INTEGER PRIMARY KEY, kind INTEGER, title TEXT, pages INTEGER, seconds INTEGER,
            shelf INTEGER, place INTEGER, owner INTEGER);
        CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE fans (a INTEGER, b INTEGER, a_place INTEGER, b_place INTEGER, PRIMARY KEY (a, b));
        INSERT INTO shelf VALUES (1, 'low'), (2, 'high');
        INSERT INTO media VALUES (1, 7, 'Emma', 400, NULL, 1, 4096, 2), (2, 9, 'Solaris', NULL, 9900, 1, 2048, 2),
            (3, 7, 'Dune', 600, NULL, 1, 3072, 1), (4, 3, 'Globe', NULL, NULL, 2, 1, NULL),
            (5, 99, 'Unknown', 1, 1, 1, 1, 1), (6, NULL, 'None', 1, 1, 2, 1, 1);
        INSERT INTO fans VALUES (1, 1, 30, 5), (3, 1, 10, 7), (2, 1, 20, 6), (1, 2, 1, 4);
        """
    private static let numbers: [String: Int64] = ["Medium": 3, "Book": 7, "Film": 9]

    private static func table(
        columns: [String: String] = [:],
        entityColumn: ExistingTable.EntityColumn? = .init(
            name: "kind", numbers: numbers)
    ) -> ExistingTable {
        ExistingTable(
            name: "media", primaryKey: "id", columns: columns, orderColumns: ["shelf": "place"],
            entityColumn: entityColumn)
    }

    private static func model(
        table: ExistingTable = table()
    ) throws(ObjectStorageError) -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Medium", attributes: [AttributeDescription(name: "title", type: .string)],
                relationships: [.toOne("shelf", to: "Shelf", inverse: "media")], existingTable: table),
            EntityDescription(
                name: "Book", parentName: "Medium",
                attributes: [AttributeDescription(name: "length", type: .integer32)],
                existingTable: Self.table(
                    columns: ["length": "pages"], entityColumn: table.entityColumn)),
            EntityDescription(
                name: "Film", parentName: "Medium",
                attributes: [AttributeDescription(name: "length", type: .integer32)],
                existingTable: Self.table(
                    columns: ["length": "seconds"], entityColumn: table.entityColumn)),
            EntityDescription(
                name: "Shelf", attributes: [AttributeDescription(name: "name", type: .string)],
                relationships: [
                    .toMany("media", to: "Medium", inverse: "shelf", isOrdered: true),
                    .toMany("owned", to: "Medium"),
                    .toMany("fans", to: "Shelf", inverse: "idols", isOrdered: true),
                    .toMany("idols", to: "Shelf", inverse: "fans", isOrdered: true),
                ],
                existingTable: ExistingTable(
                    name: "shelf", primaryKey: "id",
                    links: [
                        "owned": ExistingLinkTable(name: "media", ownColumn: "owner", otherColumn: "id"),
                        "fans": ExistingLinkTable(
                            name: "fans", ownColumn: "b", otherColumn: "a", orderColumn: "a_place",
                            inverseOrderColumn: "b_place"),
                    ])),
        ])
    }

    private static func open(_ directory: TemporaryDirectory, isReadOnly: Bool = true) throws
        -> PersistentContainer
    {
        let file = directory.file("media.sqlite")
        try Library.runElsewhere(schema, path: file.path)
        return try PersistentContainer(
            url: file, model: model(),
            options: StoreOptions(isReadOnly: isReadOnly, existingTables: .untracked))
    }

    private static func titles(_ objects: [ManagedObject]) -> [String] {
        objects.map { object in
            if case .text(let title) = object["title"] { "\(object.entity.name) \(title)" } else { "?" }
        }
    }

    @Test func `numbers determine the entities of rows, and rows with other numbers are not objects`() throws
    {
        let directory = try TemporaryDirectory()
        let context = try Self.open(directory).newContext()
        func fetch(_ name: String, _ format: String? = nil, includesSubentities: Bool = true) throws
            -> [String]
        {
            var request = FetchRequest<ManagedObject>(
                entityName: name, predicate: try format.map { try .init(format: $0) })
            request.includesSubentities = includesSubentities
            #expect(
                try context.fetchIDs(request).map(\.entityName).sorted()
                    == context.fetch(request).map(\.entity.name).sorted())
            return Self.titles(try context.fetch(request))
        }
        #expect(try fetch("Medium") == ["Book Emma", "Film Solaris", "Book Dune", "Medium Globe"])
        #expect(try fetch("Medium", includesSubentities: false) == ["Medium Globe"])
        #expect(try fetch("Book", "length > 500") == ["Book Dune"])
        #expect(try fetch("Film", "length > 500") == ["Film Solaris"])
        #expect(try fetch("Medium", "shelf.name == 'low'") == ["Book Emma", "Film Solaris", "Book Dune"])
        let books = FetchRequest<ManagedObject>(entityName: "Book")
        #expect(try context.fetch(books).map { $0["length"] } == [.integer(400), .integer(600)])
        let missing = try context.object(with: ObjectID(entityName: "Book", primaryKey: 2))
        let error = #expect(throws: ObjectStorageError.self) { try missing.load() }
        #expect(error?.message.contains("its row is now of entity “Film”") == true, "\(error?.message ?? "")")
        let unknown = try context.object(with: ObjectID(entityName: "Book", primaryKey: 5))
        let unknownError = #expect(throws: ObjectStorageError.self) { try unknown.load() }
        #expect(unknownError?.code == .unknownEntity)
    }

    @Test func `relationships use positions with gaps, and keys in the destination's table`() throws {
        let directory = try TemporaryDirectory()
        let context = try Self.open(directory).newContext()
        for prefetched in [[], ["media", "owned", "fans", "idols"]] {
            context.reset()
            var request = FetchRequest<ManagedObject>(entityName: "Shelf")
            request.relationshipKeyPathsForPrefetching = prefetched
            let shelves = try context.fetch(request)
            #expect(
                try Self.titles(shelves[0].relatedObjects("media")) == [
                    "Film Solaris", "Book Dune", "Book Emma",
                ])
            #expect(try Self.titles(shelves[1].relatedObjects("media")) == ["Medium Globe"])
            #expect(try Self.titles(shelves[0].relatedObjects("owned")) == ["Book Dune"])
            #expect(
                try Set(Self.titles(shelves[1].relatedObjects("owned"))) == ["Book Emma", "Film Solaris"])
            #expect(try shelves[0].relatedObjects("fans").map(\.objectID.primaryKey) == [2, 1])
            #expect(try shelves[0].relatedObjects("idols").map(\.objectID.primaryKey) == [2, 1])
        }
        let owners = FetchRequest<ManagedObject>(
            entityName: "Shelf", predicate: try .init(format: "ANY owned.title == 'Emma'"))
        #expect(try context.fetch(owners).map(\.objectID.primaryKey) == [2])
    }

    @Test func `such tables are opened only for reading`() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: ObjectStorageError.self) { try Self.open(directory, isReadOnly: false) }
        #expect(error?.code == .existingTableMismatch && error?.message.contains("isReadOnly: true") == true)
        let other = try TemporaryDirectory()
        let context = try Self.open(other).newContext()
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))[0]["title"] = "Persuasion"
        let saving = #expect(throws: ObjectStorageError.self) { try context.save() }
        #expect(saving?.code == .storeReadOnly)
    }

    @Test func `a description that contradicts itself is refused`() throws {
        func message(_ table: ExistingTable) -> String {
            do throws(ObjectStorageError) {
                _ = try Self.model(table: table)
                return ""
            } catch {
                return error.message
            }
        }
        #expect(message(Self.table(entityColumn: nil)).contains("Give one with entityColumn"))
        for numbers in [["Medium": 3, "Book": 7], ["Medium": 3, "Book": 7, "Film": 7]] as [[String: Int64]] {
            let table = Self.table(entityColumn: .init(name: "kind", numbers: numbers))
            #expect(message(table).contains("a different number for each of"))
        }
        let unordered = ExistingTable(
            name: "media", primaryKey: "id", entityColumn: .init(name: "kind", numbers: Self.numbers))
        #expect(message(unordered).contains("Give one with orderColumns"))
        let other = ExistingTable(
            name: "films", primaryKey: "id", orderColumns: ["shelf": "place"],
            entityColumn: .init(name: "kind", numbers: Self.numbers))
        #expect(message(other).contains("must describe the same table"))
    }

    @Test func `a decoded mapping equals the encoded one`() throws {
        let model = try Self.model()
        let decoded = try ManagedObjectModel(jsonText: model.jsonText())
        #expect(decoded.versionDigest == model.versionDigest)
        #expect(decoded.entities.map(\.existingTable) == model.entities.map(\.existingTable))
    }
}
