import InternalUtilities
import ObjectStorage

/// The listeners to a controller's changes. A listener may stop on any thread.
final class ChangeListeners: Sendable {
    private struct State {
        var continuations: [(number: Int, continuation: AsyncStream<ResultsChange>.Continuation)] = []
        var lastNumber = 0
    }

    private let state = LockedValue(State())

    /// Whether the controller has no listener.
    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    /// Returns a sequence of the changes from now on. None is dropped, because each change is relative to the
    /// previous one.
    func stream() -> AsyncStream<ResultsChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: ResultsChange.self)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.continuations.append((state.lastNumber, continuation))
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in state.continuations.removeAll { $0.number == number } }
        }
        return stream
    }

    /// Sends a change to all listeners.
    func yield(_ change: ResultsChange) {
        for (_, continuation) in state.withLock({ $0.continuations }) { continuation.yield(change) }
    }

    /// Ends all sequences.
    func finish() {
        for (_, continuation) in state.withLock({ $0.continuations }) { continuation.finish() }
    }
}
