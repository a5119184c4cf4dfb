import Foundation
import Synchronization

/// Runs a closure on a separate thread.
///
/// - Throws: ``FaultFinding`` if the closure takes longer than `seconds`. Its thread then continues.
func within<Value: Sendable>(
    _ seconds: Double, _ action: String, _ body: @escaping @Sendable () throws -> Value
) throws -> Value {
    let outcome = OutcomeBox<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Thread {
        outcome.set(Result { try body() })
        isDone.signal()
    }.start()
    guard isDone.wait(timeout: .now() + seconds) == .success, let found = outcome.get() else {
        throw FaultFinding("\(action) takes longer than \(seconds) seconds")
    }
    return try found.get()
}

private final class OutcomeBox<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>?>(nil)
    func set(_ value: Result<Value, any Error>) { outcome.withLock { $0 = value } }
    func get() -> Result<Value, any Error>? { outcome.withLock { $0 } }
}
