import InternalUtilities
public import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// Fetches as ``performFetch(isolation:)`` does, with the results computed on another thread.
    ///
    /// ```swift
    /// try await controller.performFetchInBackground()
    /// ```
    ///
    /// Until the method returns, the controller shows its previous results and continues to follow their
    /// changes. Then the new results take their place in the isolation of the caller, together with the
    /// changes that were saved meanwhile: a save is neither lost nor reported twice. If the cache answers, no
    /// other thread is used.
    ///
    /// Another thread can read a store beside this one if the store has a write-ahead log, or is an
    /// application's pool. Any other store, one without tracking, the state that a context is pinned to, and
    /// the contents of a child context are read in the isolation of the caller, as
    /// ``performFetch(isolation:)`` does.
    ///
    /// If the controller gets another request while this method waits, this fetch has no effect.
    ///
    /// - Parameters:
    ///   - reportsChange: Whether the delegate and the listeners to ``changes`` receive the difference from
    ///     the results shown, as with ``performFetch(reportsChange:isolation:)``. It is computed on the other
    ///     thread as well, unless it has to contain changes that were saved meanwhile; a difference of many
    ///     rows is then reported as a reload.
    ///   - isolation: The isolation of the controller. Leave it out: the default is that of the caller.
    /// - Throws: ``ObjectStorageError``, as ``performFetch(isolation:)`` does, and `CancellationError` if the
    ///   task is cancelled; the statement that reads the store is then interrupted. The controller keeps its
    ///   previous results.
    /// - Complexity: In the isolation of the caller that of a hit, plus O(*k* log *n*) for *k* rows of *n*
    ///   that changed meanwhile; a window, and a list whose predicate reads collections, is fetched again in
    ///   that case. On the other thread that of SQLite's query.
    public func performFetchInBackground(
        reportsChange: Bool = false, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let number = requestNumber
        let results = try await prepare(
            fetchRequest, sectionKey, request, isCompared: reportsChange, isolation: isolation)
        guard requestNumber == number else { return }
        try adopting(results, ofRequest: number) { () throws(ObjectStorageError) in
            try performFetch(reportsChange: reportsChange, isolation: isolation)
        }
    }

    /// Replaces the request as ``replaceRequest(with:sectionNameKeyPath:reportsChange:isolation:)`` does,
    /// with the results computed on another thread.
    ///
    /// Until the method returns, the controller shows the results of the previous request and continues to
    /// follow their changes. If the request is replaced again meanwhile, this replacement has no effect. For
    /// a search, start a task for each keystroke, and cancel the previous one to interrupt its statement.
    ///
    /// - Parameters:
    ///   - fetchRequest: The request to show, with at least one sort descriptor.
    ///   - sectionNameKeyPath: The key that groups rows into sections; nil for one section.
    ///   - reportsChange: Whether the delegate and the listeners to ``changes`` receive the difference.
    ///   - isolation: The isolation of the controller. Leave it out: the default is that of the caller.
    /// - Throws: As ``performFetchInBackground(reportsChange:isolation:)``, and ``ObjectStorageError`` as the
    ///   initializer does. The controller then keeps its previous request and results.
    /// - Complexity: That of ``performFetchInBackground(reportsChange:isolation:)``.
    public func replaceRequestInBackground(
        with fetchRequest: FetchRequest<Object>, sectionNameKeyPath: SectionKey?, reportsChange: Bool = true,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let new = try ResultsRequest(
            fetchRequest.description, sectionKey: sectionNameKeyPath,
            container: managedObjectContext.container)
        numberOfReplacements += 1
        let number = numberOfReplacements
        let results = try await prepare(
            fetchRequest, sectionNameKeyPath, new, isCompared: reportsChange, isolation: isolation)
        guard numberOfReplacements == number else { return }
        try adopting(results, ofRequest: number + 1) { () throws(ObjectStorageError) in
            try replaceRequest(
                with: fetchRequest, sectionNameKeyPath: sectionNameKeyPath, reportsChange: reportsChange,
                isolation: isolation)
        }
    }

    /// Computes the results of a request on another thread.
    ///
    /// - Returns: Nil if the caller has to compute them.
    private func prepare(
        _ fetchRequest: FetchRequest<Object>, _ sectionKey: SectionKey?, _ request: ResultsRequest,
        isCompared: Bool, isolation: isolated (any Actor)?
    ) async throws -> PreparedResults? {
        try Task.checkCancellation()
        guard canReadInBackground else { return nil }
        let old = isCompared && hasListeners ? results : nil
        let isComparedQuickly = old.map { $0.index.numberOfRows < Self.mostRowsToCompare / 2 } ?? true
        if isComparedQuickly, cacheVerificationLevel == .token, let cached = try cached(request) {
            return cached
        }
        return try await compute(
            computation(fetchRequest, sectionKey, comparedWith: old, bulkSaves: []), isolation: isolation)
    }

    /// Whether another thread can read the store while the controller's context is used.
    private var canReadInBackground: Bool {
        !managedObjectContext.isPinned && managedObjectContext.parent == nil
            && managedObjectContext.container.canReadInBackground
    }

    /// Returns the computation of a request's results.
    ///
    /// - Parameters:
    ///   - old: The results to compare with; nil for no comparison.
    ///   - bulkSaves: The context's saves since the old results of more rows than the log holds.
    private func computation(
        _ fetchRequest: FetchRequest<Object>, _ sectionKey: SectionKey?, comparedWith old: Results?,
        bulkSaves: [StoreChanges]
    ) -> BackgroundComputation<Object> {
        BackgroundComputation(
            fetchRequest: fetchRequest, sectionKey: sectionKey, cacheName: cacheName,
            cacheStore: cacheStore, verificationLevel: cacheVerificationLevel, old: old?.rows,
            oldTables: old?.version.tables, bulkSaves: bulkSaves, reloadThreshold: reloadThreshold)
    }

    /// Runs a computation on another thread.
    private func compute(
        _ computation: BackgroundComputation<Object>, isolation: isolated (any Actor)?
    ) async throws -> PreparedResults? {
        let container = managedObjectContext.container
        let cancellation = ReadCancellation()
        let computed: Result<PreparedResults?, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                // On Linux, Swift's tasks and Dispatch's queues share as many threads as there are
                // processors, so a computation on one of them could keep the main actor from running.
                let isStarted = WorkThread.start("computing list") {
                    continuation.resume(
                        returning: Result { try computation.run(in: container, cancellation) })
                }
                // Without a thread the caller computes the results.
                if !isStarted { continuation.resume(returning: .success(nil)) }
            }
        } onCancel: {
            cancellation.cancel()
        }
        // An interrupted statement fails with an error of its own.
        if cancellation.isCancelled { throw CancellationError() }
        return try computed.get()
    }

    /// Returns the results of the store's present state for a request if the cache has them.
    private func cached(_ request: ResultsRequest) throws(ObjectStorageError) -> PreparedResults? {
        guard let cacheName,
            case .stamped(let state) = try managedObjectContext.savedState(
                of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges),
            case let lookup = cacheStore.lookUp(request.cacheRequest(cacheName, state)),
            case .hit(let index) = lookup
        else { return nil }
        return PreparedResults(index: index, tables: state.tables, lookup: lookup)
    }

    /// Runs a fetch that uses results of another thread.
    ///
    /// - Parameter number: The number of the request that the results are of. A delegate may replace the
    ///   request while the fetch runs.
    private func adopting(
        _ results: PreparedResults?, ofRequest number: Int, _ fetch: () throws(ObjectStorageError) -> Void
    ) throws(ObjectStorageError) {
        preparedResults = results.map { ($0, number) }
        defer { preparedResults = nil }
        try fetch()
    }
}

