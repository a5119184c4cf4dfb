import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// A clock that is wrong, stands still or is set back, and files with random dates. Nothing may depend on
/// them.
enum ClockFaults: FaultProgram {
    static let name = "clocks"
    static let rows = ["A-28"]
    static let summary =
        "saves, restores, fetches and caches under clocks that are decades off, stand still, or are set back"
    static let releaseCount = 50
    static let mutants: [Mutant] = [.timedToken]

    static func run(_ run: inout FaultRun) throws {
        let library = try FaultLibrary.make(in: run.folder)
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let store = try SongStore.make(.ours, in: run.folder, using: &generator)
            try store.closeOther()
            let clocks = [
                ["OFFSET": "\(30 * 365 * 86_400)"], ["OFFSET": "\(-30 * 365 * 86_400)"],
                ["FROZEN": "1700000000"],
                ["BACK": "\(Int.random(in: 1...200, using: &generator))"],
            ]
            for clock in clocks.shuffled(using: &generator) {
                let end = try run.child(
                    [store.url.path, store.cacheFolder.path, "\(generator.next() >> 1)"],
                    environment: FaultLibrary.environment(library, clock))
                guard end.status == 0 else { throw FaultFinding("with the clock \(clock): \(end.errors)") }
                for file in [store.url, store.cacheFolder.appending(path: "data.mdb"), store.cacheFolder] {
                    let date = Date(timeIntervalSince1970: Double.random(in: 0..<4e9, using: &generator))
                    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
                }
                run.note(try store.start(.byGenre, after: "the clock \(clock)"))
                try store.start(.byGenre, mustHit: true, after: "the clock \(clock), and a fetch")
                try store.closeOther()
            }
        }
    }

    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            throw FaultFinding("a store, a folder of caches and a seed are needed")
        }
        var generator = SeededGenerator(seed: seed)
        let store = SongStore(.ours, at: URL(filePath: arguments[0]), caches: URL(filePath: arguments[1]))
        let backup = SongStore(
            .ours, at: URL(filePath: arguments[0] + ".\(seed)"), caches: URL(filePath: arguments[1]))
        func save() throws {
            let context = try store.container().newContext()
            try KillWork.change(context, using: &generator)
            try context.save()
        }
        for list in [SongList.byGenre, .byTitleDown] {
            try store.start(list, after: "nothing")
            try store.copyFiles(to: backup)
            try save()
            try store.start(list, after: "a save")
            try store.closeOther()
            try backup.copyFiles(to: store)
            try save()
            try store.start(list, after: "a save after a backup was restored")
        }
        let container = try store.container()
        // A save to the cache starts soon although nothing waits for it.
        let caches = store.caches()
        for list in [SongList.bySinger, .rockByYear, .byRelease] {
            let name = try list.cacheName
            func controller() throws -> FetchedResultsController<ManagedObject> {
                try FetchedResultsController(
                    fetchRequest: list.request, context: container.newContext(),
                    sectionNameKeyPath: list.sectionKey,
                    cacheName: name, cacheStore: caches)
            }
            try controller().performFetch()
            var attempts = 0
            while try controller().lookUpCache()?.isHit != true {
                attempts += 1
                guard attempts < 1_000 else {
                    throw FaultFinding("the list \(list) is not saved to the cache")
                }
                usleep(10_000)
            }
        }
    }
}
