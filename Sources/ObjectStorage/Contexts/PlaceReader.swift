import GRDB

/// Reads where rows of a snapshot stand in an order, with one statement for all of them.
package struct PlaceReader {
    private let statement: SQLiteStatement
    private let keyParameter: Int
    private let order: RowOrder

    init(_ compiled: CompiledRows, in database: Database) throws {
        statement = try SQLiteStatement(compiled.placeSQL, in: database)
        try statement.bind(compiled.arguments)
        keyParameter = compiled.keysParameter
        order = compiled.order
    }

    /// Where a row stands, whether or not the request finds it; nil if there is no such row.
    ///
    /// - Complexity: O(log *n*) in the number of rows of the table.
    package func place(ofKey key: Int64) throws -> RowPlace? {
        try statement.bind(key, at: keyParameter)
        return try statement.use { try $0.step() ? order.place($0) : nil }
    }
}
