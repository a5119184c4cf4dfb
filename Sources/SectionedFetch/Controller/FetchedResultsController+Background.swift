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
    /// Another thread can read the store at the same time if the store has a write-ahead log, or is an
    /// application's pool. Any other store, one without tracking, the state that a context is pinned to, and
    /// the contents of a child context are read in the isolation of the caller, as
    /// ``performFetch(isolation:)`` does.
    ///
    /// If the controller gets another request while this method waits, this fetch has no effect.
    ///
    /// A program that shows a long list for the first time can show its first screen before the computation
    /// ends:
    ///
    /// ```swift
    /// try await controller.performFetchInBackground(firstScreen: 50)
    /// ```
    ///
    /// If the cache does not answer, and an index of SQLite has the order of the list, the results first
    /// consist of only these rows. ``firstScreen`` marks them as provisional. The delegate and the listeners
    /// receive them as a reload, and the whole list as another reload; changes are followed from then on. If
    /// this task is cancelled or fails, the first screen stays.
    ///
    /// - Parameters:
    ///   - reportsChange: Whether the delegate and the listeners to ``changes`` receive the difference from
    ///     the results shown, as with ``performFetch(reportsChange:isolation:)``. It is computed on the other
    ///     thread as well, unless it has to contain changes that were saved meanwhile; a difference of many
    ///     rows is then reported as a reload.
    ///   - numberOfRows: The number of rows of a provisional first screen; 0 for none. Only the first fetch
    ///     on an actor, without unsaved changes of the request's rows, has one.
    ///   - isolation: The isolation of the controller. Leave it out: the default is that of the caller.
    /// - Throws: ``/ObjectStorage/ObjectStorageError``, as ``performFetch(isolation:)`` does, and
    ///   `CancellationError` if the task is cancelled; the statement that reads the store is then
    ///   interrupted. The controller keeps its previous results, or the first screen.
    /// - Complexity: In the isolation of the caller: that of a hit, plus O(*k* log *n*) for *k* rows of *n*
    ///   that changed meanwhile; a window, and a list whose predicate reads large values, is fetched again in
    ///   that case. On the other thread: that of SQLite's query.
    public func performFetchInBackground(
        reportsChange: Bool = false, firstScreen numberOfRows: Int = 0,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let number = requestNumber
        let results = try await prepare(
            fetchRequest, sectionKey, request, isCompared: reportsChange, firstScreen: numberOfRows,
            isolation: isolation)
        guard requestNumber == number else { return }
        let reportsChange = reportsChange || firstScreen != nil
        try adopting(results, ofRequest: number) { () throws(ObjectStorageError) in
            try performFetch(reportsChange: reportsChange, isolation: isolation)
        }
        // During a pause the list waits for its end.
        if pauses > 0, firstScreen != nil { preparedResults = results.map { ($0, number) } }
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
    /// - Throws: As ``performFetchInBackground(reportsChange:firstScreen:isolation:)``, and
    ///   ``/ObjectStorage/ObjectStorageError`` as the initializer does. The controller then keeps its
    ///   previous request and results.
    /// - Complexity: That of ``performFetchInBackground(reportsChange:firstScreen:isolation:)``.
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
    /// - Parameter firstScreen: The number of rows of a provisional first screen; 0 for none.
    /// - Returns: Nil if the caller has to compute them.
    private func prepare(
        _ fetchRequest: FetchRequest<Object>, _ sectionKey: SectionKey?, _ request: ResultsRequest,
        isCompared: Bool, firstScreen: Int = 0, isolation: isolated (any Actor)?
    ) async throws -> PreparedResults? {
        try Task.checkCancellation()
        guard canReadInBackground else { return nil }
        let old = isCompared && hasListeners ? results : nil
        let isComparedQuickly = old.map { $0.index.numberOfRows < Self.mostRowsToCompare / 2 } ?? true
        if isComparedQuickly, cacheVerificationLevel == .token, let cached = try cached(request) {
            return cached
        }
        let screen = isolation.flatMap { firstScreen > 0 ? computeFirstScreen(firstScreen, on: $0) : nil }
        defer { screen?.cancel() }
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
    ///   - bulkSaves: The context's saves since the old results that changed more rows than the log holds.
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
        // An interrupted statement fails with another error.
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
    /// - Parameter number: The number of the results' request. A delegate may replace the request while the
    ///   fetch runs.
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
            let new = newResults(computed, from: old, announced)
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

    /// Makes results from those that another thread computed, and their change from the old results.
    ///
    /// - Parameter announced: The changes that the context announced before the thread began.
    /// - Returns: Nil if that is not possible.
    private func newResults(
        _ computed: PreparedResults, from old: Results, _ announced: ChangeRecord
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
                    ResultsChange(reloading: old.shown, as: shown(found))
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
