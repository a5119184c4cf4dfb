import Dispatch
import InternalUtilities

/// The monitor of a store's files, which runs for as long as it is referenced.
///
/// Its thread sleeps until the files change, and then looks for external changes. The thread ends with the
/// monitor.
package final class ExternalChangeMonitor: Sendable {
    /// The event that wakes the thread.
    package enum Kind: Hashable, Sendable {
        /// A notification of the system that the files changed.
        case files
        /// A timer, four times a second.
        case regular
    }

    let detector: ExternalChangeDetector
    private let signal: any WakeupSource
    private let begun = DispatchSemaphore(value: 0)

    /// Starts the thread, which looks once the monitor has begun. Nil if no thread can be created.
    init?(_ detector: ExternalChangeDetector, _ signal: any WakeupSource) {
        self.detector = detector
        self.signal = signal
        let isLooking = WorkThread.start("StoreMonitor") { [begun] in
            begun.wait()
            while signal.waitForNextLook() { detector.look() }
        }
        guard isLooking else { return nil }
    }

    deinit {
        signal.stop()
        begun.signal()
    }

    /// Begins monitoring: later commits are detected.
    ///
    /// The method waits for the monitoring connection, so the caller must not hold a lock for which a thread
    /// with that connection may wait.
    func begin() {
        detector.begin()
        begun.signal()
    }
}
