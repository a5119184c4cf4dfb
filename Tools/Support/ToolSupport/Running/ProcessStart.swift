import Foundation

/// When this process began, and how long ago that was.
///
/// The kernel tells the start of a process in ticks of ten milliseconds, as long as a whole start takes, so
/// this is an estimate within that tick: the moment at which `main` began, less the processor time that the
/// process had used by then for loading and linking. Time spent waiting for the disk before `main` shows only
/// as far as the tick tells.
package struct ProcessStart: Sendable {
    /// The moment noted first thing in `main`.
    package static let marked = ProcessStart()

    /// Nanoseconds of the clock that goes on while the machine sleeps, when `main` began.
    private let mainNanoseconds: Int64
    /// Nanoseconds of processor time used before that.
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

    /// The tick in which the kernel says that the process began: field 22 of `/proc/self/stat` (proc(5)).
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

    /// The tick in a process status, in nanoseconds since the machine began.
    static func startTick(inStatus status: String, ticksPerSecond: Int64) -> ClosedRange<Int64>? {
        // The second field is the program's name in brackets and may hold anything, brackets too.
        guard let nameEnd = status.lastIndex(of: ")") else { return nil }
        let fields = status[nameEnd...].split(separator: " ").dropFirst()
        guard fields.count >= 20, let ticks = Int64(fields[fields.startIndex + 19]) else { return nil }
        let nanosecondsPerTick = 1_000_000_000 / ticksPerSecond
        return ticks * nanosecondsPerTick...(ticks + 1) * nanosecondsPerTick
    }
}
