import Foundation
import SectionCaching
import SeededBugs
import TestSupport

/// Disks that are full when a cache is opened, when its lock file grows, and when something is saved.
enum FullDiskFaults: FaultProgram {
    static let name = "full-disk"
    static let rows = ["A-08"]
    static let summary = "opens, looks up and saves on file systems of 8 KiB to 1 MiB that fill up"
    static let releaseCount = 500
    static let bugs: [SeededBug] = [.sparseLockFile, .staleHandle]
    static let huntCount = 40

    /// Trials of one process, which mounts a file system for each.
    private static let share = 20

    static func run(_ run: inout FaultRun) throws {
        try Namespaces.require(Namespaces.mounting)
        for first in stride(from: 0, to: run.count, by: share) {
            let count = min(share, run.count - first)
            let end = try run.child(
                ["\(run.seed &+ UInt64(first))", "\(count)", run.folder.path], launcher: Namespaces.mounting,
                timeLimit: 120)
            guard end.status == 0 else { throw FaultFinding("trials \(first)…: \(end)") }
            for word in end.output.split(separator: "\n") {
                guard let outcome = FaultOutcome(rawValue: String(word)) else {
                    throw FaultFinding("trials \(first)…: \(end)")
                }
                run.note(outcome)
            }
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let seed = UInt64(arguments[0]), let count = Int(arguments[1]) else {
            throw FaultFinding("\(arguments)")
        }
        let disk = arguments[2] + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        for number in 0..<count {
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            let kibibytes =
                [8, 12, 16, 20, 28, 40, 64, 1_024, 1_024, 1_024].randomElement(using: &generator) ?? 8
            try Namespaces.mount("tmpfs", at: disk, options: "size=\(kibibytes)k,mode=700")
            defer { Namespaces.unmount(disk) }
            let outcome = try tryDisk(disk, kibibytes: kibibytes, using: &generator)
            print(outcome.rawValue)
        }
    }

    private static func tryDisk(
        _ disk: String, kibibytes: Int, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let store = SectionCacheStore(directory: URL(filePath: disk + "/caches"))
        var hasHit = false
        for step in 0..<6 {
            // Full before the first use, now and then with a page or two left, or free again.
            if Bool.random(using: &generator) {
                fill(disk, leaving: [0, 0, 1, 2, 3].randomElement(using: &generator) ?? 0)
            }
            let sample = sample(name: ["a", "b", "c"][step % 3], number: step)
            store.save(sample.index, for: sample.request)
            guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
            if try sample.check(store.lookUp(sample.request), mustHit: false) { hasHit = true }
            if Bool.random(using: &generator) { unlink(disk + "/filler") }
        }
        guard kibibytes == 1_024 else { return hasHit ? .right : .off }
        try deleteWithoutRoom(disk, store)
        // One name that was never there fails once to be saved, and then there is room.
        let sample = sample(name: "late", number: 9)
        fill(disk, leaving: 0)
        store.save(sample.index, for: sample.request)
        guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        try sample.check(store.lookUp(sample.request), mustHit: false)
        unlink(disk + "/filler")
        store.save(sample.index, for: sample.request)
        guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        let lookup = store.lookUp(sample.request)
        guard lookup.isHit else {
            throw FaultFinding("with room again: \(lookup), \(store.lastProblem.map { "\($0)" } ?? "")")
        }
        try sample.check(lookup, mustHit: true)
        return .right
    }

    /// What is deleted while nothing can be written is not found again when there is room.
    private static func deleteWithoutRoom(_ disk: String, _ store: SectionCacheStore) throws {
        fill(disk, leaving: 0)
        store.deleteCache(named: "a")
        for _ in 0..<2 {
            for step in [0, 3] {
                guard case .miss = store.lookUp(sample(name: "a", number: step).request) else {
                    throw FaultFinding("found what was deleted")
                }
            }
            guard store.waitForSaves(upTo: 30) else { throw FaultFinding("a deletion does not end") }
            unlink(disk + "/filler")
        }
    }

    /// A sample of a state of its own, so that one that could not be saved is not taken for the one before.
    private static func sample(name: CacheName, number: Int) -> CacheSample {
        var sample = CacheSample(name: name, number: number)
        sample.states["Artist"] = UInt8(number)
        return sample
    }

    /// Writes a file until there is no room, and then makes it some pages shorter.
    private static func fill(_ disk: String, leaving pages: Int) {
        let descriptor = open(disk + "/filler", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        var size = 0
        while pwrite(descriptor, page, page.count, off_t(size)) == page.count { size += page.count }
        ftruncate(descriptor, off_t(max(0, size - pages * page.count)))
    }
}
