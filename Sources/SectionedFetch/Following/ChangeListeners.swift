import InternalUtilities
import ObjectStorage

/// Those who listen to a controller's changes. A listener may stop on any thread.
final class ChangeListeners: Sendable {
    private struct State {
        var continuations: [(number: Int, continuation: AsyncStream<ResultsChange>.Continuation)] = []
        var lastNumber = 0
    }

    private let state = LockedValue(State())

    /// Whether there is none.
    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    /// A sequence of what is told from now on. Nothing is left out, because each change is relative to the
    /// one before.
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

    /// Tells all of a change.
    func yield(_ change: ResultsChange) {
        for (_, continuation) in state.withLock({ $0.continuations }) { continuation.yield(change) }
    }

    /// Ends all sequences.
    func finish() {
        for (_, continuation) in state.withLock({ $0.continuations }) { continuation.finish() }
    }
}
