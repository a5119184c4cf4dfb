import ObjectStorage

/// The sequence of a controller's changes, in the order in which its delegate receives them:
/// ``FetchedResultsController/changes``.
///
/// Changes are buffered from the creation of the sequence on. None is dropped, and each is relative to the
/// previous one. The sequence ends when the controller is released.
///
/// A sequence is iterated once; a second iteration has no elements. The sequence stops listening as soon as
/// its iteration ends: when the loop exits, when the iterator or an adapter such as `prefix(1)` is released,
/// or when the task is cancelled. A sequence that is never iterated listens until it is released. The
/// controller stops following changes when the last listener is gone.
///
/// The sequence may be passed to another isolation and iterated there, while the controller stays in its own.
public struct ResultsChanges: AsyncSequence, Sendable {
    /// One change of the results.
    public typealias Element = ResultsChange
    /// The sequence never fails: ``FetchedResultsController/trackingError`` has the errors.
    public typealias Failure = Never

    private let reception: Reception<ResultsChange>

    init(_ reception: Reception<ResultsChange>) { self.reception = reception }

    /// Begins the iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: reception.iterate()) }

    /// The iterator of a sequence of changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var iteration: Reception<ResultsChange>.Iteration

        /// Returns the next change, after waiting for it; nil after the controller was released or the task
        /// was cancelled.
        public mutating func next() async -> ResultsChange? { await next(isolation: nil) }

        /// Returns the next change, as ``next()`` does, without leaving the isolation of the caller.
        ///
        /// - Parameter actor: The actor on which the caller runs; nil for a caller without one.
        /// - Returns: The change; nil as for ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ResultsChange? {
            await iteration.next(isolation: actor)
        }
    }
}
