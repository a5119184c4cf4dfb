import GRDB

/// The table of large values that are kept out of their rows.
///
/// A column holds the bytes, or the number of the row here that has them. Each row here belongs to one row
/// there: triggers delete it when that is deleted or has another value, whoever does it.
enum LargeValueTable {
    /// The name of the table.
    static let tableName = "sc_data"

    /// From how many bytes on a value is kept here: what a list of twenty objects then reads for nothing is
    /// at most 320 KiB.
    static let minimumSize = 16_384

    /// The statement that makes the table. Numbers are not given again, so that an old one leads nowhere
    /// else.
    static let tableSQL =
        "CREATE TABLE main.sc_data (id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL)"

    /// The value of a column, as SQL, wherever its bytes are.
    static func valueSQL(_ column: String) -> String {
        "CASE typeof(\(column)) WHEN 'integer' THEN (SELECT data FROM main.sc_data WHERE id = \(column)) ELSE \(column) END"
    }

    /// The triggers that delete what no row of a table has any more, with the names that SQLite knows them
    /// by.
    static func triggers(_ table: EntityTable) -> [(name: String, sql: String)] {
        table.entities.flatMap(triggers)
    }

    private static func triggers(_ entity: EntityDescription) -> [(name: String, sql: String)] {
        entity.ownAttributes.filter { !$0.isTransient && $0.allowsExternalStorage }.flatMap { attribute in
            let column = entity.columnSQL(attribute.name)
            // Another entity may have numbers in the same column.
            let kind = entity.indexKindCondition("OLD").map { " AND " + $0 } ?? ""
            return [("delete", "DELETE"), ("update", "UPDATE OF \(column)")].map { word, event in
                // No entity has a full stop in its name.
                let name = "sc_\(entity.name).\(attribute.name)_\(word)"
                let isOther = word == "update" ? " AND OLD.\(column) IS NOT NEW.\(column)" : ""
                return (
                    name,
                    """
                    CREATE TRIGGER main.\(name.quotedIdentifier) AFTER \(event) ON \(entity.tableName.quotedIdentifier) \
                    WHEN typeof(OLD.\(column)) = 'integer'\(isOther)\(kind) \
                    BEGIN DELETE FROM sc_data WHERE id = OLD.\(column); END
                    """
                )
            }
        }
    }

    /// Makes the table if a model needs it and it is not there.
    static func createTable(for model: ManagedObjectModel, in database: Database) throws {
        guard model.entities.contains(where: { !$0.externalAttributes.isEmpty }),
            try ChangeTracking.trackingID(of: tableName, in: database) == nil
        else { return }
        try database.run(tableSQL)
        try ChangeTracking.begin(.externalData, in: database)
    }

    /// Writes a value, and gives what stands for it in its row: its number if it is large, else itself.
    static func insert(_ value: StoredValue, in database: Database) throws -> StoredValue {
        guard case .blob(let bytes) = value, bytes.count >= minimumSize else { return value }
        try database.run("INSERT INTO main.sc_data (data) VALUES (?1)", [value])
        return .integer(database.lastInsertedRowID)
    }

    /// The bytes with a number; nil if there are none.
    static func value(_ number: Int64, in database: any StatementSource) throws -> StoredValue? {
        try database.rows("SELECT data FROM main.sc_data WHERE id = ?1", [.integer(number)]).first?.first
    }

    /// Deletes what no row has any more, after a migration that has no triggers.
    static func deleteUnused(_ model: ManagedObjectModel, in database: Database) throws {
        guard try ChangeTracking.trackingID(of: tableName, in: database) != nil else { return }
        let used = model.entities.flatMap { entity in
            entity.externalAttributes.map { attribute in
                let column = entity.columnSQL(attribute.name)
                let kind = entity.kindCondition(includesSubentities: false).map { " AND " + $0 } ?? ""
                return "SELECT \(column) FROM \(entity.tableSQL) WHERE typeof(\(column)) = 'integer'\(kind)"
            }
        }
        let condition = used.isEmpty ? "" : " WHERE id NOT IN (\(used.joined(separator: " UNION ALL ")))"
        try database.run("DELETE FROM main.sc_data" + condition)
    }
}

extension EntityDescription {
    /// The attributes whose large values are kept out of the row.
    var externalAttributes: [AttributeDescription] { storedAttributes.filter(\.allowsExternalStorage) }
}
