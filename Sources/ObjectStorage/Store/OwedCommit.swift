import Dispatch
import Synchronization

/// A commit that another thread carries out.
package final class OwedCommit: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let isDone = Atomic(false)
    /// How long somebody waits for the disk, in seconds.
    private static let patience = 10

    init() {}

    func end(isDone: Bool) {
        self.isDone.store(isDone, ordering: .releasing)
        ended.signal()
    }

    /// Waits until it is over.
    ///
    /// - Returns: Whether everything is in the store.
    package func wait() -> Bool {
        guard ended.wait(timeout: .now() + .seconds(Self.patience)) == .success else { return false }
        // For the next who asks.
        ended.signal()
        return isDone.load(ordering: .acquiring)
    }
}
