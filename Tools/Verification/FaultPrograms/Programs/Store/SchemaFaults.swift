import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Schema changes by other programs. Lists must be right, or an error must name the missing part.
enum SchemaFaults: FaultProgram {
    static let name = "schema-changes"
    static let rows = ["A-21"]
    static let summary =
        "adds, drops and renames columns and tables, and drops or edits triggers, under running programs"
    static let releaseCount = 5_000
    static let mutants: [Mutant] = [.noTriggerDigest, .shadowedTable, .unplacedLayout, .foreignControl]
    static let huntCount = 300

    private static let trialsPerStore = 6

    static func run(_ run: inout FaultRun) throws {
        var stores = SongStoreSeries(trialsPerStore: trialsPerStore)
        var container: PersistentContainer?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let (store, isNew) = try stores.store(ofTrial: trial, in: run.folder, using: &generator)
            if isNew { container = try store.container() }
            if trial % trialsPerStore == 3 {
                try shadow(store, using: &generator)
                run.note(.right)
                continue
            }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            // Every third change is one after which the schema has the same texts.
            let change =
                trial % 3 == 1
                ? try SchemaRebuild.random(store, number: trial, using: &generator)
                : SchemaChange.random(store.tables, number: trial, using: &generator)
            let running = Bool.random(using: &generator) && !change.keepsVersion ? container : nil
            try store.start(list, in: running, after: "nothing")
            do {
                try store.other().writeWithoutTransaction { database in
                    do {
                        try database.execute(sql: change.sql)
                    } catch let error as DatabaseError {
                        // SQLite refuses to drop columns that triggers name.
                        if database.isInsideTransaction { try database.rollback() }
                        guard [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode) else {
                            throw error
                        }
                    }
                }
                run.note(try store.start(list, in: running, after: change.sql))
                // If the change had gone undetected, this write would show it.
                let write =
                    "UPDATE \(store.tables.songs) SET genre = 'g\(trial)', title = title || 'x' WHERE \(store.tables.key) % 3 = 0"
                try store.write(write)
                try store.start(list, in: running, after: "\(change.sql); \(write)")
                let mustHit = !change.endsTracking
                try store.start(list, mustHit: mustHit, after: "\(change.sql); \(write), and a fetch")
                if change.endsTracking || change.keepsVersion { stores.current = nil }
            } catch let error as ObjectStorageError {
                guard change.mayBeRefused else { throw FaultFinding("after \(change.sql): \(error)") }
                run.note(.refused)
                stores.current = nil
            } catch let error as DatabaseError {
                // A list need not read what was dropped, but the oracle reads everything.
                guard change.mayBeRefused, error.resultCode == .SQLITE_ERROR else { throw error }
                run.note(.refused)
                stores.current = nil
            }
        }
    }

    /// Creates temporary tables of the same names on the connection that an application passes to the
    /// container.
    private static func shadow(_ store: SongStore, using generator: inout SeededGenerator) throws {
        let queue = try DatabaseQueue(path: store.url.path)
        let container = try PersistentContainer(
            writer: queue, model: store.tables.model(),
            options: StoreOptions(existingTables: store.tables.isExisting ? .tracked : nil))
        let tables = store.tables
        try queue.writeWithoutTransaction {
            for table in [tables.songs, tables.singers, tables.links] {
                try $0.execute(sql: "CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table) LIMIT 5")
            }
        }
        for _ in 0..<2 {
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            try store.write(SongWrite.random(tables, using: &generator))
            try store.start(list, in: container, after: "temporary tables of the same names")
            try store.start(list, after: "a program with temporary tables of the same names")
        }
    }
}
