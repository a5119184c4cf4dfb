import GRDB
import GRDBSQLite

extension StoreSnapshot {
    /// The places of rows that stand before and behind some, near them if not next to them, whether or not the request finds them.
    ///
    /// Only as many as an index tells. SQLite is not asked whether there is one: a search that goes through more than a few rows is
    /// broken off, and is the last.
    ///
    /// - Parameter keys: The rows.
    /// - Returns: The places in no order, some perhaps more than once.
    /// - Complexity: O(*k* log *n*) for *k* keys in a table of *n* rows.
    package func neighbours(ofKeys keys: some Sequence<Int64>, _ compiled: CompiledRows) throws -> [RowPlace]
    {
        guard let sql = compiled.neighbourSQL else { return [] }
        let directions = try [sql.next, sql.previous].map { sqls in
            try sqls.map { try SQLiteStatement($0, in: database) }
        }
        let connection = database.sqliteConnection
        sqlite3_progress_handler(connection, Self.mostSteps, { _ in 1 }, nil)
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        var places: [RowPlace] = []
        do {
            for key in keys {
                for statements in directions {
                    for statement in statements {
                        guard let place = try place(statement, key, compiled.order) else { continue }
                        places.append(place)
                        break
                    }
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            // No index serves.
        }
        return places
    }

    /// How many steps of SQLite's machine one search may take. One that an index serves takes less than a hundred.
    private static let mostSteps: CInt = 2_000

    private func place(_ statement: SQLiteStatement, _ key: Int64, _ order: RowOrder) throws -> RowPlace? {
        statement.forgetSteps()
        try statement.bind(key, at: 1)
        return try statement.use { try $0.step() ? order.place($0) : nil }
    }
}
