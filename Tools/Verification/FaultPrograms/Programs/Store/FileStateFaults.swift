import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Untracked stores whose caches rely on the state of their files, while other programs write, copy, replace
/// and remove these files.
enum FileStateFaults: FaultProgram {
    static let name = "file-states"
    static let rows = ["A-44"]
    static let summary =
        "writes, checkpoints, restores, copies, replaces and truncates the files of untracked stores"
    static let releaseCount = 2_000
    static let mutants: [Mutant] = [.logOfFilesLeftOut, .fileTimesLeftOut]

    private enum Kind: CaseIterable {
        case write, checkpoint, restoredByBackup, copiedInPlace, renamedOver, logRemoved, vacuumed, saved
        case otherMode, unchanged
    }

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try makeStore(hasLog: trial % 2 == 0, in: run.folder, using: &generator)
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            var running: PersistentContainer? = try container(of: store)
            let kind = Kind.allCases[trial / 2 % Kind.allCases.count]
            try settle()
            _ = try store.start(list, in: container(of: store), after: "nothing")
            try store.start(list, in: container(of: store), mustHit: true, after: "nothing")
            let copy = SongStore(
                store.tables, at: store.url.deletingLastPathComponent().appending(path: "copy.db"),
                caches: store.cacheFolder)
            try store.copyFiles(to: copy)
            for round in 0..<3 {
                let words = "\(kind), round \(round)"
                // Within a process, connections to one file share the index of its log.
                if kind == .logRemoved || kind == .copiedInPlace { running = nil }
                try change(kind, store, copy, using: &generator)
                // Without a pause, a later write may have the time of this one.
                if Bool.random(using: &generator) { try settle() }
                if let running {
                    // It reads the file that was replaced.
                    if kind == .renamedOver {
                        try fetchUnchecked(list, store, in: running)
                    } else {
                        _ = try store.start(list, in: running, after: words)
                    }
                }
                running = try running ?? container(of: store)
                if Bool.random(using: &generator) { try settle() }
                run.note(try store.start(list, in: container(of: store), after: words))
                if Bool.random(using: &generator) {
                    try store.write(SongWrite.random(store.tables, using: &generator))
                    run.note(try store.start(list, in: container(of: store), after: "\(words), and a write"))
                }
            }
            try store.closeOther()
            try FileManager.default.removeItem(at: store.url.deletingLastPathComponent())
        }
    }

    /// Waits until the state of files that were just written can be trusted.
    private static func settle() throws { Thread.sleep(forTimeInterval: 0.12) }

    private static func makeStore(
        hasLog: Bool, in folder: URL, using generator: inout SeededGenerator
    ) throws -> SongStore {
        let directory = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let store = SongStore(
            .existing, at: directory.appending(path: "songs.db"), caches: directory.appending(path: "caches"))
        if hasLog { try store.write("PRAGMA journal_mode = WAL") }
        try store.write(SongTables.existingSchema)
        try store.write(SongWrite.first(store.tables, songs: 40, using: &generator))
        return store
    }

    /// Opens an untracked store, as a program does at its start.
    private static func container(of store: SongStore) throws -> PersistentContainer {
        try PersistentContainer(
            url: store.url, model: store.tables.model(),
            options: StoreOptions(
                isReadOnly: true, busyTimeout: 10, existingTables: .untracked, cachesByFileState: true))
    }

    /// Fetches in a program that has run for a while, and may read files that other programs have removed.
    /// Its cache entries must be correct for other programs.
    private static func fetchUnchecked(
        _ list: SongList, _ store: SongStore, in container: PersistentContainer
    ) throws {
        let controller = try store.controller(of: list, in: container)
        do throws(ObjectStorageError) {
            try controller.performFetch()
        } catch {
            // The store's file was replaced.
        }
        guard controller.cacheStore.waitForWrites(upTo: 30) else {
            throw FaultFinding("a save to the cache does not end")
        }
    }

    /// Changes the files of a store.
    private static func change(
        _ kind: Kind, _ store: SongStore, _ copy: SongStore, using generator: inout SeededGenerator
    ) throws {
        let path = store.url.path
        switch kind {
        case .unchanged: break
        case .write:
            try store.write(SongWrite.random(store.tables, using: &generator))
        case .saved:
            let context = try PersistentContainer(
                url: store.url, model: store.tables.model(),
                options: StoreOptions(busyTimeout: 10, existingTables: .untracked, cachesByFileState: true)
            ).newContext()
            let song = try context.insert(entityNamed: "Song")
            try song.setValue(.text("new \(generator.next())"), forProperty: "title")
            try context.save()
        case .checkpoint:
            try store.write(SongWrite.random(store.tables, using: &generator))
            let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &generator) ?? ""
            try store.write("PRAGMA wal_checkpoint(\(mode))")
        case .otherMode:
            // A mode cannot be changed while another connection has the log open.
            try store.write(SongWrite.random(store.tables, using: &generator))
            do {
                try store.write("PRAGMA journal_mode = \(Bool.random(using: &generator) ? "PERSIST" : "WAL")")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // The mode stays.
            }
        case .vacuumed:
            try store.write(SongWrite.random(store.tables, using: &generator))
            try store.write("VACUUM")
        case .restoredByBackup:
            try copy.write(SongWrite.random(store.tables, using: &generator))
            try copy.other().backup(to: store.other())
        case .copiedInPlace:
            try copy.write(SongWrite.random(store.tables, using: &generator))
            try copy.write("PRAGMA wal_checkpoint(TRUNCATE)")
            try copy.closeOther()
            try store.closeOther()
            removeLog(of: store)
            let data = try Data(contentsOf: copy.url)
            let file = try FileHandle(forWritingTo: store.url)
            try file.truncate(atOffset: UInt64(data.count))
            try file.seek(toOffset: 0)
            try file.write(contentsOf: data)
            try file.close()
        case .renamedOver:
            try copy.write(SongWrite.random(store.tables, using: &generator))
            try copy.write("PRAGMA wal_checkpoint(TRUNCATE)")
            try copy.closeOther()
            try store.closeOther()
            let next = path + ".next"
            try FileManager.default.copyItem(atPath: copy.url.path, toPath: next)
            removeLog(of: store)
            guard rename(next, path) == 0 else { throw FaultFinding("rename(2) fails") }
        case .logRemoved:
            try store.write(SongWrite.random(store.tables, using: &generator))
            try store.closeOther()
            removeLog(of: store)
        }
    }

    private static func removeLog(of store: SongStore) {
        for suffix in ["-wal", "-shm"] {
            // A file with this suffix need not exist.
            try? FileManager.default.removeItem(atPath: store.url.path + suffix)
        }
    }
}
