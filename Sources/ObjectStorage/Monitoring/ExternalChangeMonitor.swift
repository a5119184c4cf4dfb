import Dispatch
import InternalUtilities

/// The watching of a store's files, which goes on as long as somebody holds this.
///
/// A thread sleeps until something happens to the files, and then looks. It ends with the monitor.
package final class ExternalChangeMonitor: Sendable {
    /// What makes the thread look.
    package enum Kind: Hashable, Sendable {
        /// The system says that the files changed.
        case files
        /// The time: four times a second.
        case regular
    }

    let detector: ExternalChangeDetector
    private let signal: any WakeupSource
    private let begun = DispatchSemaphore(value: 0)

    /// Starts the thread, which looks when the monitor has begun. Nil if there is no thread to be had.
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

    /// Begins: what is committed from now on is noticed.
    ///
    /// It uses the connection that is looked through, so the caller holds no lock that a thread may wait for
    /// which has that connection.
    func begin() {
        detector.begin()
        begun.signal()
    }
}
