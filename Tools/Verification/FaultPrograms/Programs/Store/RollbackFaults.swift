import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Fetches amid changes that are rolled back. No cache may keep results of such changes, and the rollback
/// must not invalidate entries.
enum RollbackFaults: FaultProgram {
    static let name = "rollbacks"
    static let rows = ["A-24"]
    static let summary = "fetches amid changes that are rolled back afterwards, then makes other changes"
    static let releaseCount = 50_000
    static let mutants: [Mutant] = [.publishedFromWrite, .publishedBeforeCommit]

    /// A store with two programs.
    private struct Scene {
        let store: SongStore
        let container: PersistentContainer
        let application: SongApplication

        init(_ store: SongStore) throws {
            self.store = store
            container = try store.container()
            application = try SongApplication(store)
        }
    }

    static func run(_ run: inout FaultRun) throws {
        var stores = SongStoreSeries(trialsPerStore: 100)
        var scene: Scene?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let (store, isNew) = try stores.store(ofTrial: trial, in: run.folder, using: &generator)
            if isNew { scene = try Scene(store) }
            guard let scene else { continue }
            if trial % 12 == 11 {
                try scene.store.write(SongWrite.refill(scene.store.tables, using: &generator))
            }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            let words: String
            switch trial % 4 {
            case 0: words = try rollBackContext(scene, list, isFollowed: false, using: &generator)
            case 1: words = try rollBackContext(scene, list, isFollowed: true, using: &generator)
            case 2: words = try rollBackApplication(scene, list, using: &generator)
            default: words = try rollBackElsewhere(scene, list, using: &generator)
            }
            run.note(try scene.store.start(list, in: scene.container, after: words))
            if Bool.random(using: &generator) {
                let sql = SongWrite.random(scene.store.tables, using: &generator)
                try scene.store.write(sql)
                try scene.store.start(list, in: scene.container, after: "\(words); \(sql)")
            }
        }
    }

    /// Fetches from a context with unsaved changes, and rolls them back.
    private static func rollBackContext(
        _ scene: Scene, _ list: SongList, isFollowed: Bool, using generator: inout SeededGenerator
    ) throws -> String {
        let context = scene.container.newContext()
        let controller = try scene.store.controller(of: list, in: scene.container, context: context)
        let changes = isFollowed ? controller.changes : nil
        if isFollowed { try controller.performFetch() }
        // The right entry of the current version stamps would hide a wrong one made of unsaved changes.
        if isFollowed, Bool.random(using: &generator) {
            FetchedResultsController<ManagedObject>.deleteCache(
                named: try list.cacheName, in: controller.cacheStore)
        }
        for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Song")).prefix(5) {
            try object.setValue(.text("unsaved"), forProperty: "genre")
            try object.setValue(.integer(1_980), forProperty: "year")
        }
        let object = try context.insert(entityNamed: "Song")
        try object.setValue(.text("rock"), forProperty: "genre")
        if isFollowed { try context.processPendingChanges() } else { try controller.performFetch() }
        guard controller.cacheStore.waitForWrites(upTo: 30) else {
            throw FaultFinding("a save to the cache does not end")
        }
        context.rollback()
        withExtendedLifetime(changes) {}
        guard controller.cacheStore.waitForWrites(upTo: 30) else {
            throw FaultFinding("a save to the cache does not end")
        }
        return "unsaved changes\(isFollowed ? " that a controller followed" : "") were rolled back"
    }

    /// Changes rows in a transaction of an application, fetches within it, and rolls back all or a part of
    /// it.
    private static func rollBackApplication(
        _ scene: Scene, _ list: SongList, using generator: inout SeededGenerator
    ) throws -> String {
        let tables = scene.store.tables
        let isWhole = Bool.random(using: &generator)
        try scene.application.queue.unsafeReentrantWrite { database in
            try database.execute(
                sql:
                    "BEGIN IMMEDIATE; SAVEPOINT a; UPDATE \(tables.songs) SET genre = 'passing' WHERE \(tables.key) % 2 = 0"
            )
        }
        let controller = try scene.store.controller(of: list, in: scene.application.container)
        try controller.performFetch()
        let expected = try scene.application.queue.unsafeReentrantRead { try SongOracle(tables, in: $0) }
        let found = SongStore.sections(of: controller)
        guard found == expected.sections(of: list) else {
            throw FaultFinding(
                "in an application's transaction the list \(list) shows \(SongStore.difference(found, expected.sections(of: list)))"
            )
        }
        guard controller.cacheStore.waitForWrites(upTo: 30) else {
            throw FaultFinding("a save to the cache does not end")
        }
        try scene.application.queue.unsafeReentrantWrite { database in
            try database.execute(
                sql: isWhole
                    ? "ROLLBACK"
                    : "ROLLBACK TO a; UPDATE \(tables.songs) SET year = 1999 WHERE \(tables.key) % 3 = 0; RELEASE a; COMMIT"
            )
        }
        return "an application rolled back \(isWhole ? "a transaction" : "to a savepoint")"
    }

    /// Rolls back changes of another program, after which the entry must be a hit.
    private static func rollBackElsewhere(
        _ scene: Scene, _ list: SongList, using generator: inout SeededGenerator
    ) throws -> String {
        try scene.store.start(list, in: scene.container, after: "nothing")
        let songs = scene.store.tables.songs
        let sql =
            [
                "BEGIN; DELETE FROM \(songs); ROLLBACK", "BEGIN; UPDATE \(songs) SET genre = 'x'; ROLLBACK",
                "SAVEPOINT a; UPDATE \(songs) SET year = 1; ROLLBACK TO a; RELEASE a",
            ].randomElement(using: &generator) ?? ""
        try scene.store.write(sql)
        try scene.store.start(list, in: scene.container, mustHit: true, after: sql)
        return sql
    }
}
