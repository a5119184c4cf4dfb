import Foundation
import Mutants
import CheckSupport

/// Data files with ten kinds of damage, and with an eleventh: a used page in the list of free pages.
enum DamagedFileFaults: IsolatedFaultProgram {
    static let name = "damaged-files"
    static let rows = ["A-04"]
    static let summary = "damages data files in eleven ways, reads and writes them"
    static let releaseCount = 1_000_000
    static let mutants: [Mutant] = [.noValidator, .noFreeListCheck, .servedAfterDeletion]

    static func prepare(in folder: URL, using generator: inout SeededGenerator) throws -> SoundCache {
        let cache = try SoundCache(in: folder, using: &generator)
        guard DataFile(bytes: cache.data).listingBusyPage(using: &generator) != nil else {
            throw FaultFinding("the undamaged file lists no free pages")
        }
        return cache
    }

    static func trial(
        _ number: Int, on ground: SoundCache, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let kind = number % (Damage.allCases.count + 1)
        if kind < Damage.allCases.count {
            return try ground.use(
                Damage.allCases[kind].apply(to: ground.data, using: &generator), trial: number)
        }
        guard let data = DataFile(bytes: ground.data).listingBusyPage(using: &generator) else {
            throw FaultFinding("the undamaged file lists no free pages")
        }
        return try ground.use(data, trial: number, rebuildsAll: true)
    }
}
