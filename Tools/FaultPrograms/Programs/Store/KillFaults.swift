import Foundation
import GRDB
import SectionedFetch
import SeededBugs
import TestSupport

/// A program is killed wherever it is in writing, sealing, committing or publishing; and then the machine loses the end of the
/// write-ahead log as well.
///
/// Each trial is one of both: the files are copied as the killed process left them, and the copy loses a part of its log. Both share
/// the folder of caches, and life goes on with the copy.
enum KillFaults: FaultProgram {
    static let name = "kills"
    static let rows = ["A-01", "A-02"]
    static let summary =
        "kills a process that saves, is interfered with and fetches, cuts the write-ahead log of a copy, and fetches from both"
    static let releaseCount = 20_000
    static let bugs: [SeededBug] = [.counterToken, .deletionTriggerAlone]

    private static let trialsPerStore = 20

    static func run(_ run: inout FaultRun) throws {
        var store: SongStore?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            if trial % trialsPerStore == 0 { store = nil }
            let place = try store ?? .make(
                trial / trialsPerStore % 2 == 0 ? .ours : .owners, in: run.folder, using: &generator)
            try place.closeOther()
            let end = try run.child([
                place.url.path, place.cacheFolder.path, place.tables.isOwners ? "owners" : "ours",
                "\(generator.next() >> 1)",
            ])
            guard end.signal == SIGKILL || end.status == 0 else {
                throw FaultFinding("the process to be killed ended by itself: \(end.errors)")
            }
            let copy = SongStore(
                place.tables, at: place.url.deletingLastPathComponent().appending(path: "\(trial).db"),
                caches: place.cacheFolder)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: place.url.path + suffix) {
                try FileManager.default.copyItem(atPath: place.url.path + suffix, toPath: copy.url.path + suffix)
            }
            try check(place, after: "a kill (\(end.output))", using: &generator)
            for outcome in try check(place, after: "a kill", using: &generator) { run.note(outcome) }
            let lost = try cutLog(of: copy, using: &generator)
            try check(copy, after: "a kill and the loss of \(lost) bytes of the log", using: &generator)
            // Other changes than those that were lost, with as many states.
            for _ in 0..<3 {
                try save(in: copy, using: &generator)
                try check(copy, after: "a kill, the loss of \(lost) bytes of the log, and a save", using: &generator)
            }
            try place.closeOther()
            for suffix in ["", "-wal", "-shm"] {
                let path = place.url.path + suffix
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            }
            store = copy
        }
    }

    @discardableResult
    private static func check(
        _ store: SongStore, after words: String, using generator: inout SeededGenerator
    ) throws -> [FaultOutcome] {
        let container = try store.container()
        return try (0..<2).map { _ in
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            return try store.start(list, in: container, after: words)
        }
    }

    /// Cuts the log of a store that nobody has open at a random byte, as a power cut may do.
    private static func cutLog(of store: SongStore, using generator: inout SeededGenerator) throws -> Int {
        let path = store.url.path + "-wal"
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        let size = Int(try file.seekToEnd())
        guard size > 0 else { return 0 }
        // Mostly the last few transactions, sometimes anything.
        let lost = Int.random(in: 0...(Bool.random(using: &generator) ? min(size, 60_000) : size), using: &generator)
        try file.truncate(atOffset: UInt64(size - lost))
        return lost
    }

    private static func save(in store: SongStore, using generator: inout SeededGenerator) throws {
        let context = try store.container().newContext()
        try KillWork.change(context, using: &generator)
        try context.save()
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 4, let seed = UInt64(arguments[3]) else {
            throw FaultFinding("a store, a folder of caches, the kind of tables and a seed are needed")
        }
        let store = SongStore(
            arguments[2] == "owners" ? .owners : .ours, at: URL(filePath: arguments[0]),
            caches: URL(filePath: arguments[1]))
        try KillWork.run(store, seed: seed)
    }
}
