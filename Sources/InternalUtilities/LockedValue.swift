import Foundation

/// A value that is protected by a lock.
///
/// `Synchronization.Mutex` is an alternative if copies of a structure need not share the value. On Linux the
/// thread sanitizer does not recognize the synchronization of a contended `Mutex` without the help of
/// `Tools/sanitize`. It recognizes this lock, so that an app under the sanitizer gets no false reports.
///
/// SAFETY: The value is used only under the lock.
package final class LockedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// Creates a lock with an initial value.
    package init(_ value: sending Value) { self.value = value }

    /// Runs a closure with exclusive access to the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
