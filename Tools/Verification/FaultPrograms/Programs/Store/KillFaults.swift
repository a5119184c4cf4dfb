import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// A program is killed wherever it is in writing, stamping, committing or publishing; and then the machine
/// loses the end of the write-ahead log as well.
///
/// Each trial is one of both: the files are copied as the killed process left them, and the copy loses a part
/// of its log. Both share the folder of caches, and life goes on with the copy.
enum KillFaults: FaultProgram {
    static let name = "kills"
    static let rows = ["A-01", "A-02"]
    static let summary =
        "kills a process that saves, is interfered with and fetches, cuts the write-ahead log of a copy, and fetches from both"
    /// Each trial is verified once for either row.
    static let releaseCount = 20_000
    static let mutants: [Mutant] = [.counterToken, .deletionTriggerAlone]

    static func run(_ run: inout FaultRun) throws {
        var stores = SongStoreSeries(trialsPerStore: 20)
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let place = try stores.store(ofTrial: trial, in: run.folder, using: &generator).store
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
                try FileManager.default.copyItem(
                    atPath: place.url.path + suffix, toPath: copy.url.path + suffix)
            }
            try run.note(check(place, place.container(), 2, after: "a kill", using: &generator))
            let lost = try cutLog(of: copy, using: &generator)
            let words = "a kill and the loss of \(lost) bytes of the log"
            let container = try copy.container()
            try run.note(check(copy, container, 2, after: words, using: &generator))
            // Other changes than those that were lost, with as many states.
            for _ in 0..<3 {
                try save(in: container, using: &generator)
                try check(copy, container, 1, after: "\(words), and a save", using: &generator)
            }
            try place.closeOther()
            for suffix in ["", "-wal", "-shm"] {
                let path = place.url.path + suffix
                if FileManager.default.fileExists(atPath: path) {
                    try FileManager.default.removeItem(atPath: path)
                }
            }
            stores.current = copy
        }
    }

    /// Fetches some lists.
    ///
    /// - Returns: How the last fetch ended.
    @discardableResult
    private static func check(
        _ store: SongStore, _ container: PersistentContainer, _ count: Int, after words: String,
        using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        var outcome = FaultOutcome.off
        for _ in 0..<count {
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            outcome = try store.start(list, in: container, after: words)
        }
        return outcome
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
        let lost = Int.random(
            in: 0...(Bool.random(using: &generator) ? min(size, 60_000) : size), using: &generator)
        try file.truncate(atOffset: UInt64(size - lost))
        return lost
    }

    private static func save(
        in container: PersistentContainer, using generator: inout SeededGenerator
    ) throws {
        let context = container.newContext()
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
