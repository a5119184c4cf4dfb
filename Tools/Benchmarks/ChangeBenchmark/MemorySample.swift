import BenchmarkSupport
import Foundation
import SectionedFetch

/// A list that is fetched from the cache and may be followed through changes of one row, to measure its
/// memory.
struct MemorySample {
    let store: String
    let caches: String
    let rows: Int
    /// The number of changes; zero for a list that is not followed.
    let changes: Int
    let seed: UInt64

    func run() throws {
        var watch = Stopwatch()
        let container = try PersistentContainer(url: URL(filePath: store), model: .songs())
        let cacheStore = SectionCacheStore(directory: URL(filePath: caches))
        let writer = ContextWriter(container)
        let listener = Listener()
        let controller = try ListOrder.indexed.controller(writer.context, caches: cacheStore)
        if changes > 0 { controller.delegate = listener }
        try controller.performFetch()
        var maker = ChangeMaker(seed: seed, rows: rows, count: 1)
        for number in 0..<changes {
            try writer.prepare(maker.next(number % 2 == 0 ? .move : .update))
            listener.expect(1)
            try writer.commit()
            try listener.check()
        }
        watch.step("follow")
        guard cacheStore.waitForWrites(upTo: 60) else {
            throw SampleError("saving to the cache takes more than 60 seconds")
        }
        guard let answer = Answer(controller, isThorough: false) else {
            throw SampleError("the controller has no results")
        }
        answer.report(nanoseconds: watch.elapsed, answered: watch.elapsed, watch: watch)
    }
}
