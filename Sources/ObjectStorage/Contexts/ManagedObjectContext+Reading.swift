extension ManagedObjectContext {
    /// Runs a closure in one transaction that reads rows by keys.
    ///
    /// - Parameter place: What is being done, for messages.
    func read<Result>(
        _ place: @autoclosure () -> String, _ body: (any StatementSource) throws -> Result
    ) throws(ObjectStorageError) -> Result {
        try ObjectStorageError.translating(place()) { try container.connections.read(body) }
    }
}
