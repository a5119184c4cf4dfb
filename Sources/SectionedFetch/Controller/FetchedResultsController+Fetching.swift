import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// Finds the sections and the order of the rows: in the cache if its entry is valid for the current data,
    /// otherwise by computing them. Rows are read when they are accessed.
    ///
    /// Another call fetches the current results. A fetch that fails leaves the previous results in place.
    ///
    /// With a ``delegate`` or a listener to ``changes``, the controller follows changes from the fetch on;
    /// with one that is added later, from then on. Without any fetch it follows nothing. The fetch itself
    /// reports no change. During a report the results must stay the reported ones, so a fetch that is
    /// requested then runs after the report, and its changes are reported.
    ///
    /// On an actor, for example the main actor, the context then also merges commits of other contexts and
    /// programs as soon as they arrive, as
    /// ``/ObjectStorage/ManagedObjectContext/mergeContinuously(isolation:)`` does: a row that another program
    /// inserts is reported without any call. Without an actor it is reported when the context merges it.
    ///
    /// - Parameter isolation: The isolation of the controller. Leave it out: the default is that of the
    ///   caller.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the order does not keep sections together
    ///   (``SectionedFetch/ObjectStorage/ObjectStorageError/Code/ungroupedSections``), or the store cannot
    ///   be read. Problems of the cache are reported by ``cacheLookup`` and are never thrown.
    /// - Complexity: On a hit, O(*s*) in the bytes of *s* sections, independent of the number of rows; on a
    ///   miss, that of SQLite's query.
    public func performFetch(isolation: isolated (any Actor)? = #isolation) throws(ObjectStorageError) {
        actor = isolation
        // Merging begins before the fetch, so that no commit in between is missed.
        let merging = hasListeners ? merging ?? managedObjectContext.mergingContinuously(on: isolation) : nil
        if let follower {
            try fetchAgain(follower)
        } else {
            results = try freshResults()
            if hasListeners { startFollowing() }
        }
        self.merging = merging
        announceResults(after: nil)
    }

    /// Fetches, and returns the results after setting ``cacheLookup``.
    func freshResults() throws(ObjectStorageError) -> Results {
        var found = try lookUpOrCompute()
        // Another program, which does not stamp, changed more rows than the log holds. Changes after this
        // fetch can be reported once the tables are stamped. The state that a context is pinned to stays as
        // it is.
        if hasListeners, found.version.tables == nil, managedObjectContext.container.isTracked,
            !managedObjectContext.isPinned,
            case .dirty(let names) = try managedObjectContext.container.state(
                of: request.compiled.tableNames), stamp(names)
        {
            found = try lookUpOrCompute()
        }
        cacheLookup = found.lookup
        return try results(found)
    }

    /// Makes results of the outcome of a fetch or of an update.
    ///
    /// - Parameter editor: The editor that made the index from an earlier one; nil for a new editor.
    func results(_ found: Found, editor: SectionIndexEditor? = nil) throws(ObjectStorageError) -> Results {
        var provisionalKeys: [ManagedObject: Int64] = [:]
        for (key, object) in found.provisionalObjects { provisionalKeys[object] = key }
        let rows = ResultsIndex(
            found.index, of: request, asOf: found.tables, in: managedObjectContext,
            cache: cacheName.map { (cacheStore, $0) })
        if found.lookup?.isHit ?? false { cacheStore.keepRows(of: found.index) }
        let objects = try FetchedObjects(
            count: found.index.numberOfRows, request: fetchRequest, context: managedObjectContext,
            provisionalObjects: found.provisionalObjects
        ) { [weak self] positions throws(ObjectStorageError) in
            do throws(ObjectStorageError) {
                return try rows.keys(in: positions)
            } catch {
                self?.noteLoss(of: rows)
                throw error
            }
        }
        let shown = shown(found)
        return Results(
            index: found.index, shown: shown, rows: rows, objects: objects, provisionalKeys: provisionalKeys,
            fetchRequest: fetchRequest, request: request, requestNumber: requestNumber,
            version: found.version, readEpoch: managedObjectContext.endReadEpoch(),
            editor: editor ?? SectionIndexEditor(found.index),
            sectionLookup: SectionLookup(shown), window: found.window)
    }

    /// Returns whether a fetch would be a hit now, without computing anything.
    ///
    /// - Returns: A hit or the reason for a miss; nil without a cache name.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*b*) in the bytes of the entry's directory: those of the sections, and 72 for each
    ///   chunk of rows.
    public func lookUpCache() throws(ObjectStorageError) -> CacheLookup? {
        guard let cacheName else { return nil }
        let state = try managedObjectContext.savedState(
            of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        return switch state {
        case nil: .miss(.unsaved)
        case .dirty(let names): .miss(.dirty(dependencies: names))
        case .untracked: .miss(.untracked)
        case .unsettled(let detail): .miss(.unsettled(detail: detail))
        case .stamped(let state): cacheStore.lookUp(request.cacheRequest(cacheName, state))
        }
    }

    /// The outcome of a fetch or of an update in one snapshot of the store.
    struct Found {
        let index: SectionIndex
        var lookup: CacheLookup?
        var provisionalObjects: [Int64: ManagedObject] = [:]
        /// The version that changes of the results are computed from.
        let version: ResultsVersion
        /// The states of the tables that the index is valid for, if it may be read from a cache.
        var tables: [StoreState.Table]?
        /// The request to save the index under, if it was computed or advanced.
        var publication: SectionCacheRequest?
        /// The commit of the state that the index is saved for, if another thread still has to carry it out.
        var commit: DeferredCommit?
        /// The index of all rows, if the index is a window of it.
        var window: ResultsWindow?
    }

    private func lookUpOrCompute() throws(ObjectStorageError) -> Found {
        if let prepared { return try adopt(prepared) }
        guard let cacheName else { return try inSnapshot { try compute(in: $0, lookup: nil) } }
        // Every fetch merges, also one that the cache answers.
        try managedObjectContext.mergeAutomatically()
        // A hit needs only the state, which is read without opening the connection that a miss is computed
        // with. A miss is computed in a snapshot together with the state of that snapshot.
        let isAboutToBePinned = managedObjectContext.isAboutToBePinned
        let state = try managedObjectContext.savedState(
            of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        var advanced: Found?
        var missed: MissedLookup?
        var tablesWithOtherSchema: [String] = []
        switch state {
        case .stamped(let state) where cacheVerificationLevel == .token:
            let lookup = cacheStore.lookUp(request.cacheRequest(cacheName, state))
            missed = MissedLookup(state: state, requestNumber: requestNumber, lookup: lookup)
            if case .hit(let index) = lookup {
                extendLog(of: state)
                return Found(
                    index: index, lookup: lookup, version: ResultsVersion(tables: state.tables),
                    tables: state.tables)
            }
        case .dirty(let names) where !managedObjectContext.isPinned:
            tablesWithOtherSchema = managedObjectContext.container.namesOfTablesWithOtherSchema(among: names)
            // A foreign write changed the data. Stamping needs the write lock for a moment; if that fails,
            // the results are computed and not saved.
            advanced = try stampAndAdvance(names, cacheName)
        case .dirty(let names) where isAboutToBePinned:
            // No row of the pinned state was shown yet, so a later state is as good. The earlier one must be
            // released, because it could keep the stamps from being committed.
            managedObjectContext.takeGenerationAgain()
            tablesWithOtherSchema = managedObjectContext.container.namesOfTablesWithOtherSchema(among: names)
            _ = stamp(names)
        case .stamped, .dirty, .untracked, .unsettled, nil: break
        }
        var found =
            if let advanced { advanced } else {
                try inSnapshot { try find(in: $0, cacheName: cacheName, missed) }
            }
        found.lookup = found.lookup?.withoutDataChanges(ofTables: tablesWithOtherSchema)
        if Mutant.tokenReadApart.isPlanted, found.publication != nil, case .stamped(let state) = state {
            found.publication = request.cacheRequest(cacheName, state)
        }
        if let publication = found.publication, try isOfPresent(publication) {
            let commit = found.commit
            cacheStore.save(found.index, for: publication) { commit?.wait() ?? true }
        }
        return found
    }

    /// Whether a cache entry describes the store's present state. A context that is pinned to an earlier
    /// state must not replace the entry of a later one.
    func isOfPresent(_ publication: SectionCacheRequest) throws(ObjectStorageError) -> Bool {
        guard managedObjectContext.isPinned else { return true }
        let container = managedObjectContext.container
        guard case .stamped(let state) = try container.state(of: request.compiled.tableNames) else {
            return false
        }
        return request.cacheRequest(publication.name, state).token == publication.token
    }

    /// Stamps the tables anew if the log of their state would end at the next write, so that changes of the
    /// results can be reported as events.
    func extendLog(of state: StoreState) {
        // A new stamp under the present schema version makes the log reach past the next write.
        if hasListeners, !state.isConfirmed { _ = stamp(request.compiled.tableNames) }
    }

    /// Stamps tables that another program changed.
    ///
    /// - Returns: False if the store cannot be written, in which case a fetch continues without the stamps.
    private func stamp(_ tableNames: [String]) -> Bool {
        do {
            try managedObjectContext.container.repairTracking(of: tableNames)
            return true
        } catch {
            return false
        }
    }

    /// Stamps tables that another program changed, and advances the cache entry in the same transaction.
    /// Another thread carries out the commit, which waits for the disk.
    ///
    /// - Returns: Nil if the cache has no entry that can be advanced in a short time. Then the tables are
    ///   stamped, if the store can be written.
    private func stampAndAdvance(
        _ tableNames: [String], _ cacheName: CacheName
    ) throws(ObjectStorageError) -> Found? {
        guard request.canAdvance, cacheVerificationLevel == .token else {
            _ = stamp(tableNames)
            return nil
        }
        do throws(ObjectStorageError) {
            let stamped = try managedObjectContext.withStampedSnapshot(
                of: request.request, request.compiled, stamping: tableNames
            ) { snapshot -> Found? in
                guard case .stamped(let state) = try snapshot.state() else { return nil }
                return try advanceEntry(
                    request.cacheRequest(cacheName, state), to: state, in: snapshot,
                    mostRows: Self.mostRowsWhileStamping)
            }
            var found = stamped?.result
            found?.commit = stamped?.commit
            return found
        } catch {
            // The fetch that follows continues without the stamps, or meets the same error.
            return nil
        }
    }

    /// The maximum number of changed rows by which an entry is advanced while no other writer can commit, in
    /// about ten milliseconds.
    private static var mostRowsWhileStamping: Int { 1_000 }

    /// A look-up that missed, with the state and the request that it was made for. In a snapshot of the same
    /// state it need not be repeated.
    struct MissedLookup {
        let state: StoreState
        let requestNumber: Int
        let lookup: CacheLookup
    }

    /// Runs a closure in one snapshot of the store for the current request. If an observer of the merge that
    /// precedes the snapshot replaces the request, it runs again.
    func inSnapshot(
        _ body: (StoreSnapshot) throws -> Found
    ) throws(ObjectStorageError) -> Found {
        while true {
            let number = requestNumber
            let found = try managedObjectContext.withSnapshot(
                of: request.request, columns: request.columns,
                includingPendingChanges: fetchRequest.includesPendingChanges
            ) { snapshot -> Found? in number == requestNumber ? try body(snapshot) : nil }
            if let found { return found }
        }
    }

    /// Looks up and, on a miss, computes the results in a given snapshot of the store.
    ///
    /// - Parameter missed: A look-up of the same request that was just made.
    func find(
        in snapshot: StoreSnapshot, cacheName: CacheName?, _ missed: MissedLookup? = nil
    ) throws -> Found {
        guard let cacheName else { return try compute(in: snapshot, lookup: nil) }
        if snapshot.includesPendingChanges {
            var found = try compute(in: snapshot, lookup: .miss(.unsaved))
            #if Mutants
            if Mutant.publishedFromWrite.isPlanted {
                found.publication = try publicationBeforeCommit(cacheName)
            }
            #endif
            return found
        }
        switch try snapshot.state() {
        case .untracked: return try compute(in: snapshot, lookup: .miss(.untracked))
        case .unsettled(let detail):
            return try compute(in: snapshot, lookup: .miss(.unsettled(detail: detail)))
        case .dirty(let names):
            return try compute(in: snapshot, lookup: .miss(.dirty(dependencies: names)))
        case .stamped(let state):
            let cacheRequest = request.cacheRequest(cacheName, state)
            let isRepeated = missed?.state == state && missed?.requestNumber == requestNumber
            var lookup = (isRepeated ? missed?.lookup : nil) ?? cacheStore.lookUp(cacheRequest)
            func hit(_ lookup: CacheLookup) -> Found? {
                guard case .hit(let index) = lookup else { return nil }
                return Found(
                    index: index, lookup: lookup, version: ResultsVersion(tables: state.tables),
                    tables: state.tables)
            }
            if let found = hit(lookup) { return try verified(found, of: cacheRequest, in: snapshot) }
            if case .miss(.dataChanged) = lookup {
                if let found = try advanceEntry(cacheRequest, to: state, in: snapshot) {
                    return try verified(found, of: cacheRequest, in: snapshot)
                }
                // The entry of this state may have been saved since the look-up.
                lookup = cacheStore.lookUp(cacheRequest)
                if let found = hit(lookup) { return try verified(found, of: cacheRequest, in: snapshot) }
            }
            var found = try compute(in: snapshot, lookup: lookup, stamped: state)
            found.publication = cacheRequest
            found.tables = state.tables
            return found
        }
    }

    /// Advances the cache's entry of an earlier state.
    ///
    /// - Parameter mostRows: The maximum number of changed rows. More would take too long.
    /// - Returns: Nil if the cache has no such entry, or if computing the index anew is necessary or faster.
    private func advanceEntry(
        _ cacheRequest: SectionCacheRequest, to state: StoreState, in snapshot: StoreSnapshot,
        mostRows: Int = .max
    ) throws -> Found? {
        guard request.canAdvance,
            let (index, token) = cacheStore.outdatedIndex(for: cacheRequest),
            token.schemaDigest == state.schemaDigest
        else { return nil }
        let tables = token.dependencies.map { StoreState.Table(tableName: $0.name, state: $0.state) }
        var reader = ChangedRowsReader(
            request, in: snapshot, of: managedObjectContext, since: ResultsVersion(tables: tables),
            previousProvisionalKeys: [:], includesPendingChanges: false)
        var listed = StoreChanges()
        if !snapshot.isTracked {
            guard let changes = try snapshot.changesInHistory(since: tables) else { return nil }
            listed = changes
            reader.listsAllChanges = true
        }
        guard case .known(let rows) = try reader.read(listed: listed, stamped: state.tables),
            rows.isComplete, rows.keys.count <= mostRows
        else { return nil }
        // The outdated index is never shown, so its rows need not outlive the entry.
        let editor = SectionIndexEditor(index, keepsPreviousRows: false)
        var advance = try IncrementalIndexUpdate(
            request, from: index, by: rows, in: snapshot, sortKeyCache: nil)
        // If none of its rows changed, the index is valid for the new state as well, and is saved under that.
        guard let outcome = try advance.run(editor) else { return nil }
        return Found(
            index: outcome.index, lookup: .advanced(outcome.index, changedRows: rows.keys.count),
            version: try version(in: snapshot, stamped: state), tables: state.tables,
            publication: cacheRequest)
    }

    func compute(
        in snapshot: StoreSnapshot, lookup: CacheLookup?, stamped state: StoreState? = nil
    ) throws -> Found {
        Found(
            index: try SectionIndexComputation.compute(request, in: snapshot), lookup: lookup,
            provisionalObjects: snapshot.provisionalObjects,
            version: try version(in: snapshot, stamped: state))
    }

    /// Returns the version from which later changes of results found in a snapshot are computed.
    ///
    /// - Parameter state: The state of the tables, if they are stamped and unsaved changes are not part of
    ///   the snapshot.
    private func version(in snapshot: StoreSnapshot, stamped state: StoreState?) throws -> ResultsVersion {
        if let state { return ResultsVersion(tables: state.tables) }
        var reader = ChangedRowsReader(
            request, in: snapshot, of: managedObjectContext, since: ResultsVersion(),
            previousProvisionalKeys: [:], includesPendingChanges: fetchRequest.includesPendingChanges)
        try reader.readVersion(stamped: nil)
        return reader.newVersion
    }

    #if Mutants
    /// The request that an index with unsaved changes would wrongly be saved under: that of the state before
    /// the transaction in which it was found. Mutants use it.
    func publicationBeforeCommit(_ name: CacheName) throws -> SectionCacheRequest? {
        let container = managedObjectContext.container
        guard case .stamped(let state) = try container.state(of: request.compiled.tableNames) else {
            return nil
        }
        return request.cacheRequest(name, state)
    }
    #endif
}
