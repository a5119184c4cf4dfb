import Foundation
import GRDB
import SectionedFetch
import Mutants
import Synchronization
import CheckSupport

/// Many threads that use one cache directory and one store at once. `Tools/sanitize thread` runs this program
/// under the thread sanitizer as well.
enum ConcurrentUseFaults: FaultProgram {
    static let name = "concurrent-use"
    static let rows = ["A-30"]
    static let summary =
        "looks up, saves, deletes, opens and closes caches, and fetches and writes a store, on 64 threads at once"
    /// The number of rounds of 64 threads, each of which takes twenty steps.
    static let releaseCount = 1_000
    static let mutants: [Mutant] = [.servedAfterDeletion]

    private static let numberOfThreads = 64
    private static let stepsPerThread = 20
    private static let names: [CacheName] = ["first", "second", "third"]

    static func run(_ run: inout FaultRun) throws {
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            let songs = try SongStore.make(.ours, in: run.folder, using: &generator)
            let round = try Round(songs, seed: generator.next())
            try round.run()
            try round.checkAfterwards()
            run.note(.right)
        }
    }

    /// The data that the threads of one trial share.
    private final class Round: Sendable {
        private let folder: URL
        private let shared: [SectionCacheStore]
        private let container: PersistentContainer
        private let songs: Mutex<SongStore>
        private let seed: UInt64
        private let failure = Mutex<(any Error)?>(nil)

        init(_ songs: sending SongStore, seed: UInt64) throws {
            folder = songs.cacheFolder.appendingPathExtension("shared")
            // Two objects for one directory, as two parts of a program may create them.
            shared = [SectionCacheStore(directory: folder), SectionCacheStore(directory: folder)]
            container = try songs.container()
            self.songs = Mutex(songs)
            self.seed = seed
        }

        func run() throws {
            DispatchQueue.concurrentPerform(iterations: ConcurrentUseFaults.numberOfThreads) { thread in
                var generator = SeededGenerator(seed: seed &+ UInt64(thread))
                do {
                    for _ in 0..<ConcurrentUseFaults.stepsPerThread { try step(using: &generator) }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
        }

        private func step(using generator: inout SeededGenerator) throws {
            let store =
                Int.random(in: 0..<8, using: &generator) == 0
                ? SectionCacheStore(directory: folder) : shared[Int.random(in: 0..<2, using: &generator)]
            let name = ConcurrentUseFaults.names[Int.random(in: 0..<3, using: &generator)]
            var sample = CacheSample(name: name, number: Int.random(in: 0..<6, using: &generator))
            // Each number is another request, with other contents in each of four states.
            sample.parts["number"] = "\(sample.number)"
            let state = UInt8.random(in: 0..<4, using: &generator)
            sample.states["Artwork"] = state
            sample = CacheSample(sample, number: sample.number + 100 * Int(state))
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<7: try sample.check(store.lookUp(sample.request), mustHit: false)
            case 7..<12: store.save(sample.index, for: sample.request)
            case 12: store.deleteCache(named: name)
            case 13: store.deleteAllCaches()
            case 14: _ = store.waitForWrites(upTo: 0.01)
            case 15: _ = store.lastProblem
            case 16: try write(using: &generator)
            default: try fetch(using: &generator)
            }
        }

        private func write(using generator: inout SeededGenerator) throws {
            let sql = SongWrite.random(.ours, using: &generator)
            do {
                try songs.withLock { try $0.write(sql) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // All threads share the store's lock, so one may wait longer than its time limit.
            }
        }

        /// Fetches in a context of this thread. The right results change all the time, but sections and rows
        /// must always agree.
        private func fetch(using generator: inout SeededGenerator) throws {
            let lists = SongList.allCases
            let list = lists[Int.random(in: 0..<lists.count, using: &generator)]
            let controller = try FetchedResultsController(
                fetchRequest: list.request, context: container.newContext(),
                sectionNameKeyPath: list.sectionKey, cacheName: list.cacheName, cacheStore: shared[0])
            try controller.performFetch()
            let counts = controller.sections?.map(\.numberOfObjects) ?? []
            guard controller.fetchedObjects?.count == counts.reduce(0, +) else {
                throw FaultFinding("the sections of \(list) have other numbers of rows than the list")
            }
        }

        /// Checks, after all threads have ended, that every list is right and that deleted caches are not
        /// found.
        func checkAfterwards() throws {
            for list in SongList.allCases {
                _ = try songs.withLock {
                    try $0.start(list, in: container, after: "the work of \(numberOfThreads) threads")
                }
            }
            for name in names {
                let sample = CacheSample(name: name, number: 7)
                shared[0].save(sample.index, for: sample.request)
                guard shared[0].waitForWrites(upTo: 30) else {
                    throw FaultFinding("a save to the cache does not end")
                }
                try sample.check(shared[1].lookUp(sample.request), mustHit: true)
                shared[1].deleteCache(named: name)
                guard case .miss = shared[1].lookUp(sample.request) else {
                    throw FaultFinding("a deleted cache is found")
                }
            }
        }
    }
}
