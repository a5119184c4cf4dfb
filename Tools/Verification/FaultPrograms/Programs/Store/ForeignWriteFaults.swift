import SectionedFetch
import Mutants
import CheckSupport

/// Other programs write with every odd statement there is: no list shows what was before.
enum ForeignWriteFaults: FaultProgram {
    static let name = "foreign-writes"
    static let rows = ["A-20"]
    static let summary =
        "has another connection and the sqlite3 shell write in every odd way, and fetches lists after each change"
    static let releaseCount = 50_000
    static let mutants: [Mutant] = [.deletionTriggerAlone, .noStamp, .noTieBreak]

    static func run(_ run: inout FaultRun) throws {
        var stores = SongStoreSeries(trialsPerStore: 100)
        var container: PersistentContainer?
        var seen: [SongList] = []
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let (place, isNew) = try stores.store(ofTrial: trial, in: run.folder, using: &generator)
            if isNew { (container, seen) = (nil, []) }
            let sql =
                trial % 10 == 9
                ? SongWrite.refill(place.tables, using: &generator)
                : SongWrite.random(place.tables, using: &generator)
            if trial % 16 == 1, SQLiteShell.url != nil {
                try SQLiteShell.run([sql], on: place.url)
            } else {
                try place.write(sql)
            }
            // Half of the starts are of a program that goes on, half of one that begins.
            let running = Bool.random(using: &generator) ? try container ?? place.container() : nil
            if running != nil { container = running }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            run.note(try place.start(list, in: running, after: sql))
            // What was just kept, or is as it was, answers.
            if trial % 6 == 0 {
                try place.start(list, in: running, mustHit: true, after: "\(sql), and a fetch")
            }
            seen.append(list)
            if trial % 24 == 23 {
                for other in Set(seen) {
                    try place.start(other, in: container, after: "\(sql), in an older list")
                }
            }
        }
        if SQLiteShell.url == nil {
            print("\(name): without the writes of the shell, as \(SQLiteShell.reason)")
        }
    }
}
