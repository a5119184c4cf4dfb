/// The table of large values that are kept out of their rows.
///
/// A column holds the bytes, or the number of the row here that has them. Each row here belongs to one row
/// there: triggers delete it when that is deleted or has another value, whoever does it.
enum LargeValueTable {
    /// The name of the table.
    static let tableName = "sc_data"

    /// The value of a column, as SQL, wherever its bytes are.
    static func valueSQL(_ column: String) -> String {
        "CASE typeof(\(column)) WHEN 'integer' THEN (SELECT data FROM main.sc_data WHERE id = \(column)) ELSE \(column) END"
    }
}

extension EntityDescription {
    /// The attributes whose large values are kept out of the row.
    var externalAttributes: [AttributeDescription] { storedAttributes.filter(\.allowsExternalStorage) }
}
