import InternalUtilities

/// The receiving side of a listener, for one iteration.
///
/// The listener is unregistered when the iterator is released, when the iterating task is cancelled, or when
/// the sequence is released before an iteration. `AsyncStream` ends itself when nothing refers to it, so only
/// the iterator refers to it once the iteration has begun.
final class Reception<Element: Sendable>: Sendable {
    /// The stream, until an iteration takes it.
    private let stream: LockedValue<AsyncStream<Element>?>

    init(_ stream: AsyncStream<Element>) { self.stream = LockedValue(stream) }

    /// Begins the only iteration. A second one has no elements.
    func iterate() -> Iteration {
        let taken = stream.withLock { stream in
            defer { stream = nil }
            return stream
        }
        return Iteration(base: taken?.makeAsyncIterator())
    }

    /// The iteration of a reception.
    struct Iteration {
        fileprivate var base: AsyncStream<Element>.Iterator?

        /// Returns the next element, after waiting for it; nil at the end and when the task is cancelled.
        mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await base?.next(isolation: actor)
        }
    }
}
