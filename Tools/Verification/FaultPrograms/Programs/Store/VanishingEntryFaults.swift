import Foundation
import SectionedFetch
import Mutants
import CheckSupport

/// Cache entries that are deleted, advanced, evicted or replaced between the fetch of a list and the reading
/// of its rows, by this process and by others, while the data change.
enum VanishingEntryFaults: FaultProgram {
    static let name = "vanishing-entries"
    static let rows = ["A-39"]
    static let summary =
        "reads the rows of lists whose cache entries are deleted, advanced, evicted and replaced after the fetch"
    static let releaseCount = 400
    static let mutants: [Mutant] = [.rowsLeftInCache, .rowsOfAnotherState]
    static let huntCount = 20

    /// The row counts of a list that is read into memory at once, and of one that another thread reads.
    private static let sizes = [40, 60_000]
    private static let trialsPerList = 20

    static func run(_ run: inout FaultRun) throws {
        var lists: [GrowingList] = []
        for trial in 0..<run.count {
            var generator = run.generator(ofTrial: trial)
            if trial % trialsPerList == 0 {
                lists = try sizes.map { try GrowingList.make(in: run.folder, rows: $0) }
            }
            let list = lists[trial % lists.count]
            let outcome =
                trial / lists.count % 2 == 0
                ? try interfereAfterReading(list, using: &generator)
                : try interfereAtOnce(list, run, using: &generator)
            run.note(outcome)
        }
    }

    /// Interferes after the rows were read into memory: no row may be lost.
    private static func interfereAfterReading(
        _ list: GrowingList, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let caches = list.caches()
        let other = try list.container()
        try list.controller(in: other.newContext(), caches: caches).performFetch()
        try wait(for: caches)
        let shown = ShownList(try list.controller(in: list.container().newContext(), caches: caches))
        try shown.controller.performFetch()
        guard shown.controller.cacheLookup?.isHit == true else {
            throw FaultFinding("the list is in the cache, but the look-up misses")
        }
        try wait(for: caches)
        var actions: [Interference] = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let action = Interference.allCases.randomElement(using: &generator) ?? .delete
            actions.append(action)
            try action.carryOut(on: list, other, caches, using: &generator)
        }
        try shown.check(mayBeLost: false, after: "\(actions)")
        return .right
    }

    /// Reads rows while another program interferes without a pause: rows may be lost, but not wrong.
    private static func interfereAtOnce(
        _ list: GrowingList, _ run: FaultRun, using generator: inout SeededGenerator
    ) throws -> FaultOutcome {
        let child = try run.start([list.url.path, list.cacheFolder.path, "\(generator.next() >> 1)"])
        try child.wait(forLine: "begun")
        let caches = list.caches()
        let container = try list.container()
        var outcome = FaultOutcome.right
        var hits = 0
        for _ in 0..<12 {
            let context = container.newContext()
            let isTracked = Bool.random(using: &generator)
            let shown = ShownList(try list.controller(in: context, caches: caches))
            if isTracked { shown.follow() }
            try shown.controller.performFetch()
            if shown.controller.cacheLookup?.isHit == true { hits += 1 }
            usleep(UInt32.random(in: 0..<20_000, using: &generator))
            if try shown.check(mayBeLost: true, after: "other programs' starts") { outcome = .missed }
            guard isTracked else { continue }
            try context.mergeChangesFromStore()
            // Entries that another program removes after the merge can be lost as well.
            try shown.check(mayBeLost: true, after: "a merge")
        }
        child.send(SIGKILL)
        _ = try child.wait(upTo: 30)
        return hits == 0 ? .missed : outcome
    }

    private static func wait(for caches: SectionCacheStore) throws {
        guard caches.waitForWrites(upTo: 30) else { throw FaultFinding("a save to the cache does not end") }
    }

    /// Interferes until the process is killed.
    static func runChild(_ arguments: [String]) throws {
        guard arguments.count == 3, let seed = UInt64(arguments[2]) else {
            throw FaultFinding("a store, a folder of caches and a seed are needed")
        }
        let list = GrowingList(at: URL(filePath: arguments[0]), caches: URL(filePath: arguments[1]))
        var generator = SeededGenerator(seed: seed)
        let container = try list.container()
        print("begun")
        fflush(nil)
        while true {
            let action = Interference.allCases.randomElement(using: &generator) ?? .delete
            try action.carryOut(on: list, container, list.caches(), using: &generator)
        }
    }
}

