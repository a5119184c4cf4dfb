/// Where the rows are. What SQL says of an entity's table, its key and its columns is asked for here.
extension EntityDescription {
    /// The name of the SQLite table.
    package var tableName: String { name }

    /// The table as SQL names it.
    package var tableSQL: String { "main." + tableName.quotedIdentifier }

    /// The column of the primary key, as SQL.
    package var keySQL: String { "objectID" }

    /// The column of a property or an order, as SQL.
    package func columnSQL(_ slotName: String) -> String { slotName.quotedIdentifier }

    /// The columns of all slots, as SQL.
    package var columnSQLs: [String] { slotNames.map(columnSQL) }
}
