import BenchmarkSupport

/// What a sample answers: enough to tell whether two ways found the same.
struct Answer {
    /// The sections in order, and how many rows each has.
    var sections: [(name: String, count: Int)] = []
    /// The titles of the first rows.
    var firstTitles: [String] = []
    /// Another property of the first rows, read as a first screen would.
    var yearsRead = 0

    /// The number of rows in all sections.
    var rows: Int { sections.reduce(0) { $0 + $1.count } }

    /// Begins a section if the name is another than that of the row before, and counts the row.
    mutating func addRow(section: String) {
        if sections.last?.name != section { sections.append((section, 0)) }
        sections[sections.count - 1].count += 1
    }

    /// A digest of the sections' names and counts and of the first titles.
    ///
    /// FNV-1a over the UTF-8 bytes of each text and a zero byte; the C program computes the same.
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
    /// Prints the sample's line: what was found, and how long it took.
    ///
    /// - Parameters:
    ///   - nanoseconds: From before the store was opened until everything was there.
    ///   - answered: The same until the rows were readable, where work went on behind them.
    ///   - watch: Has the steps, if there are any.
    func report(nanoseconds: UInt64, answered: UInt64? = nil, watch: Stopwatch) {
        print(
            """
            {"nanoseconds": \(nanoseconds), "answered": \(answered ?? nanoseconds), \
            "sections": \(sections.count), "rows": \(rows), "digest": "\(digest)", \
            "peakKiB": \(PeakMemory.kibibytes()), "steps": \(watch.stepsAsJSON)}
            """)
    }
}
