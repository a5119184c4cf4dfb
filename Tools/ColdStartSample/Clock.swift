import Foundation

/// Nanoseconds of a clock that only goes forward.
func nanoseconds() -> UInt64 {
    var moment = timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
}

/// The most memory that the process had at once, in KiB, as Linux keeps it; 0 elsewhere.
func peakKiB() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return 0 }
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
}

/// What a sample answers: enough to tell whether two ways found the same.
struct Answer {
    var sections: [(name: String, count: Int)] = []
    var firstTitles: [String] = []

    /// The number of rows in all sections.
    var rows: Int { sections.reduce(0) { $0 + $1.count } }

    /// A digest of the sections' names and counts and of the first titles (FNV-1a).
    var digest: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            for byte in text.utf8 + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        for (name, count) in sections { add("\(name) \(count)") }
        for title in firstTitles { add(title) }
        return String(hash, radix: 16)
    }
}

/// Prints a sample's line.
func report(_ elapsed: UInt64, _ answer: Answer) {
    print(
        """
        {"nanoseconds": \(elapsed), "sections": \(answer.sections.count), "rows": \(answer.rows), \
        "digest": "\(answer.digest)", "peakKiB": \(peakKiB())}
        """)
}
