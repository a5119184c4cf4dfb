import BenchmarkSupport
import Foundation
import SectionedFetch

/// The required result of the look-up.
enum Expectation: String {
    /// The sections must come from the cache.
    case hit
    /// The sections must be computed, and saved to the cache before the process ends.
    case miss
    /// The controller must have no cache.
    case none
    /// The cache must have the entry at the end, after a hit or a miss.
    case fill

    func isMet(by lookup: CacheLookup?) -> Bool {
        switch self {
        case .hit: lookup?.isHit == true
        case .miss: lookup?.isHit == false
        case .none: lookup == nil
        case .fill: lookup != nil
        }
    }
}

/// From opening the store to the sections and the first twenty objects, through the results controller.
struct ControllerSample {
    let question: Question
    let store: String
    let caches: String
    let expectation: Expectation

    func run() throws {
        var watch = Stopwatch()
        let model = try ManagedObjectModel.songs()
        watch.step("model")
        let container = try PersistentContainer(url: URL(filePath: store), model: model)
        watch.step("open the store")
        let cacheStore = SectionCacheStore(directory: URL(filePath: caches))
        let controller = try FetchedResultsController(
            fetchRequest: question.request, context: container.newContext(),
            sectionNameKeyPath: question.sectionKey,
            cacheName: expectation == .none ? nil : Question.cacheName, cacheStore: cacheStore)
        watch.step("make the controller")
        try controller.performFetch()
        watch.step("fetch")
        guard let sections = controller.sections, let objects = controller.fetchedObjects else {
            throw SampleError("the controller has no results")
        }
        var answer = Answer()
        answer.sections.reserveCapacity(sections.count)
        for section in sections { answer.sections.append((section.name, section.numberOfObjects)) }
        watch.step("read the sections")
        answer.firstTitles.reserveCapacity(20)
        for object in objects.prefix(20) {
            answer.firstTitles.append(object.title)
            answer.yearsRead += Int(object.year)
        }
        watch.step("read 20 objects")
        let answered = watch.elapsed
        var elapsed = answered
        if expectation == .miss || expectation == .fill {
            guard cacheStore.waitForWrites(upTo: 60) else {
                throw SampleError("saving to the cache takes more than 60 seconds")
            }
            watch.step("wait for the save")
            elapsed = watch.elapsed
            if let problem = cacheStore.lastProblem {
                throw SampleError("not saved to the cache: \(problem)")
            }
        }
        guard expectation.isMet(by: controller.cacheLookup) else {
            let found = controller.cacheLookup.map { "\($0)" } ?? "no look-up"
            throw SampleError("expected \(expectation.rawValue), found \(found)")
        }
        answer.report(nanoseconds: elapsed, answered: answered, watch: watch)
    }
}
