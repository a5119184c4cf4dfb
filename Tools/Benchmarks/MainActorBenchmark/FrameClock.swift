import BenchmarkSupport

/// A main actor's drawing of frames, and the times between them.
@MainActor final class FrameClock {
    /// The time between two frames if the main actor is idle.
    static let interval = Duration.milliseconds(8)

    private var gaps: [Double] = []
    private var isStopped = false
    private let draw: () -> Void
    private var loop: Task<Void, Never>?

    /// Begins to draw.
    ///
    /// - Parameter draw: Reads the visible rows.
    init(_ draw: @escaping () -> Void) {
        self.draw = draw
        loop = Task { await run() }
    }

    private func run() async {
        let clock = ContinuousClock()
        var last = clock.now
        var next = last + Self.interval
        // Draws at least one frame, so that a time is measured.
        repeat {
            try? await Task.sleep(until: next, tolerance: .zero, clock: clock)
            let now = clock.now
            gaps.append(Self.milliseconds(last.duration(to: now)))
            draw()
            last = now
            // A late frame does not make the next ones early.
            next = max(next + Self.interval, clock.now)
        } while !isStopped
    }

    /// Stops drawing.
    ///
    /// - Returns: The times between the beginnings of frames, in milliseconds.
    func stop() async -> Spread {
        isStopped = true
        await loop?.value
        return Spread(gaps)
    }

    static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
}
