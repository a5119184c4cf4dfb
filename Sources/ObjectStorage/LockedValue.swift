import Foundation

/// A value that one thread at a time may use.
///
/// `Synchronization.Mutex` would do the same, but the thread sanitizer does not see its lock on Linux and reports a race
/// wherever one is used, which would hide those that are there. What threads share in earnest is behind this.
///
/// SAFETY: the value is used under the lock alone.
package final class LockedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// Begins with a value.
    package init(_ value: sending Value) { self.value = value }

    /// Runs a closure with the value to itself.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
