import GRDB

extension ManagedObjectContext {
    /// Runs a closure in one transaction that reads rows by keys.
    ///
    /// - Parameter place: What is being done, for messages.
    func read<Result>(
        _ place: @autoclosure () -> String, _ body: (any StatementSource) throws -> Result
    ) throws(ObjectStorageError) -> Result {
        guard let ground = try changedAncestors() else {
            return try ObjectStorageError.translating(place()) { try container.connections.read(body) }
        }
        return try ObjectStorageError.translating(place()) {
            try container.connections.write { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    for changes in ground { _ = try changes.write(to: database, for: .ground) }
                    result = try body(database)
                    return .rollback
                }
                guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return result
            }
        }
    }
}
