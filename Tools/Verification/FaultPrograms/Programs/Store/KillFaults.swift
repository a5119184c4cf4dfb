import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Killed processes, and machines that lose the end of the write-ahead log as well. The process is killed at
/// a random point of writing, stamping, committing or saving to the cache.
///
/// Each trial tests both: the files are copied as the killed process left them, and the copy loses a part of
/// its log. Both stores share the folder of caches. The next trial continues with the copy.
enum KillFaults: FaultProgram {
    static let name = "kills"
    static let rows = ["A-01", "A-02"]
    static let summary =
        "kills a process that saves and fetches beside another program, cuts the write-ahead log of a copy, and fetches from both"
    /// The number of trials, each of which covers both rows.
    static let releaseCount = 20_000
    static let mutants: [Mutant] = [.counterToken, .deletionTriggerAlone]

    static func run(_ run: inout FaultRun) throws {
        var stores = SongStoreSeries(trialsPerStore: 20)
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try stores.store(ofTrial: trial, in: run.folder, using: &generator).store
            try store.closeOther()
            let end = try run.child([
                store.url.path, store.cacheFolder.path, store.tables.isExisting ? "existing" : "ours",
                "\(generator.next() >> 1)",
            ])
            guard end.signal == SIGKILL || end.status == 0 else {
                throw FaultFinding("the process ended before it was killed: \(end.errors)")
            }
            let copy = SongStore(
                store.tables, at: store.url.deletingLastPathComponent().appending(path: "\(trial).db"),
                caches: store.cacheFolder)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.url.path + suffix) {
                try FileManager.default.copyItem(
                    atPath: store.url.path + suffix, toPath: copy.url.path + suffix)
            }
            try run.note(check(store, store.container(), 2, after: "a kill", using: &generator))
            let lost = try cutLog(of: copy, using: &generator)
            let words = "a kill and the loss of \(lost) bytes of the log"
            let container = try copy.container()
            try run.note(check(copy, container, 2, after: words, using: &generator))
            // Changes that differ from the lost ones. A token that counts commits would repeat.
            for _ in 0..<3 {
                try save(in: container, using: &generator)
                try check(copy, container, 1, after: "\(words), and a save", using: &generator)
            }
            try store.closeOther()
            for suffix in ["", "-wal", "-shm"] {
                let path = store.url.path + suffix
                if FileManager.default.fileExists(atPath: path) {
                    try FileManager.default.removeItem(atPath: path)
                }
            }
            stores.current = copy
        }
    }

    /// Fetches a number of random lists.
    ///
    /// - Returns: The outcome of the last fetch.
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

    /// Truncates the log of a closed store at a random byte, as a power failure may do.
    private static func cutLog(of store: SongStore, using generator: inout SeededGenerator) throws -> Int {
        let path = store.url.path + "-wal"
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        let size = Int(try file.seekToEnd())
        guard size > 0 else { return 0 }
        // In half of the cases at most the last few transactions.
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
            arguments[2] == "existing" ? .existing : .ours, at: URL(filePath: arguments[0]),
            caches: URL(filePath: arguments[1]))
        try KillWork.run(store, seed: seed)
    }
}
