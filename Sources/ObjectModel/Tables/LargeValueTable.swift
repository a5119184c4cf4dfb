/// The table of large values that are stored outside their rows.
///
/// A column holds the bytes, or the number of the row of this table that holds them. Each row of this table
/// belongs to one row of an entity's table: triggers delete it when that row is deleted or gets another
/// value, also if another program does this.
package enum LargeValueTable {
    /// The name of the table.
    package static let tableName = "sc_data"

    /// Returns the value of a column, as SQL, read from the column or from this table.
    package static func valueSQL(_ column: String) -> String {
        "CASE typeof(\(column)) WHEN 'integer' THEN (SELECT data FROM main.sc_data WHERE id = \(column)) ELSE \(column) END"
    }
}

extension EntityDescription {
    /// The attributes whose large values are stored outside the row.
    package var externalAttributes: [AttributeDescription] {
        storedAttributes.filter(\.allowsExternalStorage)
    }
}
