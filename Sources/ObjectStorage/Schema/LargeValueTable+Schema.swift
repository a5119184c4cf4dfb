extension LargeValueTable {
    /// The size in bytes from which a value is stored in this table, so that a list of twenty objects reads
    /// at most 320 KiB of unused values.
    static let minimumSize = 16_384

    /// The statement that creates the table. Numbers are never reused, so that an old one never leads to
    /// another value.
    static let tableSQL =
        "CREATE TABLE main.sc_data (id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL)"

    /// Returns the triggers that delete values which no row of a table refers to any more, with their names
    /// in the schema.
    static func triggers(_ table: EntityTable) -> [(name: String, sql: String)] {
        table.entities.flatMap(triggers)
    }

    private static func triggers(_ entity: EntityDescription) -> [(name: String, sql: String)] {
        entity.ownAttributes.filter { !$0.isTransient && $0.allowsExternalStorage }.flatMap { attribute in
            let column = entity.columnSQL(attribute.name)
            // Another entity may store numbers in the same column.
            let entityCondition = entity.indexConcreteEntityCondition("OLD").map { " AND " + $0 } ?? ""
            return [("delete", "DELETE"), ("update", "UPDATE OF \(column)")].map { word, event in
                // No entity has a full stop in its name.
                let name = "sc_\(entity.name).\(attribute.name)_\(word)"
                let isOther = word == "update" ? " AND OLD.\(column) IS NOT NEW.\(column)" : ""
                return (
                    name,
                    """
                    CREATE TRIGGER main.\(name.quotedIdentifier) AFTER \(event) ON \(entity.tableName.quotedIdentifier) \
                    WHEN typeof(OLD.\(column)) = 'integer'\(isOther)\(entityCondition) \
                    BEGIN DELETE FROM sc_data WHERE id = OLD.\(column); END
                    """
                )
            }
        }
    }
}
