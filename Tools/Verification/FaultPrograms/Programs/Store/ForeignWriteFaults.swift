import SectionedFetch
import Mutants
import CheckSupport

/// Writes of other programs with every kind of statement. No list may show outdated rows.
enum ForeignWriteFaults: FaultProgram {
    static let name = "foreign-writes"
    static let rows = ["A-20"]
    static let summary =
        "has another connection and the sqlite3 shell write with every kind of statement, and fetches lists after each change"
    static let releaseCount = 50_000
    static let mutants: [Mutant] = [.deletionTriggerAlone, .noStamp, .noTieBreak]

    static func run(_ run: inout FaultRun) throws {
        var stores = SongStoreSeries(trialsPerStore: 100)
        var container: PersistentContainer?
        var seen: [SongList] = []
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let (store, isNew) = try stores.store(ofTrial: trial, in: run.folder, using: &generator)
            if isNew { (container, seen) = (nil, []) }
            let sql =
                trial % 10 == 9
                ? SongWrite.refill(store.tables, using: &generator)
                : SongWrite.random(store.tables, using: &generator)
            if trial % 16 == 1, SQLiteShell.url != nil {
                try SQLiteShell.run([sql], on: store.url)
            } else {
                try store.write(sql)
            }
            // Half of the fetches use the running program, half a new start.
            let running = Bool.random(using: &generator) ? try container ?? store.container() : nil
            if running != nil { container = running }
            let list = SongList.allCases.randomElement(using: &generator) ?? .byGenre
            run.note(try store.start(list, in: running, after: sql))
            // An entry that was saved a moment ago, or a list that did not change, must be a hit.
            if trial % 6 == 0 {
                try store.start(list, in: running, mustHit: true, after: "\(sql), and a fetch")
            }
            seen.append(list)
            if trial % 24 == 23 {
                for other in Set(seen) {
                    try store.start(other, in: container, after: "\(sql), in an older list")
                }
            }
        }
        if SQLiteShell.url == nil {
            print("\(name): without the writes of the shell: \(SQLiteShell.reason)")
        }
    }
}
