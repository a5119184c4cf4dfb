/// Runs a closure when a connection is about to run a certain statement.
///
/// SAFETY: one thread at a time uses it: the thread of the program, which waits while its connection runs a
/// statement.
final class Interruption: @unchecked Sendable {
    /// The number of statements that run before the closure.
    private var remaining = -1
    private var body: (() -> Void)?

    /// Runs `perform`, and `body` before its statement number `step`, or afterwards if it has fewer
    /// statements.
    func during<Result>(
        _ step: Int, _ body: () throws -> Void, perform: () throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(body) { body in
            var failure: (any Error)?
            remaining = step
            self.body = {
                do { try body() } catch { failure = error }
            }
            let outcome = Swift.Result { try perform() }
            let isLeft = takeBody()
            isLeft?()
            if let failure { throw failure }
            return try outcome.get()
        }
    }

    /// Counts a statement that is about to run.
    func step() {
        remaining -= 1
        if remaining == -1 { takeBody()?() }
    }

    private func takeBody() -> (() -> Void)? {
        defer { body = nil }
        return body
    }
}
