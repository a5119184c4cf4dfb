import SectionedFetch
import Mutants
import CheckSupport

/// Writes with triggers switched off, which change no version stamp, as is documented. Nothing may crash,
/// comparing an entry with the data must detect them, and the next change with triggers must end the effect.
enum TriggerlessFaults: FaultProgram {
    static let name = "triggers-off"
    static let rows = ["A-22"]
    static let summary =
        "writes with triggers switched off, then compares caches with the data, then writes with triggers"
    static let releaseCount = 500
    static let mutants: [Mutant] = [.comparedByCount]
    static let huntCount = 200

    static func run(_ run: inout FaultRun) throws {
        guard SQLiteShell.url != nil else { throw FaultSkipped(SQLiteShell.reason) }
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try SongStore.make(
                trial % 2 == 0 ? .ours : .existing, in: run.folder, using: &generator)
            let (songs, key) = (store.tables.songs, store.tables.key)
            let list =
                [SongList.byGenre, .byGenreDown, .byTitleDown].randomElement(using: &generator) ?? .byGenre
            try store.start(list, after: "nothing")
            let sql =
                [
                    "UPDATE \(songs) SET genre = 'unseen', title = title || ' unseen' WHERE \(key) % 2 = 0",
                    "UPDATE \(songs) SET genre = CASE genre WHEN 'rock' THEN 'jazz' WHEN 'jazz' THEN 'rock' ELSE genre END, title = (1000 - \(key)) || title",
                    "DELETE FROM \(songs) WHERE \(key) % 5 = 0", "DELETE FROM \(songs)",
                    "INSERT INTO \(songs) (\(key), title, genre) VALUES (900, 'unseen', 'unseen')",
                ].randomElement(using: &generator) ?? ""
            guard try SQLiteShell.run([".dbconfig enable_trigger off", sql], on: store.url) != nil else {
                throw FaultFinding("the shell refuses \(sql)")
            }
            let changed = try store.oracle().sections(of: list)
            // The results may be the previous ones, and reading deleted rows must not crash.
            let controller = try store.controller(of: list, in: store.container())
            try controller.performFetch()
            if let objects = controller.fetchedObjects {
                // The error of a deleted row is expected.
                for object in objects.prefix(100) { _ = try? object.value(forProperty: "title") }
            }
            let isRight = SongStore.sections(of: controller) == changed
            let verification = try controller.verifyCache()
            let isFoundEqual = if case .equal? = verification { true } else { false }
            guard isFoundEqual == isRight else {
                throw FaultFinding(
                    "after \(sql) without triggers, the comparison of the entry with the data gives \(String(describing: verification))"
                )
            }
            try store.write("INSERT INTO \(songs) (\(key), title, genre) VALUES (901, 'seen', 'seen')")
            try store.write("DROP TRIGGER sc_\(songs)_update")
            run.note(try store.start(list, after: "\(sql) without triggers, and repaired tracking"))
            try store.start(
                list, mustHit: true, after: "\(sql) without triggers, and repaired tracking")
            try store.closeOther()
        }
    }
}