extension FetchedResultsController {
    /// Whether a change of these results can be computed on another thread, and reported in the isolation of
    /// the controller.
    func canDefer(_ old: Results) -> Bool {
        merging != nil && actor != nil && prepared == nil && cacheVerificationLevel == .token
            && old.version.tables != nil && !old.version.includesUnsavedChanges
            && old.requestNumber == requestNumber && canReadInBackground
    }

    /// Computes the change that is due on another thread, and reports it in the isolation of the controller.
    func compute(_ follower: ResultsFollower) {
        follower.beginComputing()
        let update = DeferredUpdate(self, actor)
        Task { await update.run() }
    }

    /// Computes the change of the results shown, reports it, and then reports later changes.
    fileprivate func updateInBackground(isolation: isolated any Actor) async {
        guard let follower, let old = results else {
            self.follower?.endComputing(areShown: false)
            return
        }
        let number = requestNumber
        let announced = follower.announcedChanges
        var computation = computation(
            fetchRequest, sectionKey, comparedWith: old, bulkSaves: announced.bulkSaves)
        computation.findsAllRows = isFollowedThroughAllRows(old, follower)
        let computed: PreparedResults?
        do {
            computed = try await compute(computation, isolation: isolation)
        } catch {
            // The report without another thread meets the same error, and reports it.
            computed = nil
        }
        guard self.follower === follower, pauses == 0, let computed, results?.rows === old.rows,
            requestNumber == number, !follower.state.isReporting, follower.state.isDue,
            let new = newResults(computed, from: old, announced.changes)
        else {
            follower.endComputing(areShown: false)
            if self.follower === follower, pauses == 0 { report(follower) }
            return
        }
        follower.endComputing(areShown: true)
        if let duration = computed.fetchDuration { follower.noteWindowFetch(duration) }
        follower.state.beginReport()
        let style = follower.state.beginComparison()
        follower.state.comparisonSucceeded()
        results?.editor = SectionIndexEditor(old.index)
        show(new.results, new.change, from: old, style)
        follower.state.endReport()
        // Commits may have followed the state that was read.
        follower.state.becomeDue()
        report(follower, mayDefer: true)
    }

