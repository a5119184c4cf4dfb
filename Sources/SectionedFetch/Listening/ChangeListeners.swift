import InternalUtilities
import ObjectStorage

/// The listeners to a controller's changes and snapshots. A listener may stop on any thread.
final class ChangeListeners<Object: ManagedObject>: Sendable {
    private struct State {
        var changes: [Int: AsyncStream<ResultsChange>.Continuation] = [:]
        var snapshots: [Int: NewestSnapshot<Object>] = [:]
        var lastNumber = 0
    }

    private let state = LockedValue(State())

    /// Whether the controller has no listener.
    var isEmpty: Bool { state.withLock { $0.changes.isEmpty && $0.snapshots.isEmpty } }

    /// Returns the reception of the changes from now on. None is dropped, because each change is relative to
    /// the previous one.
    func changes() -> Reception<ResultsChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: ResultsChange.self)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.changes[state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            // The removed continuation must not be deallocated under the lock.
            _ = self?.state.withLock { $0.changes.removeValue(forKey: number) }
        }
        return Reception(stream)
    }

    /// Returns the reception of arrivals of snapshots from now on, and the holder of the newest snapshot.
    ///
    /// - Parameter current: The snapshot of the present results, if there are any.
    func snapshots(
        beginningWith current: ResultsSnapshot<Object>?
    ) -> (arrivals: Reception<Void>, newest: NewestSnapshot<Object>) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let newest = NewestSnapshot<Object>(continuation)
        if let current { newest.offer(current, after: nil) }
        let number = state.withLock { state in
            state.lastNumber += 1
            state.snapshots[state.lastNumber] = newest
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.snapshots.removeValue(forKey: number) }
        }
        return (Reception(stream), newest)
    }

    /// Sends a change to all listeners to changes.
    func yield(_ change: ResultsChange) {
        for continuation in state.withLock({ Array($0.changes.values) }) { continuation.yield(change) }
    }

    /// Offers the present results to all listeners to snapshots.
    ///
    /// - Parameters:
    ///   - snapshot: The closure that makes the snapshot. It is called only if a listener exists.
    ///   - change: The change that led to the results; nil if it is unknown.
    func offer(_ snapshot: () -> ResultsSnapshot<Object>?, after change: ResultsChange?) {
        let receivers = state.withLock { Array($0.snapshots.values) }
        guard !receivers.isEmpty, let snapshot = snapshot() else { return }
        for receiver in receivers { receiver.offer(snapshot, after: change) }
    }

    /// Ends all sequences.
    func finish() {
        let (changes, snapshots) = state.withLock { (Array($0.changes.values), Array($0.snapshots.values)) }
        for continuation in changes { continuation.finish() }
        for receiver in snapshots { receiver.finish() }
    }
}
