/// Does something when a connection is about to run a certain statement.
///
/// SAFETY: it is used by one thread at a time: that of the program, which waits while its connection runs a
/// statement.
final class Interruption: @unchecked Sendable {
    /// How many statements are to run before.
    private var remaining = -1
    private var body: (() -> Void)?

    /// Runs `perform`, and `body` before its statement number `step`, or afterwards if there are fewer.
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

    /// A statement is about to run.
    func step() {
        remaining -= 1
        if remaining == -1 { takeBody()?() }
    }

    private func takeBody() -> (() -> Void)? {
        defer { body = nil }
        return body
    }
}
