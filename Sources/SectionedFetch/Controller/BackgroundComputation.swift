import ObjectStorage
import SectionCaching

/// The computation of results on another thread.
struct BackgroundComputation<Object: ManagedObject>: Sendable {
    let fetchRequest: FetchRequest<Object>
    let sectionKey: SectionKey?
    let cacheName: CacheName?
    let cacheStore: SectionCacheStore
    let verificationLevel: CacheVerificationLevel
    /// The results to compare with; nil for no comparison.
    let old: ResultsIndex?
    /// The states of the tables of the old results.
    let oldTables: [StoreState.Table]?
    /// The context's saves since the old results that changed more rows than the log holds.
    let bulkSaves: [StoreChanges]
    /// The number of changed rows at which a change is a reload.
    let reloadThreshold: Int
    /// Whether to find all rows of a request with a limit or an offset as well.
    var findsAllRows = false

    /// The maximum number of attempts to read a state without unstamped changes.
    private static var maximumAttempts: Int { 3 }

    /// Computes the results of the store's present state.
    ///
    /// - Returns: Nil if the tables have no state, because later changes could not be determined then.
    func run(
        in container: PersistentContainer, _ cancellation: ReadCancellation
    ) throws -> PreparedResults? {
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: fetchRequest, context: context, sectionNameKeyPath: sectionKey,
            cacheName: cacheName, cacheStore: cacheStore)
        controller.cacheVerificationLevel = verificationLevel
        defer { cancellation.end() }
        var tablesWithOtherSchema: [String] = []
        for _ in 0..<Self.maximumAttempts {
            try context.setQueryGeneration(from: .current)
            try context.pin(cancelledBy: cancellation)
            guard case .dirty(let names) = try context.state(of: controller.request.compiled.tableNames)
            else { break }
            // Another program may commit between the stamps and the next state. Without write access the
            // tables stay without a state.
            tablesWithOtherSchema = container.namesOfTablesWithOtherSchema(among: names)
            try? container.repairTracking(of: names)
        }
        if cancellation.isCancelled { throw CancellationError() }
        let start = ContinuousClock.now
        try controller.performFetch(isolation: nil)
        guard let results = controller.results, let tables = results.version.tables else { return nil }
        var prepared = PreparedResults(
            index: results.index, tables: tables,
            lookup: controller.cacheLookup?.withoutDataChanges(ofTables: tablesWithOtherSchema))
        if controller.cacheLookup?.isHit != true { prepared.fetchDuration = ContinuousClock.now - start }
        if cancellation.isCancelled { throw CancellationError() }
        (prepared.difference, prepared.old) = (
            try difference(to: results.index, tables, controller.request, in: context), old
        )
        if findsAllRows { prepared.allRows = try allRows(of: controller.request, in: context) }
        return prepared
    }

    /// Finds the rows of a request without its limit and offset.
    ///
    /// - Returns: Nil if the order does not keep their sections together.
    private func allRows(
        of request: ResultsRequest, in context: ManagedObjectContext
    ) throws -> SectionIndex? {
        let all = try request.withoutWindow(context.container)
        do throws(ObjectStorageError) {
            return try context.withSnapshot(
                of: all.request, columns: all.columns, includingPendingChanges: false
            ) { snapshot -> SectionIndex in try SectionIndexComputation.compute(all, in: snapshot) }
        } catch {
            guard error.code == .ungroupedSections else { throw error }
            return nil
        }
    }

    /// Compares the results with the old ones.
    ///
    /// - Returns: Nil if the rows that changed in between are unknown or belong to another table, or if the
    ///   number of different rows makes the change a reload: freeing them would take time on the main actor.
    private func difference(
        to new: SectionIndex, _ tables: [StoreState.Table], _ request: ResultsRequest,
        in context: ManagedObjectContext
    ) throws -> ResultsDifference? {
        guard let old, let oldTables, old.hasSameKeys(as: request) else { return nil }
        let changed = try context.withSnapshot(
            of: request.request, columns: request.columns, includingPendingChanges: false
        ) { snapshot -> ChangedRows? in
            var reader = ChangedRowsReader(
                request, in: snapshot, of: context, since: ResultsVersion(tables: oldTables),
                previousProvisionalKeys: [:], includesPendingChanges: false)
            reader.bulkSaves = bulkSaves
            reader.trustsVacuum = true
            guard case .known(let rows) = try reader.read(listed: StoreChanges(), stamped: tables) else {
                return nil
            }
            return rows
        }
        let difference = changed.flatMap { ResultsDifference(from: old, to: new, $0) }
        return difference.flatMap { $0.rows.count < max(1, reloadThreshold) ? $0 : nil }
    }
}