    /// Makes results of those that another thread computed, as of the state that it read, with their change.
    ///
    /// - Parameter announced: The changes that the context announced before the thread began.
    /// - Returns: Nil if that is not possible.
    private func newResults(
        _ computed: PreparedResults, from old: Results, _ announced: StoreChanges
    ) -> (results: Results, change: ResultsChange)? {
        do throws(ObjectStorageError) {
            var found = Found(
                index: computed.index, lookup: nil, version: ResultsVersion(tables: computed.tables),
                tables: computed.tables)
            found.window = computed.allRows.map(ResultsWindow.init)
            let change =
                if let difference = computed.difference {
                    try report(difference, old, found, announced)
                } else {
                    ResultsChange(reloading: old.index, as: found.index)
                }
            return (try results(found), change)
        } catch {
            return nil
        }
    }
}

/// An update of a controller's results on another thread, which keeps neither the controller nor its actor
/// alive.
///
/// SAFETY: the controller is accessed only in the actor's isolation.
private final class DeferredUpdate<Object: ManagedObject>: @unchecked Sendable {
    private weak var controller: FetchedResultsController<Object>?
    private weak var actor: (any Actor)?

    init(_ controller: FetchedResultsController<Object>, _ actor: (any Actor)?) {
        self.controller = controller
        self.actor = actor
    }

    func run() async {
        guard let actor else { return }
        await run(isolation: actor)
    }

    private func run(isolation: isolated any Actor) async {
        await controller?.updateInBackground(isolation: isolation)
    }
}

/// The computation of results on another thread.
private struct BackgroundComputation<Object: ManagedObject>: Sendable {
    let fetchRequest: FetchRequest<Object>
    let sectionKey: SectionKey?
    let cacheName: CacheName?
    let cacheStore: SectionCacheStore
    let verificationLevel: CacheVerificationLevel
    /// The results to compare with; nil for no comparison.
    let old: ResultsIndex?
    /// The states of their tables.
    let oldTables: [StoreState.Table]?
    /// The context's saves since then of more rows than the log holds.
    let bulkSaves: [StoreChanges]
    /// The number of changed rows from which on a change is a reload.
    let reloadThreshold: Int
    /// Whether to find all rows of a request with a limit or an offset as well.
    var findsAllRows = false

    /// The number of attempts to read a state in which no program's changes are unstamped.
    private static var maximumAttempts: Int { 3 }

    /// Computes the results of the store's present state.
    ///
    /// - Returns: Nil if the tables have no state, so that nothing can tell what changes afterwards.
    func run(
        in container: PersistentContainer, _ cancellation: ReadCancellation
    ) throws -> PreparedResults? {
        let context = container.newContext()
        let controller = try FetchedResultsController(
            fetchRequest: fetchRequest, context: context, sectionNameKeyPath: sectionKey,
            cacheName: cacheName, cacheStore: cacheStore)
        controller.cacheVerificationLevel = verificationLevel
        defer { cancellation.end() }
        for _ in 0..<Self.maximumAttempts {
            try context.setQueryGeneration(from: .current)
            try context.pin(cancelledBy: cancellation)
            guard case .dirty(let names) = try context.state(of: controller.request.compiled.tableNames)
            else { break }
            // Another program may commit between the stamps and the next state. Without write access the
            // tables stay without a state.
            try? container.repairTracking(of: names)
        }
        if cancellation.isCancelled { throw CancellationError() }
        let start = ContinuousClock.now
        try controller.performFetch(isolation: nil)
        guard let results = controller.results, let tables = results.version.tables else { return nil }
        var prepared = PreparedResults(index: results.index, tables: tables, lookup: controller.cacheLookup)
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
    /// - Returns: Nil if the rows that changed in between are not known or are of another table, and for a
    ///   difference of enough rows to make the change a reload: freeing them would take time on the main
    ///   actor.
    private func difference(
        to new: SectionIndex, _ tables: [StoreState.Table], _ request: ResultsRequest,
        in context: ManagedObjectContext
    ) throws -> ResultsDifference? {
        guard let old, let oldTables, old.isOfSameTable(as: request) else { return nil }
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
