import Synchronization

/// Cancels the reads of a held state from another thread.
package final class ReadCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var held: HeldState?
    }

    private let state = Mutex(State())

    /// Creates an object that cancels nothing yet.
    package init() {}

    /// Interrupts the statement that reads the state, which then fails, and sets ``isCancelled``. A statement
    /// that begins afterwards runs to its end.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.held?.interrupt()
        }
    }

    /// Whether ``cancel()`` was called.
    package var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Makes ``cancel()`` apply to a state, until ``end()``.
    func begin(_ held: HeldState?) { state.withLock { $0.held = held } }

    /// Ends the use of the state.
    package func end() { state.withLock { $0.held = nil } }
}
