import GRDB

extension ManagedObjectContext {
    /// Runs a closure in one transaction that reads rows by key, in the state that the context is pinned to
    /// and with the unsaved changes of its ancestors.
    ///
    /// - Parameter operation: The operation, for error messages.
    func read<Result>(
        _ operation: @autoclosure () -> String, _ body: (any StatementSource) throws -> Result
    ) throws(ObjectStorageError) -> Result {
        guard let ground = try changedAncestors() else {
            return try ObjectStorageError.translating(operation()) { try readSaved(body) }
        }
        let held = try heldState()
        return try ObjectStorageError.translating(operation()) {
            try rehearse(on: held) { database in
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

    /// Runs a closure in one transaction that reads saved rows.
    func readSaved<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        if let held = try heldState() { try held.read(body) } else { try container.connections.read(body) }
    }

    /// Runs a closure in one transaction that reads saved rows, on a connection with the functions and
    /// collations of requests.
    func readSavedComputing<Result>(_ body: (any StatementSource) throws -> Result) throws -> Result {
        if let held = try heldState() {
            try held.readComputing(body)
        } else {
            try container.connections.readComputing(body)
        }
    }

    /// Runs a closure on a connection on which unsaved changes can be written and rolled back.
    func rehearse<Result>(on held: HeldState?, _ body: (Database) throws -> Result) throws -> Result {
        if let held { try held.rehearse(body) } else { try container.connections.write(body) }
    }
}
