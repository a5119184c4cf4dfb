import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// Failing system calls on the files of a cache. Answers must be right, nothing may wait, and the next start
/// must find or build a cache.
enum CacheWriteFaults: FaultProgram {
    static let name = "cache-write-faults"
    static let rows = ["A-09"]
    static let summary =
        "fails the n-th write, seek, truncation or allocation of a cache's files, once or from then on"
    static let releaseCount = 20_000
    static let mutants: [Mutant] = [.noRecovery]
    static let huntCount = 400

    /// The calls that write a cache's files. No sync is among them: losing a cache loses no data, so the
    /// library does not sync.
    private static let calls = ["pwrite", "pwrite", "writev", "ftruncate", "lseek", "fallocate"]
    /// The number of trials of a call of which at least one must reach the call; otherwise the program tests
    /// nothing.
    private static let trialsToMeet = 20

    static func run(_ run: inout FaultRun) throws {
        let library = try FaultLibrary.make(in: run.folder)
        let hits = run.folder.appending(path: "hits")
        var (tried, met): ([String: Int], [String: Int]) = ([:], [:])
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try SongStore.make(.ours, in: run.folder, using: &generator)
            let call = calls.randomElement(using: &generator) ?? "pwrite"
            // A lock file is created only once.
            let isRare = ["ftruncate", "fallocate"].contains(call) || Bool.random(using: &generator)
            var variables = [
                "CALL": call,
                "KIND": ["EIO", "ENOSPC", "EDQUOT", "short", "short", "EINTR"].randomElement(
                    using: &generator) ?? "EIO",
                "AT": "\(Int.random(in: 1...(isRare ? 2 : 16), using: &generator))",
                "FOLDER": store.cacheFolder.path, "HITS": hits.path,
            ]
            if call == "ftruncate" { variables["NO_ALLOCATION"] = "1" }
            // An interrupted call is repeated, so an interruption that never ends would not stop.
            if variables["KIND"] != "EINTR", Bool.random(using: &generator) { variables["STICKY"] = "1" }
            try store.closeOther()
            let words = variables.filter { !["FOLDER", "HITS"].contains($0.key) }.map {
                "\($0.key) \($0.value)"
            }.sorted()
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
            tried[call, default: 0] += 1
            if unlink(hits.path) == 0 { met[call, default: 0] += 1 }
            guard end.status == 0 else {
                throw FaultFinding(
                    "\(words): the process ended with \(end.signal ?? end.status ?? 0): \(end.errors)")
            }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            run.note(try store.start(list, after: words))
            try store.start(list, mustHit: true, after: "\(words), and a fetch")
            try store.closeOther()
        }
        for (call, count) in tried where count >= trialsToMeet && met[call] == nil {
            throw FaultFinding(
                "no \(call) was reached in \(count) trials: the cache's files are written by other calls")
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
