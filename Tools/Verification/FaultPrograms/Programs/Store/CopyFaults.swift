import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Copied, renamed, restored and rebuilt stores that share a folder of caches. A cache may answer only if the
/// contents are equal.
enum CopyFaults: FaultProgram {
    static let name = "store-copies"
    static let rows = ["A-19"]
    static let summary =
        "copies, restores, dumps in whole or in part, and vacuums stores that share a folder of caches"
    static let releaseCount = 5_000
    static let mutants: [Mutant] = [.counterToken, .implicitRowIDs, .countedVersion]

    private enum Kind: CaseIterable {
        case copied, renamed, restored, restoredInPlace, dumped, dumpedInPart, vacuumed, vacuumedInto,
            attached
    }

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try SongStore.make(
                trial % 2 == 0 ? .ours : .existing, in: run.folder, using: &generator)
            let kind = Kind.allCases[trial / 2 % Kind.allCases.count]
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            try store.start(list, after: "nothing")
            try store.start(list, mustHit: true, after: "nothing")
            let stores = try afterwards(kind, store, list, using: &generator)
            for store in stores { run.note(try store.start(list, after: "\(kind)")) }
            // From here on the stores are changed independently.
            for _ in 0..<2 {
                for store in stores {
                    try save(in: store, using: &generator)
                    if Bool.random(using: &generator) { try store.start(list, after: "\(kind), and a save") }
                }
            }
            for store in stores + stores {
                try store.start(list, after: "\(kind), and saves")
                try store.closeOther()
            }
            try FileManager.default.removeItem(at: store.url.deletingLastPathComponent())
        }
        if SQLiteShell.url == nil { print("\(name): without dumps: \(SQLiteShell.reason)") }
    }

    /// Saves a song with the library, which gives the table of songs a new version stamp.
    private static func save(in store: SongStore, using generator: inout SeededGenerator) throws {
        let context = try store.container().newContext()
        let song = try context.insert(entityNamed: "Song")
        try song.setValue(
            .text("saved \(Int.random(in: 0..<1_000_000, using: &generator))"), forProperty: "title")
        try song.setValue(
            .text(["rock", "jazz"].randomElement(using: &generator) ?? ""), forProperty: "genre")
        try context.save()
    }

    /// Copies or changes a store.
    ///
    /// - Returns: The stores that exist afterwards.
    private static func afterwards(
        _ kind: Kind, _ store: SongStore, _ list: SongList, using generator: inout SeededGenerator
    ) throws -> [SongStore] {
        let folder = store.url.deletingLastPathComponent()
        let copy = SongStore(store.tables, at: folder.appending(path: "copy.db"), caches: store.cacheFolder)
        switch kind {
        case .copied:
            try store.copyFiles(to: copy)
            return [store, copy]
        case .renamed:
            try store.copyFiles(to: copy)
            try store.closeOther()
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: store.url.path + suffix)
            }
            return [copy]
        case .restored:
            try store.copyFiles(to: copy)
            try save(in: store, using: &generator)
            try store.start(list, after: "a save after the backup")
            try store.closeOther()
            try copy.copyFiles(to: store)
            // This save differs from the lost one.
            try save(in: store, using: &generator)
            return [store]
        case .restoredInPlace:
            // The store stays open; SQLite's backup interface writes to it.
            let running = try store.container()
            try store.other().backup(to: copy.other())
            try save(in: store, using: &generator)
            try store.start(list, in: running, after: "a save after the backup")
            try copy.other().backup(to: store.other())
            try store.start(list, in: running, after: "a restored backup")
            try save(in: store, using: &generator)
            try store.start(list, in: running, after: "a restored backup and a save")
            return [store, copy]
        case .dumped:
            guard SQLiteShell.url != nil else { return [store] }
            let dump = folder.appending(path: "dump.sql")
            try SQLiteShell.run([".output \(dump.path)", ".dump"], on: store.url)
            try SQLiteShell.run([".read \(dump.path)"], on: copy.url)
            if store.tables.isExisting { try copy.write("PRAGMA journal_mode = WAL") }
            return [store, copy]
        case .dumpedInPart:
            guard SQLiteShell.url != nil else { return [store] }
            let dump = folder.appending(path: "dump.sql")
            try SQLiteShell.run([".output \(dump.path)", ".dump"], on: store.url)
            // Removes a row from the text of the dump, or changes one.
            var lines = try String(contentsOf: dump, encoding: .utf8).split(separator: "\n")
            let songs = lines.indices.filter {
                lines[$0].hasPrefix("INSERT INTO \(store.tables.songs) ")
                    || lines[$0].hasPrefix("INSERT INTO \"\(store.tables.songs)\" ")
            }
            guard let line = songs.randomElement(using: &generator) else {
                throw FaultFinding("a dump contains no songs")
            }
            if Bool.random(using: &generator) {
                lines.remove(at: line)
            } else {
                lines[line] =
                    "\(lines[line].replacing("rock", with: "folk").replacing("jazz", with: "rock"))"[...]
            }
            try lines.joined(separator: "\n").write(to: dump, atomically: true, encoding: .utf8)
            try SQLiteShell.run([".read \(dump.path)"], on: copy.url)
            if store.tables.isExisting { try copy.write("PRAGMA journal_mode = WAL") }
            return [store, copy]
        case .vacuumed:
            try store.write("DELETE FROM \(store.tables.songs) WHERE \(store.tables.key) % 3 = 0")
            try store.start(list, after: "a deletion")
            try store.write("VACUUM")
            return [store]
        case .vacuumedInto:
            try store.write("VACUUM INTO '\(copy.url.path)'")
            if store.tables.isExisting { try copy.write("PRAGMA journal_mode = WAL") }
            return [store, copy]
        case .attached:
            try store.copyFiles(to: copy)
            let songs = store.tables.songs
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction {
                try $0.execute(
                    sql: """
                        ATTACH '\(store.url.path)' AS one; ATTACH '\(copy.url.path)' AS two;
                        UPDATE one.\(songs) SET genre = 'attached' WHERE \(store.tables.key) % 2 = 0;
                        DELETE FROM two.\(songs); INSERT INTO two.\(songs) SELECT * FROM one.\(songs);
                        DETACH one; DETACH two
                        """)
            }
            return [store, copy]
        }
    }
}
