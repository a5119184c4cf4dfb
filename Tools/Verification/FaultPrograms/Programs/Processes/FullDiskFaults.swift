import Foundation
import SectionCaching
import Mutants
import CheckSupport

/// File systems that are full when a cache is opened, when its lock file grows, or when an entry is saved.
enum FullDiskFaults: FaultProgram {
    static let name = "full-disk"
    static let rows = ["A-08"]
    static let summary = "opens, looks up and saves on file systems of 8 KiB to 128 MiB that fill up"
    static let releaseCount = 500
    static let mutants: [Mutant] = [.sparseLockFile, .staleHandle, .touchedWithoutRoom]
    static let huntCount = 40

    /// The number of trials of one process, which mounts a file system for each.
    private static let share = 20

    /// One of this many trials uses a copy-on-write file system, if the system has one; at least three do,
    /// one of each kind.
    private static let copyingShare = 25

    static func run(_ run: inout FaultRun) throws {
        try Namespaces.require(Namespaces.mounting)
        var copying = min(run.count, max(FaultDisk.Copying.allCases.count, run.count / copyingShare))
        do {
            try FaultDisk.requireCopying(in: run.folder)
        } catch let skipped as FaultSkipped {
            print("\(name): without copy-on-write file systems: \(skipped)")
            copying = 0
        }
        for first in stride(from: 0, to: run.count, by: share) {
            let end = min(first + share, run.count - copying)
            if first < end { try trials(first..<end, "memory", Namespaces.mounting, &run) }
        }
        for number in run.count - copying..<run.count {
            try trials(number..<number + 1, "copying", FaultDisk.copyingLauncher, &run)
        }
    }

    /// Makes some trials in another process.
    private static func trials(
        _ numbers: Range<Int>, _ disk: String, _ launcher: [String], _ run: inout FaultRun
    ) throws {
        let end = try run.child(
            ["\(run.seed &+ UInt64(numbers.lowerBound))", "\(numbers.count)", run.folder.path, disk],
            launcher: launcher, timeLimit: 120)
        guard end.status == 0 else { throw FaultFinding("trials \(numbers.lowerBound)…, \(disk): \(end)") }
        for word in end.output.split(separator: "\n") {
            guard let outcome = FaultOutcome(rawValue: String(word)) else {
                throw FaultFinding("trials \(numbers.lowerBound)…: \(end)")
            }
            run.note(outcome)
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 4, let seed = UInt64(arguments[0]), let count = Int(arguments[1]) else {
            throw FaultFinding("\(arguments)")
        }
        let path = arguments[2] + "/disk"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let kinds = FaultDisk.Copying.allCases
        for number in 0..<count {
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            let disk =
                arguments[3] == "copying"
                ? FaultDisk.copying(kinds[Int((seed &+ UInt64(number)) % UInt64(kinds.count))])
                : FaultDisk.random(using: &generator)
            let outcome = try disk.mounted(at: path) { try tryDisk(disk, at: path, using: &generator) }
            print(outcome.rawValue)
        }
    }

    private static func tryDisk(
        _ disk: FaultDisk, at path: String, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let store = SectionCacheStore(directory: URL(filePath: path + "/caches"))
        var hasHit = false
        for step in 0..<6 {
            // Full before the first use, in some cases with up to three pages left, or empty again.
            if Bool.random(using: &generator) {
                disk.fill(path, leaving: [0, 0, 1, 2, 3].randomElement(using: &generator) ?? 0)
            }
            let sample = sample(name: ["a", "b", "c"][step % 3], number: step)
            store.save(sample.index, for: sample.request)
            guard store.waitForWrites(upTo: 30) else {
                throw FaultFinding("a save to the cache does not end")
            }
            if try sample.check(store.lookUp(sample.request), mustHit: false) { hasHit = true }
            if Bool.random(using: &generator) { disk.empty(path) }
        }
        guard disk.isLarge else { return hasHit ? .right : .off }
        try deleteWithoutRoom(disk, at: path, store)
        // Saving a new name fails once, and then the file system has room.
        let sample = sample(name: "late", number: 9)
        disk.fill(path, leaving: 0)
        store.save(sample.index, for: sample.request)
        guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
        try sample.check(store.lookUp(sample.request), mustHit: false)
        disk.empty(path)
        store.save(sample.index, for: sample.request)
        guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
        let lookup = store.lookUp(sample.request)
        guard lookup.isHit else {
            throw FaultFinding("with room again: \(lookup), \(store.lastProblem.map { "\($0)" } ?? "")")
        }
        try sample.check(lookup, mustHit: true)
        return .right
    }

    /// Checks that a cache that was deleted on a full disk is not found once the disk has room.
    private static func deleteWithoutRoom(
        _ disk: FaultDisk, at path: String, _ store: SectionCacheStore
    ) throws {
        disk.fill(path, leaving: 0)
        store.deleteCache(named: "a")
        for _ in 0..<2 {
            for step in [0, 3] {
                guard case .miss = store.lookUp(sample(name: "a", number: step).request) else {
                    throw FaultFinding("found a deleted cache")
                }
            }
            guard store.waitForWrites(upTo: 30) else { throw FaultFinding("a deletion does not end") }
            disk.empty(path)
        }
    }

    /// Returns a sample with new version stamps, so that an earlier entry of the name is not taken for it.
    private static func sample(name: CacheName, number: Int) -> CacheSample {
        var sample = CacheSample(name: name, number: number)
        sample.states["Artist"] = UInt8(number)
        return sample
    }
}
