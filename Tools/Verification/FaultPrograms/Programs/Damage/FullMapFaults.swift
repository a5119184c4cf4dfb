import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Caches without free space, and entries that are too large for any cache.
enum FullMapFaults: IsolatedFaultProgram {
    static let name = "full-maps"
    static let rows = ["A-12"]
    static let summary = "saves more than a map of 1 MiB holds, and entries that are too large"
    static let releaseCount = 500
    static let mutants: [Mutant] = [.keptWhenFull]

    private static let mapSize = 1 << 20
    /// A row takes eight bytes. An entry of a fifth of the map must always fit.
    private static let rowsThatFit = mapSize / 5 / 8
    /// An entry of more than half of the map must be refused.
    private static let rowsTooMany = mapSize / 2 / 8 + 1_000

    static func prepare(in folder: URL, using generator: inout SeededGenerator) -> URL { folder }

    static func trial(
        _ number: Int, on folder: URL, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let cache = try CacheFolder(folder.appending(path: "trial-\(number)"), data: nil)
        let store = SectionCacheStore(
            directory: cache.url, options: SectionCacheStore.Options(maximumByteCount: mapSize))
        var saved: [ListSample] = []
        for step in 0..<24 {
            var list = ListSample(
                name: ["one", "two", "three"][step % 3], number: Int.random(in: 0..<12, using: &generator),
                rowCount: Int.random(
                    in: 0...(step % 6 == 5 ? rowsThatFit : rowsThatFit / 3), using: &generator),
                sectionCount: 5, using: &generator)
            list = list.with { $0.states["Artwork"] = UInt8(step) }
            saved.removeAll { $0.sample.name == list.sample.name && $0.sample.number == list.sample.number }
            saved.append(list)
            try list.save(in: store)
            guard try list.answer(of: store).isWhole else {
                let problem = store.lastProblem.map(String.init(describing:)) ?? ""
                throw FaultFinding(
                    "an entry of \(list.rowCount) rows was not saved in step \(step) \(problem)")
            }
            let size = try cache.size()
            guard size <= mapSize else { throw FaultFinding("the data file has \(size) bytes") }
        }
        try refuse(rowsTooMany, in: store, using: &generator)
        // Evicted entries must be misses, and the others must be unchanged.
        var outcome = FaultOutcome.right
        for list in saved where try !list.answer(of: store).isWhole { outcome = .missed }
        try cache.remove()
        // Eight million rows take long, so only one trial in a hundred has them.
        if number % 100 == 99 { try refuseLargest(in: folder, number, using: &generator) }
        return outcome
    }

    /// Saves an entry of more than 64 MiB in a map that has room for it.
    private static func refuseLargest(
        in folder: URL, _ number: Int, using generator: inout SeededGenerator
    ) throws {
        let cache = try CacheFolder(folder.appending(path: "largest-\(number)"), data: nil)
        try refuse((64 << 20) / 8 + 1, in: cache.store, using: &generator)
        try cache.remove()
    }

    private static func refuse(
        _ rowCount: Int, in store: SectionCacheStore, using generator: inout SeededGenerator
    ) throws {
        let list = ListSample(
            name: "large", number: 0, rowCount: rowCount, sectionCount: 1, using: &generator)
        try list.save(in: store)
        guard case .miss(.absent) = try list.answer(of: store),
            case .off(.failure(let words))? = store.lastProblem, words.contains("larger than a cache allows")
        else { throw FaultFinding("an entry of \(rowCount) rows was not refused") }
    }
}
