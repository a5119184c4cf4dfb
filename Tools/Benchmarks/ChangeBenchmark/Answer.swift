import BenchmarkSupport
import SectionedFetch

/// The contents of a list, as a digest that differs if two lists differ.
struct Answer {
    let sections: Int
    let rows: Int
    /// A digest of the sections' names and counts, of the first twenty titles, and of twenty scattered ones.
    let digest: String

    /// Creates an answer from a fetched list; nil if the list was not fetched.
    ///
    /// - Parameter isThorough: Whether to read more rows than a first screen shows.
    init?(_ controller: FetchedResultsController<Song>, isThorough: Bool = true) {
        guard let sections = controller.sections, let objects = controller.fetchedObjects else { return nil }
        var digest = Digest()
        for section in sections {
            digest.add(section.name)
            digest.add(String(section.numberOfObjects))
        }
        for song in objects.prefix(20) { digest.add(song.title) }
        if isThorough {
            for number in 0..<min(20, objects.count) {
                digest.add(objects[number * (objects.count - 1) / 20].title)
            }
        }
        self.sections = sections.count
        rows = objects.count
        self.digest = digest.text
    }

    /// Prints the line that the benchmark reads.
    func report(nanoseconds: UInt64, answered: UInt64, watch: Stopwatch) {
        print(
            """
            {"nanoseconds": \(nanoseconds), "answered": \(answered), "sections": \(sections), "rows": \(rows), \
            "digest": "\(digest)", "peakKiB": \(PeakMemory.kibibytes()), "steps": \(watch.stepsAsJSON)}
            """)
    }
}

/// FNV-1a over the UTF-8 bytes of texts, each followed by a zero byte.
private struct Digest {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = hash &* 0x100_0000_01B3
    }

    var text: String { String(hash, radix: 16) }
}
