extension LargeValueTable {
    /// From how many bytes on a value is kept here: what a list of twenty objects then reads for nothing is
    /// at most 320 KiB.
    static let minimumSize = 16_384

    /// The statement that makes the table. Numbers are not given again, so that an old one leads nowhere
    /// else.
    static let tableSQL =
        "CREATE TABLE main.sc_data (id INTEGER PRIMARY KEY AUTOINCREMENT, data BLOB NOT NULL)"

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
}
