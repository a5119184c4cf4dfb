import Foundation
import GRDB
import SectionedFetch
import Mutants
import CheckSupport

/// Somebody commits between any two statements of a fetch, while another reader stays in the moment before.
enum SnapshotFaults: FaultProgram {
    static let name = "snapshot-skew"
    static let rows = ["A-23"]
    static let summary =
        "commits between two statements of a fetch, with a reader pinned to the moment before, which publishes as well"
    static let releaseCount = 50_000
    static let mutants: [Mutant] = [.tokenReadApart]

    private static let trialsPerStore = 100

    /// The programs that share a store.
    private struct Place {
        let store: SongStore
        /// Saves.
        let writer: PersistentContainer
        /// Stays in one moment.
        let pinned: SongApplication
        /// Is interrupted.
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
        var place: Place?
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            if trial % trialsPerStore == 0 {
                place = try Place(.make(.ours, in: run.folder, using: &generator))
            }
            guard let place else { continue }
            run.note(try interrupt(place, using: &generator))
        }
    }

    private static func interrupt(
        _ place: Place, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
        // A state that no cache has.
        try save(place.writer, using: &generator)
        let before = try place.store.oracle().sections(of: list)
        try place.pinned.queue.unsafeReentrantWrite {
            try $0.execute(sql: "BEGIN; SELECT 1 FROM Song LIMIT 1")
            _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM Song")
        }
        let step = Int.random(in: 0..<14, using: &generator)
        var seed = SeededGenerator(seed: generator.next())
        let saved = try place.interruption.during(step) {
            try save(place.writer, using: &seed)
        } perform: {
            let controller = try place.store.controller(of: list, in: place.fetching.container)
            try controller.performFetch()
            guard controller.cacheStore.waitForSaves(upTo: 30) else {
                throw FaultFinding("a save does not end")
            }
            return SongStore.sections(of: controller)
        }
        let after = try place.store.oracle().sections(of: list)
        guard saved == before || saved == after else {
            throw FaultFinding(
                "interrupted at statement \(step), the list \(list) shows what it never was: \(SongStore.difference(saved, after))"
            )
        }
        // The reader of before publishes what it finds, which is older than what there is.
        let controller = try place.store.controller(of: list, in: place.pinned.container)
        try controller.performFetch()
        let pinned = SongStore.sections(of: controller)
        guard pinned == before else {
            throw FaultFinding(
                "after an interruption at statement \(step), a reader of the moment before sees \(SongStore.difference(pinned, before)) in the list \(list) (\(controller.cacheLookup.map { "\($0)" } ?? ""))"
            )
        }
        guard controller.cacheStore.waitForSaves(upTo: 30) else { throw FaultFinding("a save does not end") }
        try place.pinned.queue.unsafeReentrantWrite { try $0.execute(sql: "COMMIT") }
        let outcome = try place.store.start(
            list, in: place.writer, after: "a reader of before kept what it found")
        try place.store.start(
            list, in: place.writer, mustHit: true, after: "a reader of before kept what it found, and a fetch"
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
