import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Data files with pages of two commits, as a power failure can leave them.
enum TornFileFaults: IsolatedFaultProgram {
    static let name = "torn-files"
    static let rows = ["A-05"]
    static let summary = "mixes the pages of two commits"
    static let releaseCount = 100_000
    static let mutants: [Mutant] = [.noValidator]

    /// The data file after each of several commits.
    struct Ground {
        let cache: SoundCache
        let commits: [(data: [UInt8], lists: [ListSample])]
    }

    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> Ground {
        let sound = try SoundCache(in: folder, using: &generator)
        let cache = try CacheFolder(folder.appending(path: "history"), data: sound.data)
        let store = cache.store
        var lists = sound.lists
        var commits: [(data: [UInt8], lists: [ListSample])] = [(sound.data, lists)]
        for step in 0..<24 {
            let number = step % lists.count
            lists[number].change(using: &generator)
            try lists[number].save(in: store)
            commits.append((try cache.contents(), lists))
        }
        return Ground(cache: sound, commits: commits)
    }

    static func trial(
        _ number: Int, on ground: Ground, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let first = Int.random(in: 0..<ground.commits.count - 1, using: &generator)
        let distance = [1, 1, 1, 2, 5].randomElement(using: &generator) ?? 1
        let second = min(first + distance, ground.commits.count - 1)
        let (older, newer) = (ground.commits[first], ground.commits[second])
        // The share of the later writes that reached the disk.
        let share = Double.random(in: 0...1, using: &generator)
        var data = older.data
        let size = DataFile.pageSize
        for page in 0..<newer.data.count / size {
            let range = page * size..<(page + 1) * size
            if range.lowerBound >= data.count {
                let isWritten = Double.random(in: 0..<1, using: &generator) < share
                data += isWritten ? newer.data[range] : ArraySlice(repeating: 0, count: size)
            } else if Double.random(in: 0..<1, using: &generator) < share {
                data.replaceSubrange(range, with: newer.data[range])
            }
        }
        // The file may not have been extended yet.
        if Int.random(in: 0..<8, using: &generator) == 0 {
            data.removeLast(max(0, data.count - older.data.count))
        }
        return try ground.cache.use(data, trial: number, states: [older.lists, newer.lists])
    }
}
