import CheckSupport
import Foundation
import ObjectStorage
import Testing

/// Deletions in stores of other programs, in whose tables entities of a hierarchy share columns.
@Suite struct ExistingHierarchyDeletionTests {
    /// Rules that permit every write.
    private final class PermissiveRules: TransactionRules {
        func prepare(_ connection: ExternalStoreConnection) {}
        func willBegin(in database: ExternalStoreConnection) {}
        func begin(in database: ExternalStoreConnection) {}
        func lastKey(inTableNamed name: String, in database: ExternalStoreConnection) -> Int64 { 0 }
        func complete(in database: ExternalStoreConnection) -> Set<ObjectID> { [] }
        func willCommit() {}
        func end(isCommitted: Bool) {}
    }

    private static let schema = """
        CREATE TABLE media (id INTEGER PRIMARY KEY, kind INTEGER, version INTEGER, link INTEGER, owner INTEGER);
        CREATE TABLE shelf (id INTEGER PRIMARY KEY, kind INTEGER, version INTEGER);
        CREATE TABLE studio (id INTEGER PRIMARY KEY, kind INTEGER, version INTEGER);
        INSERT INTO shelf VALUES (1, 1, 1), (2, 1, 1);
        INSERT INTO studio VALUES (1, 2, 1), (2, 2, 1);
        INSERT INTO media VALUES (1, 7, 1, 1, 1), (2, 9, 1, 1, 1), (3, 7, 1, 2, 1), (4, 9, 1, 2, 1),
            (5, 99, 1, 1, 1);
        """

    private static func table(
        _ name: String, _ number: Int64, columns: [String: String] = [:],
        links: [String: ExistingLinkTable] = [:], hierarchy: [String: Int64]? = nil
    ) -> ExistingTable {
        var table = ExistingTable(
            name: name, primaryKey: "id", columns: columns, links: links,
            entityColumn: hierarchy.map { .init(name: "kind", numbers: $0) })
        table.rowRules = ExistingTable.RowRules(
            versionColumn: "version", entityColumn: "kind", entityNumber: number)
        return table
    }

    private static func model() throws(ObjectStorageError) -> ManagedObjectModel {
        let numbers: [String: Int64] = ["Medium": 3, "Book": 7, "Film": 9]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Medium", isAbstract: true, attributes: [],
                existingTable: table("media", 3, hierarchy: numbers)),
            EntityDescription(
                name: "Book", parentName: "Medium", attributes: [],
                relationships: [.toOne("shelf", to: "Shelf", inverse: "books")],
                existingTable: table("media", 7, columns: ["shelf": "link"], hierarchy: numbers)),
            EntityDescription(
                name: "Film", parentName: "Medium", attributes: [],
                relationships: [.toOne("studio", to: "Studio", inverse: "films")],
                existingTable: table("media", 9, columns: ["studio": "link"], hierarchy: numbers)),
            EntityDescription(
                name: "Shelf", attributes: [],
                relationships: [
                    .toMany("books", to: "Book", inverse: "shelf"), .toMany("owned", to: "Book"),
                ],
                existingTable: table(
                    "shelf", 1,
                    links: ["owned": ExistingLinkTable(name: "media", ownColumn: "owner", otherColumn: "id")]
                )),
            EntityDescription(
                name: "Studio", attributes: [],
                relationships: [.toMany("films", to: "Film", inverse: "studio")],
                existingTable: table("studio", 2)),
        ])
    }

    @Test func `a deletion clears the references of the entity, and not those of a sibling`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("media.sqlite")
        try Library.runElsewhere(Self.schema, path: file.path)
        var options = StoreOptions(existingTables: .untracked)
        options.transactionRules = PermissiveRules()
        let context = try PersistentContainer(url: file, model: Self.model(), options: options).newContext()
        func rows() throws -> [String] {
            try Python.lines(
                of: """
                    import sqlite3, sys
                    for r in sqlite3.connect(sys.argv[1]).execute('SELECT id, kind, link, owner FROM media'): print(*r)
                    """, file.path)
        }
        context.delete(try context.object(with: ObjectID(entityName: "Shelf", primaryKey: 1)))
        try context.save()
        #expect(try rows() == ["1 7 None None", "2 9 1 1", "3 7 2 None", "4 9 2 1", "5 99 1 1"])
        context.delete(try context.object(with: ObjectID(entityName: "Studio", primaryKey: 2)))
        try context.save()
        #expect(try rows() == ["1 7 None None", "2 9 1 1", "3 7 2 None", "4 9 None 1", "5 99 1 1"])
    }
}
