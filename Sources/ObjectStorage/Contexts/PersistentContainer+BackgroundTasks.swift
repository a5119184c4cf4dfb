import Dispatch

extension PersistentContainer {
    /// Runs `body` with a context of its own on another thread, and gives its result.
    ///
    /// ```swift
    /// let changes = try await container.performBackgroundTask { context in
    ///     for work in try context.fetch(request) { work.isRead = true }
    ///     return try context.save()
    /// }
    /// ```
    ///
    /// The context and its objects live as long as `body` runs; what leaves it is `Sendable`: identities,
    /// values, changes. Unsaved changes are forgotten. Several tasks run at the same time, and their saves
    /// one after the other. `body` may wait for the store's locks: it runs on a thread of Dispatch, not on
    /// one of Swift's few.
    ///
    /// Without `await` there is nothing to perform: ``newContext()`` gives a context to whoever asks for one.
    ///
    /// - Throws: What `body` throws, or `CancellationError` if the task was cancelled before `body` began.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Swift.Result { try body(self.newContext()) })
            }
        }
    }
}
