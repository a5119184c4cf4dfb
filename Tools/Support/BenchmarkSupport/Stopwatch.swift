import Foundation

/// Measures one sample from its first line on, and the steps within it.
package struct Stopwatch {
    private let start: UInt64
    private var stepStart: UInt64
    private var steps: [(name: StaticString, nanoseconds: UInt64)] = []

    /// Starts it.
    package init() {
        // The stopwatch's own array is no part of what is measured.
        steps.reserveCapacity(8)
        start = Self.now()
        stepStart = start
    }

    /// Ends a step that began where the step before ended.
    package mutating func step(_ name: StaticString) {
        let now = Self.now()
        steps.append((name, now - stepStart))
        stepStart = now
    }

    /// Nanoseconds since the stopwatch was started.
    package var elapsed: UInt64 { Self.now() - start }

    /// The steps as a JSON object.
    package var stepsAsJSON: String {
        "{" + steps.map { "\"\($0.name)\": \($0.nanoseconds)" }.joined(separator: ", ") + "}"
    }

    /// Nanoseconds of a clock that only goes forward.
    private static func now() -> UInt64 {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
    }
}
