import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// What was fetched before it was taken back is kept by no cache, and what was taken back costs no cache its
/// answer.
enum RollbackFaults: FaultProgram {
    static let name = "rollbacks"
    static let rows = ["A-24"]
    static let summary = "fetches amid changes that are rolled back afterwards, then makes other changes"
    static let releaseCount = 50_000
    static let mutants: [Mutant] = [.publishedFromWrite, .publishedBeforeCommit]

    /// A store with two programs.
    private struct Place {
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
        var place: Place?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let (store, isNew) = try stores.store(ofTrial: trial, in: run.folder, using: &generator)
            if isNew { place = try Place(store) }
            guard let place else { continue }
            if trial % 12 == 11 {
                try place.store.write(SongWrite.refill(place.store.tables, using: &generator))
            }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            let words: String
            switch trial % 4 {
            case 0: words = try rollBackContext(place, list, isFollowed: false, using: &generator)
            case 1: words = try rollBackContext(place, list, isFollowed: true, using: &generator)
            case 2: words = try rollBackApplication(place, list, using: &generator)
            default: words = try rollBackElsewhere(place, list, using: &generator)
            }
            run.note(try place.store.start(list, in: place.container, after: words))
            if Bool.random(using: &generator) {
                let sql = SongWrite.random(place.store.tables, using: &generator)
                try place.store.write(sql)
                try place.store.start(list, in: place.container, after: "\(words); \(sql)")
            }
        }
    }

    /// A context has unsaved changes, which a controller shows, and forgets them.
    private static func rollBackContext(
        _ place: Place, _ list: SongList, isFollowed: Bool, using generator: inout SeededGenerator
    ) throws -> String {
        let context = place.container.newContext()
        let controller = try place.store.controller(of: list, in: place.container, context: context)
        let changes = isFollowed ? controller.changes : nil
        if isFollowed { try controller.performFetch() }
        // The state that an entry of the unsaved changes would be taken for; a fetch of it would keep what is
        // right.
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
        guard controller.cacheStore.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        context.rollback()
        withExtendedLifetime(changes) {}
        guard controller.cacheStore.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        return "unsaved changes\(isFollowed ? " that a controller followed" : "") were forgotten"
    }

    /// An application changes rows in a transaction of its own, fetches within it, and rolls it back, or a
    /// part of it.
    private static func rollBackApplication(
        _ place: Place, _ list: SongList, using generator: inout SeededGenerator
    ) throws -> String {
        let tables = place.store.tables
        let isWhole = Bool.random(using: &generator)
        try place.application.queue.unsafeReentrantWrite { database in
            try database.execute(
                sql:
                    "BEGIN IMMEDIATE; SAVEPOINT a; UPDATE \(tables.songs) SET genre = 'passing' WHERE \(tables.key) % 2 = 0"
            )
        }
        let controller = try place.store.controller(of: list, in: place.application.container)
        try controller.performFetch()
        let expected = try place.application.queue.unsafeReentrantRead { try SongOracle(tables, in: $0) }
        let found = SongStore.sections(of: controller)
        guard found == expected.sections(of: list) else {
            throw FaultFinding(
                "in an application's transaction the list \(list) shows \(SongStore.difference(found, expected.sections(of: list)))"
            )
        }
        guard controller.cacheStore.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        try place.application.queue.unsafeReentrantWrite { database in
            try database.execute(
                sql: isWhole
                    ? "ROLLBACK"
                    : "ROLLBACK TO a; UPDATE \(tables.songs) SET year = 1999 WHERE \(tables.key) % 3 = 0; RELEASE a; COMMIT"
            )
        }
        return "an application rolled back \(isWhole ? "a transaction" : "to a savepoint")"
    }

    /// Another program changes and rolls back, which costs the cache nothing.
    private static func rollBackElsewhere(
        _ place: Place, _ list: SongList, using generator: inout SeededGenerator
    ) throws -> String {
        try place.store.start(list, in: place.container, after: "nothing")
        let songs = place.store.tables.songs
        let sql =
            [
                "BEGIN; DELETE FROM \(songs); ROLLBACK", "BEGIN; UPDATE \(songs) SET genre = 'x'; ROLLBACK",
                "SAVEPOINT a; UPDATE \(songs) SET year = 1; ROLLBACK TO a; RELEASE a",
            ].randomElement(using: &generator) ?? ""
        try place.store.write(sql)
        try place.store.start(list, in: place.container, mustHit: true, after: sql)
        return sql
    }
}
