import Dispatch
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
    /// application's pool. Any other store, one without tracking, and the state that a context is pinned to
    /// are read in the isolation of the caller, as ``performFetch(isolation:)`` does.
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
    /// - Complexity: In the isolation of the caller that of a hit, plus O(*k* log *n*) for *k* rows of *n* that
    ///   changed meanwhile. On the other thread that of SQLite's query.
    public func performFetchInBackground(
        reportsChange: Bool = false, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let number = requestNumber
        let results = try await prepare(
            fetchRequest, sectionKey, request, isCompared: reportsChange, isolation: isolation)
        guard requestNumber == number else { return }
        try adopting(results) { () throws(ObjectStorageError) in
            try performFetch(reportsChange: reportsChange, isolation: isolation)
        }
    }

    /// Replaces the request as ``replaceRequest(with:sectionNameKeyPath:reportsChange:isolation:)`` does,
    /// with the results computed on another thread.
    ///
    /// Until the method returns, the controller shows the results of the previous request and continues to
    /// follow their changes. If the request is replaced again meanwhile, this replacement has no effect. For a
    /// search, start a task for each keystroke, and cancel the previous one to interrupt its statement.
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
        try adopting(results) { () throws(ObjectStorageError) in
            try replaceRequest(
                with: fetchRequest, sectionNameKeyPath: sectionNameKeyPath, reportsChange: reportsChange,
                isolation: isolation)
        }
    }

    /// Computes the results of a request on another thread.
    ///
    /// - Returns: Nil if the caller has to compute them, or the cache has them.
    private func prepare(
        _ fetchRequest: FetchRequest<Object>, _ sectionKey: SectionKey?, _ request: ResultsRequest,
        isCompared: Bool, isolation: isolated (any Actor)?
    ) async throws -> PreparedResults? {
        try Task.checkCancellation()
        let container = managedObjectContext.container
        guard !managedObjectContext.isPinned, container.canReadInBackground else { return nil }
        if cacheVerificationLevel == .token, try isCached(request) { return nil }
        let computation = BackgroundComputation(
            fetchRequest: fetchRequest, sectionKey: sectionKey, cacheName: cacheName, cacheStore: cacheStore,
            old: isCompared && hasListeners
                ? results.flatMap { $0.rows.isOfSameTable(as: request) ? ($0.rows, $0.version.tables) : nil }
                : nil)
        let cancellation = ReadCancellation()
        let computed: Result<PreparedResults?, any Error> = await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        returning: Result { try computation.run(in: container, cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        // An interrupted statement fails with an error of its own.
        if cancellation.isCancelled { throw CancellationError() }
        return try computed.get()
    }

    /// Returns whether the cache has an entry of the store's present state for a request.
    private func isCached(_ request: ResultsRequest) throws(ObjectStorageError) -> Bool {
        guard let cacheName,
            case .stamped(let state) = try managedObjectContext.savedState(
                of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        else { return false }
        return cacheStore.lookUp(request.cacheRequest(cacheName, state)).isHit
    }

    /// Runs a fetch that uses results of another thread.
    private func adopting(
        _ results: PreparedResults?, _ fetch: () throws(ObjectStorageError) -> Void
    ) throws(ObjectStorageError) {
        prepared = results
        defer { prepared = nil }
        try fetch()
    }
}

/// The computation of results on another thread.
private struct BackgroundComputation<Object: ManagedObject>: Sendable {
    let fetchRequest: FetchRequest<Object>
    let sectionKey: SectionKey?
    let cacheName: CacheName?
    let cacheStore: SectionCacheStore
    /// The results to compare with, and the states of their tables; nil for no comparison.
    let old: (rows: ResultsIndex, tables: [StoreState.Table]?)?

    /// Computes the results of the store's present state.
    ///
    /// - Returns: Nil if the tables have no state, so that nothing can tell what changes afterwards.
    func run(
        in container: PersistentContainer, _ cancellation: ReadCancellation
    ) throws -> PreparedResults? {
        let context = container.newContext()
        try context.setQueryGeneration(from: .current)
        let controller = try FetchedResultsController(
            fetchRequest: fetchRequest, context: context, sectionNameKeyPath: sectionKey,
            cacheName: cacheName, cacheStore: cacheStore)
        if case .dirty(let names) = try container.state(of: controller.request.compiled.tableNames) {
            // Without write access the tables stay without a state.
            try? container.repairTracking(of: names)
        }
        try context.pin(cancelledBy: cancellation)
        defer { cancellation.end() }
        if cancellation.isCancelled { throw CancellationError() }
        try controller.performFetch(isolation: nil)
        guard let results = controller.results, let tables = results.version.tables else { return nil }
        if cancellation.isCancelled { throw CancellationError() }
        return PreparedResults(
            index: results.index, tables: tables, lookup: controller.cacheLookup,
            comparison: old.flatMap { ResultsComparison(from: $0.rows, $0.tables, to: results.index) })
    }
}
