import Dispatch
import InternalUtilities

extension PersistentContainer {
    /// Runs `body` with a new context on another thread, and returns its result.
    ///
    /// ```swift
    /// let changes = try await container.performBackgroundTask { context in
    ///     for work in try context.fetch(request) { work.isRead = true }
    ///     return try context.save()
    /// }
    /// ```
    ///
    /// The context and its objects exist while `body` runs. The result must be `Sendable`, for example
    /// identities, values or changes. Unsaved changes are discarded. Several tasks may run at the same time;
    /// their saves are serialized. `body` may wait for the store's locks: it runs on a separate thread, not
    /// on one of the few threads that Swift's tasks share.
    ///
    /// Synchronous code creates a context with ``newContext()`` instead.
    ///
    /// - Parameter body: Works with the context that it receives. It is called once, unless the task was
    ///   cancelled before it began.
    /// - Throws: The error that `body` throws, or `CancellationError` if the task was cancelled before `body`
    ///   began.
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            let work: @Sendable () -> Void = {
                continuation.resume(with: Swift.Result { try body(self.newContext()) })
            }
            if !WorkThread.start("background task", work) { DispatchQueue.global().async(execute: work) }
        }
    }
}
