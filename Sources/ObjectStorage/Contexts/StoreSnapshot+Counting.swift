extension StoreSnapshot {
    /// Returns the number of rows that the request selects, counted by SQLite.
    ///
    /// - Complexity: That of SQLite's query, usually without sorting.
    package func numberOfRows() throws -> Int {
        let counting = try RequestCompiler.compile(request, model: model, columns: .count)
        let statement = try SQLiteStatement(counting.sql, in: database)
        try statement.bind(counting.arguments)
        return try statement.use { statement in
            guard try statement.step() else {
                preconditionFailure("SELECT count(*) of “\(request.entityName)” returned no row.")
            }
            return Int(statement.integer(0))
        }
    }
}
