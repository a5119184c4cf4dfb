import Dispatch
import Synchronization

/// A commit that another thread carries out.
package final class DeferredCommit: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let isDone = Atomic(false)

    init() {}

    func end(isDone: Bool) {
        self.isDone.store(isDone, ordering: .releasing)
        ended.signal()
    }

    /// Waits until it is over, as long as the disk takes. Not for a caller's thread.
    ///
    /// - Returns: Whether everything is in the store.
    package func wait() -> Bool {
        ended.wait()
        // For the next who asks.
        ended.signal()
        return isDone.load(ordering: .acquiring)
    }
}
