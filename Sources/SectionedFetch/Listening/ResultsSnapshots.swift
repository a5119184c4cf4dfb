public import ObjectStorage

/// The sequence of a controller's results as snapshots, of which only the newest waits:
/// ``FetchedResultsController/snapshots``.
///
/// The first element has the present results, if the controller has any. A snapshot that is not consumed
/// before the next one is dropped, and the next one also marks the rows and sections that the dropped one
/// marked: the marks of an element are relative to the previous element that was consumed.
///
/// A fetch whose change is not reported is an element as well, with ``ResultsSnapshot/isReload``.
///
/// The sequence is iterated once, and listens and ends as ``ResultsChanges`` does.
public struct ResultsSnapshots<Object: ManagedObject>: AsyncSequence, Sendable {
    /// The results at one moment.
    public typealias Element = ResultsSnapshot<Object>
    /// The sequence never fails: ``FetchedResultsController/trackingError`` has the errors.
    public typealias Failure = Never

    private let arrivals: Reception<Void>
    private let newest: NewestSnapshot<Object>

    init(_ arrivals: Reception<Void>, _ newest: NewestSnapshot<Object>) {
        self.arrivals = arrivals
        self.newest = newest
    }

    /// Begins the iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(iteration: arrivals.iterate(), newest: newest) }

    /// The iterator of a sequence of snapshots.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var iteration: Reception<Void>.Iteration
        fileprivate let newest: NewestSnapshot<Object>

        /// Returns the newest snapshot, after waiting for a newer one if it was returned before; nil after
        /// the controller was released or the task was cancelled.
        public mutating func next() async -> ResultsSnapshot<Object>? { await next(isolation: nil) }

        /// Returns the newest snapshot, as ``next()`` does, without leaving the isolation of the caller.
        ///
        /// - Parameter actor: The actor on which the caller runs; nil for a caller without one.
        /// - Returns: The snapshot; nil as for ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ResultsSnapshot<Object>? {
            while await iteration.next(isolation: actor) != nil {
                // The arrival of a snapshot can remain after the snapshot was taken with the previous
                // arrival.
                if let snapshot = newest.take() { return snapshot }
            }
            return nil
        }
    }
}
