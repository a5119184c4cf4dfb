import GRDB
import GRDBSQLite

extension StoreSnapshot {
    /// Returns the sort keys of rows near some rows, before and after them, whether or not the rows satisfy
    /// the request's predicate. They need not be adjacent.
    ///
    /// Only rows that an index finds are returned. Whether such an index exists is not known in advance: a
    /// search that takes more than 500 virtual machine steps is interrupted, and this kind of search is not
    /// made for the remaining keys. A kind of search that found nothing is skipped for some time. On an
    /// application's connection no search is made and the result is empty, because the application may use
    /// the connection's progress handler, which is needed to interrupt searches.
    ///
    /// - Parameter keys: The keys of the rows.
    /// - Returns: The sort keys in no particular order, possibly with duplicates.
    /// - Complexity: O(*k* log *n*) for *k* keys in a table of *n* rows.
    package func neighbours(ofKeys keys: [Int64], _ compiled: CompiledRows) throws -> [SortKey] {
        guard isOwnConnection else { return [] }
        let connection = database.connection
        sqlite3_progress_handler(connection, Self.mostSteps, { _ in 1 }, nil)
        defer {
            sqlite3_progress_handler(connection, 0, nil, nil)
            StatementBudget.watchProgress(on: connection)
        }
        var sortKeys: [SortKey] = []
        var remaining = keys[...]
        for (way, sql) in compiled.neighbourSQL.enumerated() {
            guard !remaining.isEmpty, compiled.lookupBackoff.isToBeTried(way) else { continue }
            let known = sortKeys.count
            var directions = [sql.next, sql.previous].map { $0.map(NeighbourSearch.init) }
            var completeCount = sortKeys.count
            do {
                while let key = remaining.first {
                    for direction in directions.indices {
                        for number in directions[direction].indices {
                            let sortKey = try directions[direction][number].sortKey(
                                near: key, compiled, in: database)
                            guard let sortKey else { continue }
                            sortKeys.append(sortKey)
                            break
                        }
                    }
                    remaining.removeFirst()
                    completeCount = sortKeys.count
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                // No index serves this search.
                sortKeys.removeLast(sortKeys.count - completeCount)
                if sortKeys.count == known { compiled.lookupBackoff.leaveOut(way) }
            }
        }
        return sortKeys
    }

    /// The maximum number of SQLite virtual machine steps of one search. A search that an index serves takes
    /// less than a hundred.
    private static let mostSteps: CInt = 500
}

/// A search for the row next to a row, compiled at first use.
private struct NeighbourSearch {
    private let sql: String
    private var statement: SQLiteStatement?

    init(_ sql: String) { self.sql = sql }

    mutating func sortKey(
        near key: Int64, _ compiled: CompiledRows, in database: any StatementSource
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
