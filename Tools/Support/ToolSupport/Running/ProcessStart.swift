import Foundation

/// The start time of this process.
///
/// The kernel reports the start of a process in ticks of ten milliseconds, which is the duration of a whole
/// start. This type estimates the start within that tick: the time at which `main` began, minus the processor
/// time that the process had used by then for loading and linking. Time spent waiting for the disk before
/// `main` is included only with the resolution of the tick.
package struct ProcessStart: Sendable {
    /// The start time, recorded at the beginning of `main`.
    package static let marked = ProcessStart()

    /// The time when `main` began, in nanoseconds of the clock that continues while the machine sleeps.
    private let mainNanoseconds: Int64
    /// The processor time used before `main`, in nanoseconds.
    private let processorNanoseconds: Int64

    private init() {
        mainNanoseconds = Self.now()
        processorNanoseconds = Self.nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID)
    }

    /// The time since the process began.
    package var elapsed: Duration {
        let end = Self.now()
        var start = mainNanoseconds - processorNanoseconds
        if let tick = Self.startTick() {
            start = min(max(start, tick.lowerBound), tick.upperBound)
        }
        return .nanoseconds(max(0, end - start))
    }

    private static func now() -> Int64 {
        #if os(Linux) || os(Android)
        nanoseconds(of: CLOCK_BOOTTIME)
        #else
        nanoseconds(of: CLOCK_MONOTONIC)
        #endif
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns the tick in which the process began: field 22 of `/proc/self/stat` (proc(5)).
    private static func startTick() -> ClosedRange<Int64>? {
        #if os(Linux) || os(Android)
        let descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        guard count > 0, ticksPerSecond > 0 else { return nil }
        return startTick(
            inStatus: String(decoding: bytes[..<count], as: UTF8.self), ticksPerSecond: ticksPerSecond)
        #else
        nil
        #endif
    }

    /// Returns the start tick in a process status, in nanoseconds since the machine started.
    static func startTick(inStatus status: String, ticksPerSecond: Int64) -> ClosedRange<Int64>? {
        // The second field is the program's name in parentheses, which may itself contain parentheses.
        guard let nameEnd = status.lastIndex(of: ")") else { return nil }
        let fields = status[nameEnd...].split(separator: " ").dropFirst()
        guard fields.count >= 20, let ticks = Int64(fields[fields.startIndex + 19]) else { return nil }
        let nanosecondsPerTick = 1_000_000_000 / ticksPerSecond
        return ticks * nanosecondsPerTick...(ticks + 1) * nanosecondsPerTick
    }
}
