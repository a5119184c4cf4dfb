import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// Finds the sections and the order of the rows: from the cache if that fits the data as they are now, else by computing
    /// them. Rows are read when they are looked at.
    ///
    /// Call it again for results as of then. A fetch that fails leaves the previous results.
    ///
    /// If there is a ``delegate`` or a listener to ``changes``, the controller follows changes from now on. A fetch by itself reports
    /// none. While changes are being reported the results must be those that are reported, so a fetch that is asked for then is done
    /// afterwards, and what it finds is reported.
    ///
    /// On an actor, the main actor for instance, the context then also merges what others commit as soon as it arrives, as
    /// ``ObjectStorage/ManagedObjectContext/mergeContinuously(isolation:)`` does: a row that another program inserts is reported without
    /// being asked for. Without an actor it is when the context merges it.
    ///
    /// - Parameter isolation: The isolation of the controller: leave it out.
    /// - Throws: ``ObjectStorageError``: the order does not keep sections together (``ObjectStorageError/Code/ungroupedSections``), or
    ///   the store cannot be read. Whatever is wrong with the cache is in ``cacheLookup`` and is never thrown.
    /// - Complexity: O(*s*) in the bytes of *s* sections on a hit, whatever the number of rows; else that of SQLite's
    ///   query.
    public func performFetch(isolation: isolated (any Actor)? = #isolation) throws(ObjectStorageError) {
        // Before the fetch, so that nothing that is committed in between is missed.
        let merging =
            isHeard ? merging ?? managedObjectContext.mergingContinuously(isolation: isolation) : nil
        if let tracking {
            try fetchAgain(tracking)
        } else {
            results = try freshResults()
            if isHeard { startTracking() }
        }
        self.merging = merging
    }

    /// What a fetch finds now.
    func freshResults() throws(ObjectStorageError) -> Results {
        let outcome = try fetch()
        var provisionalKeys: [ManagedObject: Int64] = [:]
        for (key, object) in outcome.provisionalObjects { provisionalKeys[object] = key }
        let request = request
        let context = managedObjectContext
        let includesPendingChanges = fetchRequest.includesPendingChanges
        let rows = ResultsIndex(outcome.index) {
            try context.withSnapshot(
                of: request.request, columns: request.columns, includingPendingChanges: includesPendingChanges
            ) { try SectionIndexComputation.compute(request, in: $0) }
        }
        let objects = try FetchedObjects(
            count: outcome.index.numberOfRows, request: fetchRequest, context: context,
            provisionalObjects: outcome.provisionalObjects, keys: rows.keys(in:))
        cacheLookup = outcome.lookup
        return Results(
            index: outcome.index, rows: rows, objects: objects, provisionalKeys: provisionalKeys)
    }

    /// Says whether a fetch now would be a hit, without computing anything.
    ///
    /// - Returns: A hit or the reason for a miss; nil without a cache name.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    public func lookUpCache() throws(ObjectStorageError) -> CacheLookup? {
        guard let cacheName else { return nil }
        let state = try managedObjectContext.savedState(
            of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        return switch state {
        case nil: .miss(.unsaved)
        case .unsealed(let names): .miss(.unsealed(dependencies: names))
        case .untracked: .miss(.untracked)
        case .sealed(let state): cacheStore.lookUp(cacheRequest(cacheName, state))
        }
    }

    private struct Outcome {
        let index: SectionIndex
        let lookup: CacheLookup?
        var provisionalObjects: [Int64: ManagedObject] = [:]
        /// What to save under, when the index was computed.
        var publication: SectionCacheRequest?
    }

    private func fetch() throws(ObjectStorageError) -> Outcome {
        guard let cacheName else { return try attempt(cacheName: nil, mayBeUnsealed: true).outcome }
        // A hit needs no more than the state, which can be read without opening what a miss is computed with. A miss is
        // computed in the snapshot of its own state.
        let state = try managedObjectContext.savedState(
            of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        if case .sealed(let state) = state {
            let lookup = cacheStore.lookUp(cacheRequest(cacheName, state))
            if case .hit(let index) = lookup { return Outcome(index: index, lookup: lookup) }
        }
        var (outcome, unsealed) = try attempt(cacheName: cacheName, mayBeUnsealed: false)
        if outcome.index.numberOfSections == 0, let names = unsealed {
            // A program without this library changed the data. Sealing needs the write lock for a moment; where it cannot be
            // had, the results are computed and not kept.
            let isSealed: Bool
            do {
                try managedObjectContext.container.repairTracking(of: names)
                isSealed = true
            } catch {
                isSealed = false
            }
            outcome = try attempt(cacheName: cacheName, mayBeUnsealed: !isSealed).outcome
        }
        if let publication = outcome.publication { cacheStore.save(outcome.index, for: publication) }
        return outcome
    }

    /// Looks up and if need be computes, all in one snapshot of the store.
    private func attempt(
        cacheName: CacheName?, mayBeUnsealed: Bool
    ) throws(ObjectStorageError) -> (outcome: Outcome, unsealed: [String]?) {
        try managedObjectContext.withSnapshot(
            of: request.request, columns: request.columns,
            includingPendingChanges: fetchRequest.includesPendingChanges
        ) { snapshot in
            guard let cacheName else {
                return (try self.compute(in: snapshot, lookup: nil), nil)
            }
            if snapshot.includesPendingChanges {
                return (try self.compute(in: snapshot, lookup: .miss(.unsaved)), nil)
            }
            switch try snapshot.state() {
            case .untracked: return (try self.compute(in: snapshot, lookup: .miss(.untracked)), nil)
            case .unsealed(let names):
                let lookup = CacheLookup.miss(.unsealed(dependencies: names))
                guard mayBeUnsealed else {
                    return (Outcome(index: SectionIndex.Builder().finish(), lookup: lookup), names)
                }
                return (try self.compute(in: snapshot, lookup: lookup), nil)
            case .sealed(let state):
                let cacheRequest = self.cacheRequest(cacheName, state)
                let lookup = self.cacheStore.lookUp(cacheRequest)
                if case .hit(let index) = lookup { return (Outcome(index: index, lookup: lookup), nil) }
                var outcome = try self.compute(in: snapshot, lookup: lookup)
                outcome.publication = cacheRequest
                return (outcome, nil)
            }
        }
    }

    private func compute(in snapshot: StoreSnapshot, lookup: CacheLookup?) throws -> Outcome {
        Outcome(
            index: try SectionIndexComputation.compute(request, in: snapshot), lookup: lookup,
            provisionalObjects: snapshot.provisionalObjects)
    }

    func cacheRequest(_ name: CacheName, _ state: StoreState) -> SectionCacheRequest {
        SectionCacheRequest(
            name: name, request: request.canonical,
            token: StoreToken(
                storeIdentity: state.storeIdentity, schemaDigest: state.schemaDigest,
                dependencies: state.tables.map { StoreToken.Dependency(name: $0.tableName, state: $0.state) }
            ),
            authenticationKey: state.authenticationKey)
    }
}
