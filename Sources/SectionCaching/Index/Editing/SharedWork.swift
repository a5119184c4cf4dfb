import InternalUtilities

/// Numbers that several threads take one after the other, until none is left.
final class SharedWork: Sendable {
    private let count: Int
    private let body: @Sendable (Int) -> Void
    private let condition = MonotonicCondition()
    /// Guarded by the condition's lock, as is `numberDone`.
    nonisolated(unsafe) private var next = 0
    nonisolated(unsafe) private var numberDone = 0

    /// - Parameters:
    ///   - count: The number of numbers, which begin at zero.
    ///   - body: The work for a number. It is called once for each.
    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.body = body
    }

    /// Takes numbers and does their work, until none is left.
    func run() {
        var numberDone = 0
        while let number = take(done: numberDone) {
            body(number)
            numberDone = 1
        }
    }

    /// Waits until the work for all numbers is done.
    func wait() {
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
