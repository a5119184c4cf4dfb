import Foundation

/// A value that one thread at a time may use.
///
/// `Synchronization.Mutex` does the same where copies of a structure need not share it. On Linux the thread
/// sanitizer does not see what a contended one does (`Tools/sanitize` tells it); of what is behind this, an
/// app's own run under it reports no race.
///
/// SAFETY: the value is used under the lock alone.
package final class LockedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// Begins with a value.
    package init(_ value: sending Value) { self.value = value }

    /// Runs a closure with the value to itself.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
