import Dispatch

/// Says when it is time to look at a store, and sleeps in between.
protocol WakeupSource: Sendable {
    /// Sleeps until it is time to look.
    ///
    /// - Returns: False when the signal was stopped.
    func waitForNextLook() -> Bool

    /// Ends the sleep and all further ones. Called from any thread.
    func stop()
}

/// Says so four times a second: for where the system tells nothing of changes to files, or not of all.
final class PollingSource: WakeupSource {
    static let intervalMilliseconds = 250

    private let stopped = DispatchSemaphore(value: 0)

    func waitForNextLook() -> Bool {
        stopped.wait(timeout: .now() + .milliseconds(Self.intervalMilliseconds)) == .timedOut
    }

    func stop() { stopped.signal() }
}
