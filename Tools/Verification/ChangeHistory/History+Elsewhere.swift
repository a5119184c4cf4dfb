import Foundation
import SectionedFetch
import CheckSupport

/// What other programs do, and what becomes of the cache.
extension History {
    /// Another program commits some transactions, which are then noticed.
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
        if warehouse.schema.owner == .untracked { watcher.mayReload = true }
        try mergeAll()
    }

    /// The log is flooded, or the cache is deleted, so that nobody can tell what changed.
    func loseLogOrCache() throws {
        if generator.once(in: 2), try unsaved().isEmpty {
            actions.append("flood")
            try ForeignWriter(warehouse, plan, avoiding: []).floodLog(logCapacity ?? 4_096)
            hasFlooded = true
            watcher.mayReload = true
            try mergeAll()
            guard isReader, warehouse.schema.owner != .untracked else { return }
            // Who cannot stamp knows no more before somebody else does, and then once more nothing.
            try warehouse.container.repairTracking(of: [warehouse.schema.parts])
            watcher.mayReload = true
            try mergeAll()
        } else {
            actions.append("cache deleted")
            FetchedResultsController<ManagedObject>.deleteCache(named: "parts", in: warehouse.caches)
            warehouse.caches.waitForSaves()
            hasFlooded = true
            try saveObserved()
        }
    }

    /// Whether the entry can be relied on to be current or brought up to date by the next start.
    private var mustBeCached: Bool {
        warehouse.schema.owner != .untracked && !hasFlooded && logCapacity == nil && !isReader
            && !watcher.list.isComparedAsAWhole
            && observed.parent == nil
    }

    /// The entry on disk is what a start would compute.
    func checkCache() throws {
        guard let name = controller.cacheName else { return }
        let (caches, rebuilt) = (warehouse.caches, warehouse.rebuiltCaches)
        caches.waitForSaves()
        let shown = watcher.translated(watcher.state).shown
        let next = try start(caches, name)
        if observed.parent == nil, rows(next) != shown.sections.map(\.rows) {
            watcher.fail("a new start has other rows")
        }
        if mustBeCached, next.cacheLookup?.isHit != true {
            watcher.fail("a new start says \(next.cacheLookup.map { "\($0)" } ?? "nothing")")
        }
        watcher.count("starts: \(next.cacheLookup.map { "\($0)".prefix(6) } ?? "")")
        if observed.parent == nil { watcher.keepFrozen(try start(caches, name), rows: rows(next)) }
        hasFlooded = false
        caches.waitForSaves()
        guard warehouse.schema.owner != .untracked else { return }
        if case .equal? = try next.verifyCache() {
        } else {
            watcher.fail("the entry is \(try next.verifyCache().map { "\($0)" } ?? "none")")
        }
        rebuilt.deleteAllCaches()
        rebuilt.waitForSaves()
        let anew = try start(rebuilt, name)
        rebuilt.waitForSaves()
        guard case .hit(let entry)? = try next.lookUpCache(), case .hit(let other)? = try anew.lookUpCache()
        else {
            return watcher.fail("no entry to compare")
        }
        let isEqual =
            entry.numberOfSections == other.numberOfSections && entry.numberOfRows == other.numberOfRows
            && (0..<entry.numberOfSections).allSatisfy { entry.section(at: $0) == other.section(at: $0) }
            && entry.rowIDs(in: 0..<entry.numberOfRows) == other.rowIDs(in: 0..<other.numberOfRows)
        if !isEqual { watcher.fail("the entry is not what is computed anew") }
    }

    /// A controller as a new start has it.
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
        controller.snapshot?.map { $0.map { $0.plain("Part") } } ?? []
    }
}
