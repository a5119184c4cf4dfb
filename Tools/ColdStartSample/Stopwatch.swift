import Foundation

/// Measures one sample from its first line on, and the steps within it.
struct Stopwatch {
    private let start: UInt64
    private var stepStart: UInt64
    private var steps: [(name: StaticString, nanoseconds: UInt64)] = []

    init() {
        // The stopwatch's own array is no part of what is measured.
        steps.reserveCapacity(8)
        start = Self.now()
        stepStart = start
    }

    /// Ends a step that began where the step before ended.
    mutating func step(_ name: StaticString) {
        let now = Self.now()
        steps.append((name, now - stepStart))
        stepStart = now
    }

    /// Nanoseconds since the stopwatch was started.
    var elapsed: UInt64 { Self.now() - start }

    /// The steps as a JSON object.
    var stepsAsJSON: String {
        "{" + steps.map { "\"\($0.name)\": \($0.nanoseconds)" }.joined(separator: ", ") + "}"
    }

    /// Nanoseconds of a clock that only goes forward.
    private static func now() -> UInt64 {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
    }
}

/// The most memory that a process had at once.
enum PeakMemory {
    /// KiB, as Linux keeps it for the program that runs; 0 elsewhere.
    ///
    /// `ru_maxrss` would be simpler, but Linux carries it over from the process that started this one (`exec_mmap` in
    /// `fs/exec.c`), so that it says more about the benchmark than about the sample.
    static func kibibytes() -> Int {
        let descriptor = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        let label = Array("VmHWM:".utf8)
        guard count > label.count,
            let place = (0...count - label.count).first(where: {
                bytes[$0..<$0 + label.count].elementsEqual(label)
            })
        else { return 0 }
        var kibibytes = 0
        for byte in bytes[(place + label.count)..<count] {
            switch byte {
            case 0x30...0x39: kibibytes = kibibytes * 10 + Int(byte - 0x30)
            case 0x20, 0x09: continue
            default: return kibibytes
            }
        }
        return kibibytes
    }
}
