import BenchmarkSupport
import Foundation
import SectionedFetch

/// How a start finds its list.
enum Opening: String, CaseIterable, Codable {
    /// The cache has the list as of an earlier state, and is brought up to date.
    case advanced
    /// Nothing changed since the cache was filled.
    case hit
    /// There is no cache.
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

/// From opening the store to the fetched list and its first twenty objects, in a process of its own.
struct OpeningSample {
    let order: ListOrder
    let store: String
    let caches: String
    /// What the start has to find; nil for a start that leaves the list in the cache, however it found it.
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
            throw SampleError("there are no results")
        }
        watch.step("read 20 objects")
        let answered = watch.elapsed
        guard cacheStore.waitForSaves(upTo: 60) else { throw SampleError("the save takes too long") }
        watch.step("wait for the cache")
        if let problem = cacheStore.lastProblem { throw SampleError("not saved in the cache: \(problem)") }
        if let opening, !opening.isMet(by: controller.cacheLookup) {
            let found = controller.cacheLookup.map { "\($0)" } ?? "no look-up"
            throw SampleError("expected a start that is “\(opening.rawValue)”, found: \(found)")
        }
        // The delegate has to live until here.
        withExtendedLifetime(listener) {
            answer.report(nanoseconds: watch.elapsed, answered: answered, watch: watch)
        }
    }
}
