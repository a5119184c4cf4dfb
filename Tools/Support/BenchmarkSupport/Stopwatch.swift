import Foundation

/// A stopwatch for one sample and the steps within it.
package struct Stopwatch {
    private let start: UInt64
    private var stepStart: UInt64
    private var steps: [(name: StaticString, nanoseconds: UInt64)] = []

    /// Starts a stopwatch.
    package init() {
        // Allocated before the start, so that the stopwatch's own array is not measured.
        steps.reserveCapacity(8)
        start = Self.now()
        stepStart = start
    }

    /// Ends a step, which began at the end of the previous step.
    package mutating func step(_ name: StaticString) {
        let now = Self.now()
        steps.append((name, now - stepStart))
        stepStart = now
    }

    /// The time since the start, in nanoseconds.
    package var elapsed: UInt64 { Self.now() - start }

    /// The steps as a JSON object.
    package var stepsAsJSON: String {
        "{" + steps.map { "\"\($0.name)\": \($0.nanoseconds)" }.joined(separator: ", ") + "}"
    }

    /// Returns the time of the monotonic clock, in nanoseconds.
    private static func now() -> UInt64 {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
    }
}
