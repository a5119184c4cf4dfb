import SectionCaching
import ToolSupport

/// The sizes of one cache.
struct CacheSummary {
    /// The name of the cache.
    let name: CacheName
    private let numberOfEntries: Int
    private let numberOfDamagedEntries: Int
    private let numberOfRows: Int
    private let byteCount: Int

    /// Adds the sizes of entries.
    init(name: CacheName, entries: [CacheEntry]) {
        self.name = name
        numberOfEntries = entries.count
        numberOfDamagedEntries = entries.count { !$0.isIntact }
        numberOfRows = entries.reduce(0) { $0 + ($1.index?.numberOfRows ?? 0) }
        byteCount = entries.reduce(0) { $0 + $1.byteCount }
    }

    /// The sizes as JSON.
    var json: JSONValue {
        [
            "name": .string(name.rawValue),
            "numberOfEntries": .count(numberOfEntries),
            "numberOfDamagedEntries": .count(numberOfDamagedEntries),
            "numberOfRows": .count(numberOfRows),
            "byteCount": .count(byteCount),
        ]
    }

    private var cells: [String] {
        [
            name.rawValue, Quantity.count(numberOfEntries), Quantity.count(numberOfRows),
            Quantity.bytes(byteCount),
            numberOfDamagedEntries == 0 ? "" : "\(Quantity.count(numberOfDamagedEntries)) damaged",
        ]
    }

    /// Returns a table of caches.
    static func lines(_ summaries: [CacheSummary]) -> [String] {
        var table = TextTable(alignments: [.left, .right, .right, .right, .left])
        return table.lines([["cache", "entries", "rows", "size", ""]] + summaries.map(\.cells))
    }
}
