import Foundation
import SectionedFetch
import SeededBugs
import TestSupport

/// The system fails a write of the cache's: answers are right, nothing waits, and the next start finds or makes a cache.
enum CacheWriteFaults: FaultProgram {
    static let name = "cache-write-faults"
    static let rows = ["A-09"]
    static let summary =
        "fails the n-th write, sync, truncation or allocation of a cache's files, once or from then on"
    /// Fewer than in the matrix, because each needs a process of its own; each of the thousand or so combinations comes about three
    /// times.
    static let releaseCount = 20_000
    static let bugs: [SeededBug] = [.noRecovery]
    static let huntCount = 400

    private static let calls = [
        "pwrite", "pwrite", "pwrite", "write", "writev", "fdatasync", "ftruncate", "lseek", "fallocate",
    ]

    static func run(_ run: inout FaultRun) throws {
        let library = try FaultLibrary.make(in: run.folder)
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try SongStore.make(.ours, in: run.folder, using: &generator)
            var variables = [
                "CALL": calls.randomElement(using: &generator) ?? "pwrite",
                "KIND": ["EIO", "ENOSPC", "short", "short", "EINTR"].randomElement(using: &generator)
                    ?? "EIO",
                "AT": "\(Int.random(in: 1...(Bool.random(using: &generator) ? 2 : 16), using: &generator))",
                "FOLDER": store.cacheFolder.path,
            ]
            // Whoever is interrupted tries again; nobody is interrupted for ever.
            if variables["KIND"] != "EINTR", Bool.random(using: &generator) { variables["STICKY"] = "1" }
            try store.closeOther()
            let words = variables.filter { $0.key != "FOLDER" }.map { "\($0.key) \($0.value)" }.sorted()
                .joined(
                    separator: ", ")
            let end: FaultChild.End
            do {
                end = try run.child(
                    [store.url.path, store.cacheFolder.path, "\(generator.next() >> 1)"],
                    environment: FaultLibrary.environment(library, variables))
            } catch let finding as FaultFinding {
                throw FaultFinding("\(words): \(finding)")
            }
            guard end.status == 0 else {
                throw FaultFinding(
                    "\(words): the process ended with \(end.signal ?? end.status ?? 0): \(end.errors)")
            }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            run.note(try store.start(list, after: words))
            try store.start(list, mustHit: true, after: "\(words), and a fetch")
            try store.closeOther()
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            throw FaultFinding("a store, a folder of caches and a seed are needed")
        }
        var generator = SeededGenerator(seed: seed)
        let store = SongStore(
            .ours, at: URL(filePath: arguments[0]), caches: URL(filePath: arguments[1]))
        let container = try store.container()
        for round in 0..<3 {
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            try store.start(list, in: container, after: "round \(round)")
            try store.start(list, in: container, after: "round \(round)")
            let context = container.newContext()
            try KillWork.change(context, using: &generator)
            try context.save()
            try store.start(list, in: container, after: "round \(round), and a save")
        }
    }
}
