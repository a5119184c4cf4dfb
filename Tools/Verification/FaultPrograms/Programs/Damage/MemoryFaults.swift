import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// Allocations of liblmdb that fail, once or from a certain one on.
enum MemoryFaults: IsolatedFaultProgram {
    static let name = "no-memory"
    static let rows = ["A-11"]
    static let summary = "has the n-th allocation of liblmdb fail while caches are opened, read and written"
    static let releaseCount = 5_000
    static let mutants: [Mutant] = [.shortageIsDamage]

    static func environment(in folder: URL) throws -> [String: String?] {
        ["LD_PRELOAD": try AllocationShim.compile(in: folder)]
    }

    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> SoundCache {
        try SoundCache(in: folder, using: &generator)
    }

    static func trial(
        _ number: Int, on ground: SoundCache, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let cache = try CacheFolder(ground.folder.appending(path: "trial-\(number)"), data: ground.data)
        var outcome = FaultOutcome.right
        do {
            let store = cache.store
            try AllocationShim.arm(
                Int.random(in: 1...40, using: &generator), isSticky: Bool.random(using: &generator))
            for _ in 0..<2 {
                for list in ground.lists where try !list.answer(of: store).isWhole { outcome = .missed }
                try ground.fresh.save(in: store)
                if try !ground.fresh.answer(of: store).isWhole { outcome = .missed }
            }
            try AllocationShim.arm(0, isSticky: false)
        }
        // The file was not damaged, so all of it must be found.
        let store = cache.store
        for list in ground.lists {
            let answer = try list.answer(of: store)
            guard answer.isWhole else {
                throw FaultFinding(
                    "list \(list.sample.number) is lost after an allocation failure: \(answer)")
            }
        }
        try ground.fresh.rebuild(in: store)
        try cache.remove()
        return outcome
    }
}
