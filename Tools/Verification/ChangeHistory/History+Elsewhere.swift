import Foundation
import SectionedFetch
import CheckSupport

/// The actions of other programs, and the checks of the cache.
extension History {
    /// Another program commits transactions, and the contexts then merge them.
    func writeFromElsewhere() throws {
        let avoided = try unsaved()
        for _ in 0..<Int.random(in: 1..<3, using: &generator) {
            let count = size
            actions.append("\(count) statements of another program")
            var writer = ForeignWriter(warehouse, plan, avoiding: avoided)
            try writer.run(count, &generator)
            operations += count
            watcher.excuses.note(writer.written)
            watcher.excuses.noteRewritten(writer.rewritten)
        }
        if warehouse.schema.origin == .untracked { watcher.mayReload = true }
        try mergeAll()
    }

    /// Fills the log beyond its capacity, or deletes the cache, so that the changed rows are unknown.
    func loseLogOrCache() throws {
        if generator.once(in: 2), try unsaved().isEmpty {
            actions.append("flood")
            try ForeignWriter(warehouse, plan, avoiding: []).floodLog(logCapacity ?? 4_096)
            hasFlooded = true
            watcher.mayReload = true
            try mergeAll()
            guard isReader, warehouse.schema.origin != .untracked else { return }
            // A read-only container cannot stamp. It knows no more until another one stamps the tables, and
            // after that it reloads once more.
            try warehouse.container.repairTracking(of: [warehouse.schema.parts])
            watcher.mayReload = true
            try mergeAll()
        } else {
            actions.append("cache deleted")
            FetchedResultsController<ManagedObject>.deleteCache(named: "parts", in: warehouse.caches)
            warehouse.caches.waitForWrites()
            hasFlooded = true
            try saveObserved()
        }
    }

    /// Whether the next start must find a current entry, or one that it can advance.
    private var mustBeCached: Bool {
        warehouse.schema.origin != .untracked && !hasFlooded && logCapacity == nil && !isReader
            && !watcher.list.mayBeComparedAsAWhole(in: warehouse.schema)
            && observed.parent == nil
    }

    /// Checks that the entry on disk equals the one that a start would compute.
    func checkCache() throws {
        guard let name = controller.cacheName else { return }
        let (caches, rebuilt) = (warehouse.caches, warehouse.rebuiltCaches)
        caches.waitForWrites()
        let shown = watcher.translated(watcher.state).shown
        let next = try start(caches, name)
        if observed.parent == nil, next.snapshot?.shownSections.map(\.rows) != shown.sections.map(\.rows) {
            watcher.fail("a new start has different rows")
        }
        if mustBeCached, next.cacheLookup?.isHit != true {
            watcher.fail("the look-up of a new start gives \(next.cacheLookup.map { "\($0)" } ?? "nothing")")
        }
        watcher.count("starts: \(next.cacheLookup.map { "\($0)".prefix(6) } ?? "")")
        if observed.parent == nil { watcher.keepFrozen(try start(caches, name), rows: rows(next)) }
        hasFlooded = false
        caches.waitForWrites()
        guard warehouse.schema.origin != .untracked else { return }
        if case .equal? = try next.verifyCache() {
        } else {
            let result = try next.verifyCache().map { "\($0)" } ?? "no result"
            watcher.fail("the verification of the entry gives \(result)")
        }
        rebuilt.deleteAllCaches()
        rebuilt.waitForWrites()
        let anew = try start(rebuilt, name)
        rebuilt.waitForWrites()
        guard case .hit(let entry)? = try next.lookUpCache(), case .hit(let other)? = try anew.lookUpCache()
        else {
            return watcher.fail("no entry to compare")
        }
        let isEqual =
            entry.numberOfSections == other.numberOfSections && entry.numberOfRows == other.numberOfRows
            && (0..<entry.numberOfSections).allSatisfy { entry.section(at: $0) == other.section(at: $0) }
            && entry.rowIDs(in: 0..<entry.numberOfRows) == other.rowIDs(in: 0..<other.numberOfRows)
        if !isEqual { watcher.fail("the entry differs from one that is computed anew") }
    }

    /// Returns a controller as a new start creates it.
    private func start(_ caches: SectionCacheStore, _ name: CacheName) throws -> FetchedResultsController<
        ManagedObject
    > {
        let next = try FetchedResultsController(
            fetchRequest: watcher.list.request(), context: warehouse.container.newContext(),
            sectionNameKeyPath: watcher.list.sectionKey, cacheName: name, cacheStore: caches)
        try next.performFetch()
        return next
    }

    private func rows(_ controller: FetchedResultsController<ManagedObject>) -> [[ObjectID]] {
        controller.snapshot?.map { $0.map { $0.plain } } ?? []
    }
}
