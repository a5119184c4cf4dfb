import BenchmarkSupport
import Foundation
import SectionedFetch

/// The way in which a start finds its list.
enum Opening: String, CaseIterable, Codable {
    /// The cache has an entry of an earlier state, which is advanced.
    case advanced
    /// The cache has a current entry.
    case hit
    /// No cache exists.
    case rebuilt

    var title: String {
        switch self {
        case .advanced: "changed meanwhile: brought up to date"
        case .hit: "nothing changed: from the cache"
        case .rebuilt: "no cache: computed"
        }
    }

    func isMet(by lookup: CacheLookup?) -> Bool {
        switch (self, lookup) {
        case (.advanced, .advanced), (.hit, .hit), (.rebuilt, .miss): true
        default: false
        }
    }
}

/// A start from opening the store to the fetched list and its first twenty objects, in a separate process.
struct OpeningSample {
    let order: ListOrder
    let store: String
    let caches: String
    /// The required result of the look-up; nil if the start only has to leave an entry in the cache.
    let opening: Opening?

    func run() throws {
        var watch = Stopwatch()
        let container = try PersistentContainer(url: URL(filePath: store), model: .songs())
        watch.step("open the store")
        let cacheStore = SectionCacheStore(directory: URL(filePath: caches))
        let listener = Listener()
        let controller = try order.controller(container.newContext(), caches: cacheStore)
        controller.delegate = listener
        watch.step("make the controller")
        try controller.performFetch()
        watch.step("fetch")
        guard let answer = Answer(controller, isThorough: false) else {
            throw SampleError("the controller has no results")
        }
        watch.step("read 20 objects")
        let answered = watch.elapsed
        guard cacheStore.waitForWrites(upTo: 60) else {
            throw SampleError("saving to the cache takes more than 60 seconds")
        }
        watch.step("wait for the cache")
        if let problem = cacheStore.lastProblem { throw SampleError("not saved to the cache: \(problem)") }
        if let opening, !opening.isMet(by: controller.cacheLookup) {
            let found = controller.cacheLookup.map { "\($0)" } ?? "no look-up"
            throw SampleError("expected a start that is “\(opening.rawValue)”, found: \(found)")
        }
        // The delegate must live until here.
        withExtendedLifetime(listener) {
            answer.report(nanoseconds: watch.elapsed, answered: answered, watch: watch)
        }
    }
}
