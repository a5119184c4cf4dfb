import Dispatch

/// A source of wakeups for a thread that monitors a store.
protocol WakeupSource: Sendable {
    /// Sleeps until the next look is due.
    ///
    /// - Returns: False if the source was stopped.
    func waitForNextLook() -> Bool

    /// Ends the current sleep and all later ones. Called from any thread.
    func stop()
}

/// A wakeup source with four wakeups a second, for systems that report no changes of files, or not all.
final class PollingSource: WakeupSource {
    static let intervalMilliseconds = 250

    private let stopped = DispatchSemaphore(value: 0)

    func waitForNextLook() -> Bool {
        stopped.wait(timeout: .now() + .milliseconds(Self.intervalMilliseconds)) == .timedOut
    }

    func stop() { stopped.signal() }
}