/// An event between the fetch of a list and the reading of its rows.
private enum Interference: CaseIterable {
    case delete, followSaves, startAfterWrite, flood, evict, removeDirectory

    func carryOut(
        on list: GrowingList, _ container: PersistentContainer, _ caches: SectionCacheStore,
        using generator: inout SeededGenerator
    ) throws {
        switch self {
        case .delete:
            FetchedResultsController<ManagedObject>.deleteCache(named: "songs", in: caches)
            try list.grow(by: 1)
        case .followSaves:
            let context = container.newContext()
            let tracked = try list.controller(in: context, caches: caches)
            let changes = tracked.changes
            try tracked.performFetch()
            for _ in 0..<Int.random(in: 1...10, using: &generator) {
                try list.grow(by: 1)
                try context.mergeChangesFromStore()
                caches.waitForWrites()
            }
            withExtendedLifetime(changes) {}
        case .startAfterWrite:
            for _ in 0..<3 {
                try list.grow(by: Int.random(in: 1...50, using: &generator))
                try start(list, container, list.caches())
            }
        case .flood:
            // More rows than the store's log records.
            try list.grow(by: 5_000)
            try start(list, container, list.caches())
        case .evict:
            for plays in 1...10 { try start(list, container, caches, plays: plays) }
            try list.grow(by: 1)
        case .removeDirectory:
            let aside = list.cacheFolder.path + "-\(generator.next())"
            guard rename(list.cacheFolder.path, aside) == 0 else { return }
            try FileManager.default.removeItem(atPath: aside)
            try list.grow(by: 1)
        }
    }

    private func start(
        _ list: GrowingList, _ container: PersistentContainer, _ caches: SectionCacheStore, plays: Int = 0
    ) throws {
        try list.controller(in: container.newContext(), caches: caches, plays: plays).performFetch()
        caches.waitForWrites()
    }
}

/// A controller of a growing list, with the check of its rows.
private final class ShownList {
    let controller: FetchedResultsController<ManagedObject>
    private var changes: ResultsChanges?

    init(_ controller: FetchedResultsController<ManagedObject>) { self.controller = controller }

    func follow() { changes = controller.changes }

    /// Compares some rows of each section with the rows of the fetch, by every way to read them.
    ///
    /// - Returns: Whether rows are lost.
    @discardableResult
    func check(mayBeLost: Bool, after words: String) throws -> Bool {
        guard let sections = controller.sections, let objects = controller.fetchedObjects,
            let snapshot = controller.snapshot
        else { throw FaultFinding("no results after \(words)") }
        let keys = GrowingList.keys(rows: objects.count)
        guard sections.map(\.numberOfObjects) == keys.map(\.count) else {
            throw FaultFinding(
                "after \(words): \(objects.count) rows are in sections of \(sections.map(\.numberOfObjects))")
        }
        var isLost = false
        for (number, section) in sections.enumerated() {
            for row in [0, 1, section.numberOfObjects / 2, section.numberOfObjects - 1] {
                let path: IndexPath = [number, row]
                let object = controller.object(at: path)
                let ways = [
                    object.objectID.primaryKey, section.objects[row].objectID.primaryKey,
                    objects[section.rows.lowerBound + row].objectID.primaryKey,
                    snapshot.objectID(at: path)?.primaryKey,
                ]
                if ways.allSatisfy({ $0 == keys[number][row] }) {
                    guard controller.indexPath(for: object) == path || mayBeLost else {
                        throw FaultFinding("after \(words): the row at \(path) is found at another path")
                    }
                    continue
                }
                guard mayBeLost, object.readError?.code == .rowsLost || ways[0] == keys[number][row],
                    ways.allSatisfy({ $0 == keys[number][row] || $0 == nil || $0 == .min })
                else {
                    throw FaultFinding(
                        "after \(words): at \(path) of \(objects.count) rows are \(ways), not \(keys[number][row]), \(object.readError.map { "\($0)" } ?? "without an error")"
                    )
                }
                isLost = true
            }
        }
        return isLost
    }
}
