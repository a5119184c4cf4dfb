import ArgumentParser
import Foundation
import SectionCaching
import ToolSupport

/// `cache-inspector stats`: shows the size of a directory of caches.
struct StatisticsCommand: Inspection {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Shows the size and the limits of a directory of caches.")

    @OptionGroup var options: InspectionOptions

    func report() throws -> InspectionReport {
        let caches = options.caches
        let statistics = try caches.statistics()
        let file = FileSize(caches.directory.appending(path: "data.mdb"))
        let summaries = try caches.cacheNames().map {
            CacheSummary(name: $0, entries: try caches.entries(ofCache: $0))
        }
        return InspectionReport(
            json(statistics, file, summaries),
            lines(statistics, file) + (summaries.isEmpty ? [] : [""] + CacheSummary.lines(summaries)))
    }

    private func lines(_ statistics: CacheStatistics?, _ file: FileSize?) -> [String] {
        var facts = [["directory", options.directory.path]]
        if let statistics {
            facts.append(["caches", Quantity.count(statistics.numberOfCaches)])
            facts.append(["entries", Quantity.count(statistics.numberOfEntries)])
            facts.append(["pages in use", "at most " + Quantity.bytes(statistics.usedByteCount)])
            facts.append(["page", Quantity.bytes(statistics.pageByteCount)])
            facts.append([
                "limit", Quantity.bytes(statistics.mapByteCount) + " unless a program sets another",
            ])
            facts.append([
                "readers", "at most \(Quantity.count(statistics.numberOfReaders)) at the same time",
            ])
        } else {
            facts.append(["caches", "none yet"])
        }
        if let file {
            facts.append(
                [
                    "data file",
                    "\(Quantity.bytes(file.byteCount)), \(Quantity.bytes(file.allocatedByteCount)) on disk",
                ])
        }
        var table = TextTable(alignments: [.left, .left])
        return table.lines(facts)
    }

    private func json(
        _ statistics: CacheStatistics?, _ file: FileSize?, _ summaries: [CacheSummary]
    ) -> JSONValue {
        [
            "directory": .string(options.directory.path),
            "numberOfCaches": .count(statistics?.numberOfCaches ?? 0),
            "numberOfEntries": .count(statistics?.numberOfEntries ?? 0),
            "usedByteCount": .count(statistics?.usedByteCount ?? 0),
            "pageByteCount": statistics.map { .count($0.pageByteCount) } ?? .null,
            "maximumByteCount": statistics.map { .count($0.mapByteCount) } ?? .null,
            "numberOfReaders": .count(statistics?.numberOfReaders ?? 0),
            "fileByteCount": file.map { .count($0.byteCount) } ?? .null,
            "allocatedByteCount": file.map { .count($0.allocatedByteCount) } ?? .null,
            "caches": .array(summaries.map(\.json)),
        ]
    }
}

/// The size of a file and of its disk space. The file is not opened, because closing it in this process would
/// release LMDB's locks.
private struct FileSize {
    let byteCount: Int
    let allocatedByteCount: Int

    init?(_ url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        byteCount = Int(status.st_size)
        // POSIX does not specify the unit of `st_blocks`; Linux and Darwin use 512 bytes.
        allocatedByteCount = Int(status.st_blocks) * 512
    }
}
