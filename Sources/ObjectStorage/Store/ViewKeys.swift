import GRDB

/// The columns of a view that can be keys of objects: an integer in each row, and no integer twice.
///
/// A view declares neither keys nor uniqueness, so its rows are examined.
enum ViewKeys {
    /// The largest number of columns that are examined.
    static let maximumColumnCount = 16

    /// Returns the columns that can be keys now, in the given order.
    ///
    /// - Parameters:
    ///   - columns: The names of the columns; only the first ``maximumColumnCount`` are examined.
    ///   - sql: The view as written in SQL.
    /// - Throws: `DatabaseError`, with the reason if the view cannot be read.
    /// - Complexity: O(*n* log *n*) in the rows of the view.
    static func find(
        among columns: [String], ofView sql: String, in source: any StatementSource
    ) throws -> [String] {
        let columns = Array(columns.prefix(maximumColumnCount))
        guard !columns.isEmpty else { return [] }
        let counts = columns.map { name in
            let column = name.columnIdentifier
            return "count(DISTINCT \(column)), count(CASE WHEN typeof(\(column)) = 'integer' THEN 1 END)"
        }
        let row =
            try source.rows("SELECT count(*), \(counts.joined(separator: ", ")) FROM \(sql)").first ?? []
        guard row.count == 1 + 2 * columns.count else { return [] }
        return columns.indices.filter { row[1 + 2 * $0] == row[0] && row[2 + 2 * $0] == row[0] }.map {
            columns[$0]
        }
    }
}
