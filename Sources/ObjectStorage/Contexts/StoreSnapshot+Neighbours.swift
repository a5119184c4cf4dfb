import GRDB
import GRDBSQLite

extension StoreSnapshot {
    /// The places of rows that stand before and behind some, near them if not next to them, whether or not
    /// the request finds them.
    ///
    /// Only as many as an index tells. SQLite is not asked whether there is one: a search that goes through
    /// more than a few rows is broken off, and is the last of its way. A way that was of no use at all is left
    /// out for some time. On a connection of the application's searches cannot be broken off, because it may
    /// have a progress handler of its own; there nothing is told.
    ///
    /// - Parameter keys: The rows.
    /// - Returns: The places in no order, some perhaps more than once.
    /// - Complexity: O(*k* log *n*) for *k* keys in a table of *n* rows.
    package func neighbours(ofKeys keys: [Int64], _ compiled: CompiledRows) throws -> [SortKey] {
        guard isOwnConnection else { return [] }
        let connection = database.connection
        sqlite3_progress_handler(connection, Self.mostSteps, { _ in 1 }, nil)
        defer {
            sqlite3_progress_handler(connection, 0, nil, nil)
            StatementBudget.watchProgress(on: connection)
        }
        var places: [SortKey] = []
        var remaining = keys[...]
        for (way, sql) in compiled.neighbourSQL.enumerated() {
            guard !remaining.isEmpty, compiled.lookupBackoff.isToBeTried(way) else { continue }
            let known = places.count
            var directions = [sql.next, sql.previous].map { $0.map(NeighbourSearch.init) }
            var numberOfPlaces = places.count
            do {
                while let key = remaining.first {
                    for direction in directions.indices {
                        for number in directions[direction].indices {
                            let place = try directions[direction][number].place(key, compiled, in: database)
                            guard let place else { continue }
                            places.append(place)
                            break
                        }
                    }
                    remaining.removeFirst()
                    numberOfPlaces = places.count
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                // No index serves this way.
                places.removeLast(places.count - numberOfPlaces)
                if places.count == known { compiled.lookupBackoff.leaveOut(way) }
            }
        }
        return places
    }

    /// How many steps of SQLite's machine one search may take. One that an index serves takes less than a
    /// hundred.
    private static let mostSteps: CInt = 500
}

/// A search for the row next to one, compiled when it is first needed.
private struct NeighbourSearch {
    private let sql: String
    private var statement: SQLiteStatement?

    init(_ sql: String) { self.sql = sql }

    mutating func place(
        _ key: Int64, _ compiled: CompiledRows, in database: any StatementSource
    ) throws -> SortKey? {
        let statement = try statement ?? compile(compiled, in: database)
        self.statement = statement
        statement.forgetSteps()
        try statement.bind(key, at: compiled.keysParameter)
        return try statement.use { try $0.step() ? compiled.order.sortKey($0) : nil }
    }

    private func compile(_ compiled: CompiledRows, in database: any StatementSource) throws -> SQLiteStatement
    {
        let statement = try SQLiteStatement(sql, in: database)
        try statement.bind(compiled.arguments)
        return statement
    }
}
