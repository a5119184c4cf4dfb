/// Where the rows are. What SQL says of an entity's table, its key and its columns is asked for here.
extension EntityDescription {
    /// The name of the SQLite table.
    package var tableName: String { existingTable?.name ?? name }

    /// The table as SQL names it.
    package var tableSQL: String { "main." + tableName.quotedIdentifier }

    /// The column of the primary key, as SQL.
    package var keySQL: String { existingTable?.primaryKey.columnIdentifier ?? "objectID" }

    /// The column of a property or an order, as SQL.
    package func columnSQL(_ slotName: String) -> String {
        guard let existingTable else { return slotName.quotedIdentifier }
        return (existingTable.columns[slotName] ?? slotName).columnIdentifier
    }

    /// What is said behind a column where its values are compared or sorted: an owner's column may have a collation of its
    /// own, and texts are compared by their bytes here, in SQL as in memory.
    package var collationSQL: String { existingTable == nil ? "" : " COLLATE BINARY" }

    /// The columns of all slots, as SQL.
    package var columnSQLs: [String] { slotNames.map(columnSQL) }
}

extension EntityDescription {
    /// A row of somebody else's table in the forms in which an object has its values.
    ///
    /// In a column of another affinity SQLite keeps 5.0 as 5 and a decimal as a number. What cannot be brought into the
    /// attribute's form stays as it is, and reading it says so.
    func normalized(_ row: [StoredValue]) -> [StoredValue] {
        guard existingTable != nil else { return row }
        var row = row
        for (slot, attribute) in storedAttributes.enumerated() where !row[slot].isNull {
            row[slot] = attribute.type.normalized(row[slot])
        }
        for slot in storedAttributes.count..<row.count {
            if case .real(let key) = row[slot], let key = Int64(exactly: key) { row[slot] = .integer(key) }
        }
        return row
    }
}

extension String {
    /// The name of an owner's column as an SQL identifier. Not in double quotes: when its owner takes the column away, SQLite
    /// would take the name for a text and go on.
    var columnIdentifier: String { "`" + replacing("`", with: "``") + "`" }
}
