/// Numbers of which several threads take one after the other, until none is left.
///
/// A thread that comes late finds nothing left to take, and nobody waits for it.
package final class SharedWork: Sendable {
    private let count: Int
    private let condition = MonotonicCondition()
    /// Guarded by the condition's lock, as is the other.
    nonisolated(unsafe) private var next = 0
    nonisolated(unsafe) private var numberDone = 0

    /// - Parameter count: How many numbers there are, from zero.
    package init(_ count: Int) { self.count = count }

    /// Takes numbers until there is none left.
    ///
    /// - Parameter body: What is done for each.
    package func run(_ body: (Int) -> Void) {
        var numberDone = 0
        while let number = take(done: numberDone) {
            body(number)
            numberDone = 1
        }
    }

    /// Waits until all is done for each number that somebody took.
    package func wait() {
        condition.lock()
        defer { condition.unlock() }
        while numberDone < count { condition.wait(atMost: .seconds(1)) }
    }

    private func take(done: Int) -> Int? {
        condition.lock()
        defer { condition.unlock() }
        numberDone += done
        if numberDone == count { condition.broadcast() }
        guard next < count else { return nil }
        defer { next += 1 }
        return next
    }
}
