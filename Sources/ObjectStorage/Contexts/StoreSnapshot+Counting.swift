extension StoreSnapshot {
    /// The number of rows that the request finds, as SQLite counts them.
    ///
    /// - Complexity: that of SQLite's query, mostly without sorting.
    package func numberOfRows() throws -> Int {
        let counting = try RequestCompiler.compile(request, model: model, columns: .count)
        let statement = try SQLiteStatement(counting.sql, in: database)
        try statement.bind(counting.arguments)
        return try statement.use { statement in
            guard try statement.step() else {
                preconditionFailure("Counting “\(request.entityName)” gave no row.")
            }
            return Int(statement.integer(0))
        }
    }
}
