import GRDB

extension PersistentContainer {
    /// Runs a closure in one transaction under the rules of the program that owns the store, if there are
    /// any.
    ///
    /// - Parameter database: The writing connection.
    func inRuledTransaction<Result>(
        in database: Database, _ body: (Database) throws -> Result
    ) throws -> Result {
        guard let rules = transactionRules else {
            return try connections.inTransaction(in: database, body)
        }
        // If the file was replaced, the rules would look for the locks of another file.
        try connections.checkFile()
        try rules.willBegin(in: ExternalStoreConnection(database))
        var isCommitted = false
        defer { rules.end(isCommitted: isCommitted) }
        let result = try connections.inTransaction(in: database) { database in
            try rules.begin(in: ExternalStoreConnection(database))
            let result = try body(database)
            rules.willCommit()
            return result
        }
        isCommitted = true
        return result
    }

    /// Throws an error for a batch operation if the store has such rules, which are not applied to batches.
    func refuseUnderRules(_ operation: () -> String) throws(ObjectStorageError) {
        guard transactionRules != nil else { return }
        throw ObjectStorageError(
            .invalidRequest,
            "\(operation()): Batch operations are not supported for Core Data stores. Change the objects in a context, and save it."
        )
    }
}
