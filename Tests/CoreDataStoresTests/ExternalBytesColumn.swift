import CoreDataStores
import Foundation
import ObjectStorage
import Testing

/// A column of a Core Data store whose values may be in files beside the store.
struct ExternalBytesColumn {
    /// The store.
    let store: CoreDataStore
    /// The entity that has the attribute.
    let entity: EntityDescription
    /// The attribute that the column contains.
    let attribute: String
    private let tableName: String
    private let columnName: String
    private let entityNumber: Int64

    /// Finds the first such column of a store.
    init(ofStoreAt url: URL) throws {
        store = try CoreDataStore(contentsOf: url)
        let found = store.model.entities.compactMap { entity in
            entity.existingTable?.forms.keys.min().map { (entity, $0) }
        }
        (entity, attribute) = try #require(found.first)
        let table = try #require(entity.existingTable)
        tableName = table.name
        columnName = table.columns[attribute] ?? attribute
        entityNumber = table.entityColumn?.numbers[entity.name] ?? 1
    }

    /// Adds rows with the keys 1, 2 and so on, and removes the store's triggers, which call functions of Core
    /// Data.
    ///
    /// - Parameter values: The values in the column, as SQL.
    func insert(_ values: [String]) throws {
        let rows = values.enumerated().map { "(\($0 + 1), \(entityNumber), CAST(\($1) AS BLOB))" }
        try SampleStore.execute(
            """
            PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'trigger';
            PRAGMA writable_schema = RESET;
            INSERT INTO \(tableName) (Z_PK, Z_ENT, \(columnName)) VALUES \(rows.joined(separator: ", "))
            """, in: store.url)
    }

    /// Returns the SQL of a value that is in a file.
    static func sql(ofFileNamed name: String) -> String { "x'02' || CAST('\(name)' AS BLOB)" }
}
