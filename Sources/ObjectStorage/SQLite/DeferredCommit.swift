import Dispatch
import Synchronization

/// A commit that another thread executes.
package final class DeferredCommit: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let isDone = Atomic(false)

    init() {}

    func end(isDone: Bool) {
        self.isDone.store(isDone, ordering: .releasing)
        ended.signal()
    }

    /// Waits for the end of the commit, which writes to the disk. It is intended for background threads.
    ///
    /// - Returns: Whether all changes are in the store.
    package func wait() -> Bool {
        ended.wait()
        // Signals the next waiting thread.
        ended.signal()
        return isDone.load(ordering: .acquiring)
    }
}
