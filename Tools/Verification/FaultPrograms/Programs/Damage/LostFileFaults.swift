import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Caches that are removed in whole or in part, and lock files with wrong contents.
enum LostFileFaults: IsolatedFaultProgram {
    static let name = "lost-files"
    static let rows = ["A-03", "A-06"]
    static let summary =
        "removes directories, data and lock files, at rest and in use, and damages lock files"
    static let releaseCount = 3_500
    static let mutants: [Mutant] = [.servedAfterDeletion]

    private enum Kind: CaseIterable {
        case noDirectory, noData, emptyData, noLock, emptyLock, noiseInLock, longNoiseInLock, hugeLock
        case directoryGone, directoryMoved, dataGone, lockGone, deleted, allDeleted
    }

    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> SoundCache {
        try SoundCache(in: folder, using: &generator)
    }

    static func trial(
        _ number: Int, on ground: SoundCache, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let kind = Kind.allCases[number % Kind.allCases.count]
        let url = ground.folder.appending(path: "trial-\(number)")
        let data: [UInt8]? =
            switch kind {
            case .noDirectory, .noData: nil
            case .emptyData: []
            default: ground.data
            }
        let cache = kind == .noDirectory ? CacheFolder(existing: url) : try CacheFolder(url, data: data)
        switch kind {
        case .emptyLock: try CacheFolder.write([], to: cache.lockFile)
        case .noiseInLock: try CacheFolder.write(generator.bytes(8_192), to: cache.lockFile)
        case .longNoiseInLock:
            let count = Int.random(in: 1...40_000, using: &generator)
            try CacheFolder.write(generator.bytes(count), to: cache.lockFile)
        case .hugeLock: try CacheFolder.write(generator.bytes(64), to: cache.lockFile, length: 5 << 30)
        default: break
        }
        let store = cache.store
        var outcome = FaultOutcome.right
        for list in ground.lists where try !list.answer(of: store).isWhole { outcome = .missed }
        let isAtRest =
            Kind.allCases.firstIndex(of: kind) ?? 0 < Kind.allCases.firstIndex(of: .directoryGone) ?? 0
        if isAtRest {
            // The contents of the lock file do not affect the data.
            let isMissing = [.noDirectory, .noData, .emptyData].contains(kind)
            guard isMissing == (outcome == .missed) else {
                throw FaultFinding("\(kind): \(isMissing ? "a hit without data" : "the caches are lost")")
            }
        } else {
            try lose(kind, cache, store, ground, using: &generator)
            for list in ground.lists where try !list.answer(of: store).isWhole { outcome = .missed }
        }
        for list in ground.lists + [ground.fresh] { try list.rebuild(in: store) }
        // A new start must find the saved entries.
        let other = SectionCacheStore(directory: url)
        for list in ground.lists where kind != .dataGone && kind != .lockGone {
            guard try list.answer(of: other).isWhole else {
                throw FaultFinding("\(kind): the entries are not saved")
            }
        }
        try cache.remove()
        return outcome
    }

    /// Removes files that a store is using, and reads an index of an earlier hit.
    private static func lose(
        _ kind: Kind, _ cache: CacheFolder, _ store: SectionCacheStore, _ ground: SoundCache,
        using generator: inout SeededGenerator
    ) throws {
        let list = ground.lists[ground.lists.count - 1]
        guard case .hit(let index) = store.lookUp(list.request) else { throw FaultFinding("\(kind): no hit") }
        let files = FileManager.default
        switch kind {
        case .directoryGone: try files.removeItem(at: cache.url)
        case .directoryMoved:
            try files.moveItem(at: cache.url, to: cache.url.appendingPathExtension("away"))
        case .dataGone: try files.removeItem(at: cache.dataFile)
        case .lockGone: try files.removeItem(at: cache.lockFile)
        case .deleted:
            store.deleteCache(named: list.sample.name)
            try expectDeleted(ground.lists.filter { $0.sample.name == list.sample.name }, store)
        default:
            store.deleteAllCaches()
            try expectDeleted(ground.lists, store)
        }
        // An index in use still has its sections, and has its rows or none.
        let section = Int.random(in: list.rows.indices, using: &generator)
        guard index.section(at: section).name == "section \(section)" else {
            throw FaultFinding("\(kind): the sections of an index in use changed")
        }
        if let rows = index.rowIDs(in: index.section(at: section).rows), rows != list.rows[section] {
            throw FaultFinding("\(kind): the rows of an index in use changed")
        }
    }

    /// Checks that look-ups miss, both at once and after the deletion has ended.
    private static func expectDeleted(_ lists: [ListSample], _ store: SectionCacheStore) throws {
        for isDone in [false, true] {
            if isDone, !store.waitForWrites(upTo: 20) { throw FaultFinding("a deletion does not end") }
            for list in lists {
                guard case .miss = try list.answer(of: store) else {
                    throw FaultFinding("list \(list.sample.number) is found after its cache was deleted")
                }
            }
        }
    }
}
