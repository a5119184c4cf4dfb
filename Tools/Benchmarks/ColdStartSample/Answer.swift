import BenchmarkSupport

/// The part of a sample's result in which all ways must agree.
struct Answer {
    /// The sections in order, with the number of rows in each.
    var sections: [(name: String, count: Int)] = []
    /// The titles of the first rows.
    var firstTitles: [String] = []
    /// The sum of another property of the first rows, which a first screen would read.
    var yearsRead = 0

    /// The number of rows in all sections.
    var rows: Int { sections.reduce(0) { $0 + $1.count } }

    /// Starts a section if the name differs from that of the previous row, and counts the row.
    mutating func addRow(section: String) {
        if sections.last?.name != section { sections.append((section, 0)) }
        sections[sections.count - 1].count += 1
    }

    /// The digest of the sections' names and counts and of the first titles.
    ///
    /// FNV-1a over the UTF-8 bytes of each text and a zero byte. The C program computes it in the same way.
    var digest: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = hash &* 0x100_0000_01B3
        }
        for (name, count) in sections {
            add(name)
            add(String(count))
        }
        for title in firstTitles { add(title) }
        return String(hash, radix: 16)
    }
}

extension Answer {
    /// Prints the line of the sample, with its result and its times.
    ///
    /// - Parameters:
    ///   - nanoseconds: The time from before the store was opened until all work was done.
    ///   - answered: The time until the rows were readable, if work continued after that.
    ///   - watch: The stopwatch with the times of the steps.
    func report(nanoseconds: UInt64, answered: UInt64? = nil, watch: Stopwatch) {
        print(
            """
            {"nanoseconds": \(nanoseconds), "answered": \(answered ?? nanoseconds), \
            "sections": \(sections.count), "rows": \(rows), "digest": "\(digest)", \
            "peakKiB": \(PeakMemory.kibibytes()), "steps": \(watch.stepsAsJSON)}
            """)
    }
}
