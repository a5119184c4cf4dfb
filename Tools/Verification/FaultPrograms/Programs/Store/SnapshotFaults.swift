import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Commits between any two statements of a fetch, beside a reader that stays in the earlier state.
enum SnapshotFaults: FaultProgram {
    static let name = "snapshot-skew"
    static let rows = ["A-23"]
    static let summary =
        "commits between two statements of a fetch, beside a reader pinned to the earlier state that saves entries as well"
    static let releaseCount = 50_000
    static let mutants: [Mutant] = [.tokenReadApart]

    private static let trialsPerStore = 100

    /// The programs that share a store.
    private struct Scene {
        let store: SongStore
        /// Saves changes.
        let writer: PersistentContainer
        /// Stays in one state of the store.
        let pinned: SongApplication
        /// Fetches, and is interrupted.
        let fetching: SongApplication
        let interruption: Interruption

        init(_ store: SongStore) throws {
            self.store = store
            writer = try store.container()
            let interruption = Interruption()
            self.interruption = interruption
            pinned = try SongApplication(store)
            fetching = try SongApplication(store) { $0.trace { _ in interruption.step() } }
        }
    }

    static func run(_ run: inout FaultRun) throws {
        var scene: Scene?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            if trial % trialsPerStore == 0 {
                scene = try Scene(.make(.ours, in: run.folder, using: &generator))
            }
            guard let scene else { continue }
            run.note(try interrupt(scene, using: &generator))
        }
    }

    private static func interrupt(
        _ scene: Scene, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
        // This state is in no cache yet.
        try save(scene.writer, using: &generator)
        let before = try scene.store.oracle().sections(of: list)
        try scene.pinned.queue.unsafeReentrantWrite {
            try $0.execute(sql: "BEGIN; SELECT 1 FROM Song LIMIT 1")
            _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM Song")
        }
        let step = Int.random(in: 0..<14, using: &generator)
        var seed = SeededGenerator(seed: generator.next())
        let saved = try scene.interruption.during(step) {
            try save(scene.writer, using: &seed)
        } perform: {
            let controller = try scene.store.controller(of: list, in: scene.fetching.container)
            try controller.performFetch()
            guard controller.cacheStore.waitForWrites(upTo: 30) else {
                throw FaultFinding("a save to the cache does not end")
            }
            return SongStore.sections(of: controller)
        }
        let after = try scene.store.oracle().sections(of: list)
        guard saved == before || saved == after else {
            throw FaultFinding(
                "interrupted at statement \(step), the list \(list) shows rows of no state: \(SongStore.difference(saved, after))"
            )
        }
        // The pinned reader saves an entry that is older than the current state.
        let controller = try scene.store.controller(of: list, in: scene.pinned.container)
        try controller.performFetch()
        let pinned = SongStore.sections(of: controller)
        guard pinned == before else {
            throw FaultFinding(
                "after an interruption at statement \(step), a reader of the earlier state sees \(SongStore.difference(pinned, before)) in the list \(list) (\(controller.cacheLookup.map { "\($0)" } ?? ""))"
            )
        }
        guard controller.cacheStore.waitForWrites(upTo: 30) else {
            throw FaultFinding("a save to the cache does not end")
        }
        try scene.pinned.queue.unsafeReentrantWrite { try $0.execute(sql: "COMMIT") }
        let outcome = try scene.store.start(
            list, in: scene.writer, after: "a reader of an earlier state saved an entry")
        try scene.store.start(
            list, in: scene.writer, mustHit: true,
            after: "a reader of an earlier state saved an entry, and a fetch"
        )
        return outcome
    }

    private static func save(
        _ container: PersistentContainer, using generator: inout SeededGenerator
    ) throws {
        let context = container.newContext()
        var request = FetchRequest<ManagedObject>(entityName: "Song")
        request.fetchLimit = 3
        request.fetchOffset = Int.random(in: 0..<30, using: &generator)
        for object in try context.fetch(request) {
            let genre = ["rock", "jazz", "pop", "folk"].randomElement(using: &generator) ?? ""
            try object.setValue(.text(genre), forProperty: "genre")
            try object.setValue(
                .integer(.random(in: 1_990..<2_000, using: &generator)), forProperty: "year")
        }
        try context.save()
    }
}
