import ArgumentParser
import SectionCaching
import ToolSupport

/// `cache-inspector list`: lists the caches of a directory.
struct ListCommand: Inspection {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the caches.")

    @OptionGroup var options: InspectionOptions

    func inspect() throws {
        let caches = options.caches
        var summaries: [Summary] = []
        for name in try caches.cacheNames() {
            summaries.append(Summary(name: name, entries: try caches.entries(ofCache: name)))
        }
        try options.output.print(.array(summaries.map(\.json)), orText: Self.lines(summaries))
    }

    private struct Summary {
        let name: CacheName
        let entries: [CacheEntry]

        var numberOfRows: Int { entries.reduce(0) { $0 + ($1.index?.numberOfRows ?? 0) } }
        var byteCount: Int { entries.reduce(0) { $0 + $1.byteCount } }
        var numberOfDamagedEntries: Int { entries.count { !$0.isIntact } }

        var json: JSONValue {
            [
                "name": .string(name.rawValue),
                "numberOfEntries": .count(entries.count),
                "numberOfDamagedEntries": .count(numberOfDamagedEntries),
                "numberOfRows": .count(numberOfRows),
                "byteCount": .count(byteCount),
            ]
        }

        var cells: [String] {
            [
                name.rawValue, Quantity.count(entries.count), Quantity.count(numberOfRows),
                Quantity.bytes(byteCount),
                numberOfDamagedEntries == 0 ? "" : "\(Quantity.count(numberOfDamagedEntries)) damaged",
            ]
        }
    }

    private static func lines(_ summaries: [Summary]) -> [String] {
        guard !summaries.isEmpty else { return ["There are no caches."] }
        var table = TextTable(alignments: [.left, .right, .right, .right, .left])
        return table.lines([["cache", "entries", "rows", "size", ""]] + summaries.map(\.cells))
    }
}
