import GRDB

extension LargeValueTable {
    /// Creates the table if a model needs it and it does not exist.
    static func createTable(for model: ManagedObjectModel, in database: Database) throws {
        guard model.entities.contains(where: { !$0.externalAttributes.isEmpty }),
            try ChangeTracking.trackingID(of: tableName, in: database) == nil
        else { return }
        try database.run(tableSQL)
        try ChangeTracking.begin(.externalData, in: database)
    }

    /// Writes a value, and returns the value for its row: the number if it is large, otherwise the value
    /// itself.
    static func insert(_ value: StoredValue, in database: Database) throws -> StoredValue {
        guard case .blob(let bytes) = value, bytes.count >= minimumSize else { return value }
        try database.run("INSERT INTO main.sc_data (data) VALUES (?1)", [value])
        return .integer(database.lastInsertedRowID)
    }

    /// Returns the bytes with a number; nil if none exist.
    static func value(_ number: Int64, in database: any StatementSource) throws -> StoredValue? {
        try database.rows("SELECT data FROM main.sc_data WHERE id = ?1", [.integer(number)]).first?.first
    }

    /// Deletes values to which no row refers, after a migration, during which no triggers fire.
    static func deleteUnused(_ model: ManagedObjectModel, in database: Database) throws {
        guard try ChangeTracking.trackingID(of: tableName, in: database) != nil else { return }
        let used = model.entities.flatMap { entity in
            entity.externalAttributes.map { attribute in
                let column = entity.columnSQL(attribute.name)
                let entityCondition =
                    entity.concreteEntityCondition(includesSubentities: false).map { " AND " + $0 } ?? ""
                return
                    "SELECT \(column) FROM \(entity.tableSQL) WHERE typeof(\(column)) = 'integer'\(entityCondition)"
            }
        }
        let condition = used.isEmpty ? "" : " WHERE id NOT IN (\(used.joined(separator: " UNION ALL ")))"
        try database.run("DELETE FROM main.sc_data" + condition)
    }
}
