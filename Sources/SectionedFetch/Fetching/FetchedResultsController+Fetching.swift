import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// Finds the sections and the order of the rows: from the cache if that fits the data as they are now,
    /// else by computing them. Rows are read when they are looked at.
    ///
    /// Call it again for results as of then. A fetch that fails leaves the previous results.
    ///
    /// With a ``delegate`` or a listener to ``changes``, the controller follows changes from now on; one that
    /// comes later makes the controller follow changes from then on. A fetch by itself reports none. While changes are being reported the results must be those that are
    /// reported, so a fetch that is asked for then is done afterwards, and what it finds is reported.
    ///
    /// On an actor, the main actor for instance, the context then also merges what others commit as soon as
    /// it arrives, as ``ObjectStorage/ManagedObjectContext/mergeContinuously(isolation:)`` does: a row that
    /// another program inserts is reported without being asked for. Without an actor it is when the context
    /// merges it.
    ///
    /// - Parameter isolation: The isolation of the controller: leave it out.
    /// - Throws: ``ObjectStorageError``: the order does not keep sections together
    ///   (``ObjectStorageError/Code/ungroupedSections``), or the store cannot be read. Whatever is wrong with
    ///   the cache is in ``cacheLookup`` and is never thrown.
    /// - Complexity: O(*s*) in the bytes of *s* sections on a hit, whatever the number of rows; else that of
    ///   SQLite's query.
    public func performFetch(isolation: isolated (any Actor)? = #isolation) throws(ObjectStorageError) {
        actor = isolation
        // Before the fetch, so that nothing that is committed in between is missed.
        let merging = isHeard ? merging ?? managedObjectContext.mergingContinuously(on: isolation) : nil
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
        let found = try fetch()
        cacheLookup = found.lookup
        return try results(found)
    }

    /// What was found, as results to be looked at.
    ///
    /// - Parameter editor: What made the index out of an earlier one.
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
        return Results(
            index: found.index, rows: rows, objects: objects, provisionalKeys: provisionalKeys,
            fetchRequest: fetchRequest, request: request, requestNumber: requestNumber,
            version: found.version,
            editor: editor ?? SectionIndexEditor(found.index))
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
        case .dirty(let names): .miss(.dirty(dependencies: names))
        case .untracked: .miss(.untracked)
        case .stamped(let state): cacheStore.lookUp(request.cacheRequest(cacheName, state))
        }
    }

    /// What was found in one snapshot of the store.
    struct Found {
        let index: SectionIndex
        let lookup: CacheLookup?
        var provisionalObjects: [Int64: ManagedObject] = [:]
        /// The version that changes of the results are computed from.
        let version: ResultsVersion
        /// The states of the tables that the index is as of, if it may be read from a cache.
        var tables: [StoreState.Table]?
        /// What to save under, when the index was computed or advanced.
        var publication: SectionCacheRequest?
        /// The commit of the state that it is saved for, if another thread still has to carry it out.
        var commit: DeferredCommit?
    }

    private func fetch() throws(ObjectStorageError) -> Found {
        let found = try lookUpOrCompute()
        // More happened than was logged, by a program that does not stamp. The changes after this fetch can be
        // told once it is stamped. The state that a context is pinned to stays as it is.
        guard isHeard, found.version.tables == nil, managedObjectContext.container.isTracked,
            !managedObjectContext.isPinned,
            case .dirty(let names) = try managedObjectContext.container.state(
                of: request.compiled.tableNames), stamp(names)
        else { return found }
        return try lookUpOrCompute()
    }

    private func lookUpOrCompute() throws(ObjectStorageError) -> Found {
        guard let cacheName else { return try attempt(cacheName: nil) }
        // As any fetch does, whether or not the cache has the answer.
        try managedObjectContext.mergeAutomatically()
        // A hit needs no more than the state, which can be read without opening what a miss is computed with.
        // A miss is computed in the snapshot of its own state.
        let isAboutToBePinned = managedObjectContext.isAboutToBePinned
        let state = try managedObjectContext.savedState(
            of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        var advanced: Found?
        switch state {
        case .stamped(let state) where cacheVerificationLevel == .token:
            let lookup = cacheStore.lookUp(request.cacheRequest(cacheName, state))
            if case .hit(let index) = lookup {
                // The log is to reach over what is written next.
                if isHeard, !state.isConfirmed { _ = stamp(request.compiled.tableNames) }
                return Found(
                    index: index, lookup: lookup, version: ResultsVersion(tables: state.tables),
                    tables: state.tables)
            }
        case .dirty(let names) where !managedObjectContext.isPinned:
            // A program without this library changed the data. Stamping needs the write lock for a moment;
            // where it cannot be had, the results are computed and not kept.
            advanced = try stampAndAdvance(names, cacheName)
        case .dirty(let names) where isAboutToBePinned:
            // Nothing of the state was shown yet, so a later one does as well. The earlier one must not keep
            // the stamps from being committed.
            managedObjectContext.takeGenerationAgain()
            _ = stamp(names)
        case .stamped, .dirty, .untracked, nil: break
        }
        var found = if let advanced { advanced } else { try attempt(cacheName: cacheName) }
        if Mutant.tokenReadApart.isPlanted, found.publication != nil, case .stamped(let state) = state {
            found.publication = request.cacheRequest(cacheName, state)
        }
        if let publication = found.publication, try isOfPresent(publication) {
            let commit = found.commit
            cacheStore.save(found.index, for: publication) { commit?.wait() ?? true }
        }
        return found
    }

    /// Whether a cache entry would be of the store's present state. A context that is pinned to an earlier one
    /// must not replace the entry of a later one.
    func isOfPresent(_ publication: SectionCacheRequest) throws(ObjectStorageError) -> Bool {
        guard managedObjectContext.isPinned else { return true }
        let container = managedObjectContext.container
        guard case .stamped(let state) = try container.state(of: request.compiled.tableNames) else {
            return false
        }
        return request.cacheRequest(publication.name, state).token == publication.token
    }

    /// Stamps tables that another program changed; false where the store cannot be written, which a fetch can
    /// do without.
    private func stamp(_ tableNames: [String]) -> Bool {
        do {
            try managedObjectContext.container.repairTracking(of: tableNames)
            return true
        } catch {
            return false
        }
    }

    /// Stamps tables that another program changed, and brings what the cache has up to date in the same
    /// transaction. Its commit, which waits for the disk, is another thread's.
    ///
    /// - Returns: Nil if the cache has nothing that can be brought up to date soon. Then the tables are
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
            // Whatever it is, the fetch that follows does without or meets it again.
            return nil
        }
    }

    /// How many rows are brought up to date, in some ten milliseconds, while nobody else can write.
    private static var mostRowsWhileStamping: Int { 1_000 }

    /// Looks up and if need be computes, all in one snapshot of the store.
    private func attempt(cacheName: CacheName?) throws(ObjectStorageError) -> Found {
        while true {
            let number = requestNumber
            let found = try managedObjectContext.withSnapshot(
                of: request.request, columns: request.columns,
                includingPendingChanges: fetchRequest.includesPendingChanges
            ) { snapshot -> Found? in
                // The context may have merged something before this snapshot, and whoever heard of it may
                // have replaced the request.
                guard number == requestNumber else { return nil }
                return try find(in: snapshot, cacheName: cacheName)
            }
            if let found { return found }
        }
    }

    /// Looks up and if need be computes in a snapshot of the store.
    func find(in snapshot: StoreSnapshot, cacheName: CacheName?) throws -> Found {
        guard let cacheName else { return try compute(in: snapshot, lookup: nil) }
        if snapshot.includesPendingChanges {
            var found = try compute(in: snapshot, lookup: .miss(.unsaved))
            if Mutant.publishedFromWrite.isPlanted {
                found.publication = try publicationBeforeCommit(cacheName)
            }
            return found
        }
        switch try snapshot.state() {
        case .untracked: return try compute(in: snapshot, lookup: .miss(.untracked))
        case .dirty(let names):
            return try compute(in: snapshot, lookup: .miss(.dirty(dependencies: names)))
        case .stamped(let state):
            let cacheRequest = request.cacheRequest(cacheName, state)
            let lookup = cacheStore.lookUp(cacheRequest)
            if case .hit(let index) = lookup {
                let found = Found(
                    index: index, lookup: lookup, version: try version(in: snapshot, stamped: state),
                    tables: state.tables)
                return try verified(found, of: cacheRequest, in: snapshot)
            }
            if case .miss(.dataChanged) = lookup,
                let found = try advanceEntry(cacheRequest, to: state, in: snapshot)
            {
                return try verified(found, of: cacheRequest, in: snapshot)
            }
            var found = try compute(in: snapshot, lookup: lookup, stamped: state)
            found.publication = cacheRequest
            found.tables = state.tables
            return found
        }
    }

    /// Brings what the cache has of an earlier state up to date; nil if that cannot be done, or would not be
    /// worth while.
    ///
    /// - Parameter mostRows: From more rows than this on it takes too long.
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
            formerProvisionalKeys: [:], includesPendingChanges: false)
        guard case .known(let rows) = try reader.read(listed: StoreChanges(), stamped: state.tables),
            rows.isComplete, rows.keys.count <= mostRows
        else { return nil }
        // Nobody has seen the outdated index, so it need not outlive the entry.
        let editor = SectionIndexEditor(index, keepsFormerRows: false)
        var advance = try IncrementalIndexUpdate(
            request, from: index, by: rows, in: snapshot, sortKeyCache: nil)
        // Where nothing of it changed, the index is as good for the new state, and is saved under that.
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

    /// The version that changes of results found in a snapshot are computed from.
    ///
    /// - Parameter state: The state of the tables, if they are stamped and unsaved changes are not part of the
    ///   snapshot.
    private func version(in snapshot: StoreSnapshot, stamped state: StoreState?) throws -> ResultsVersion {
        if let state { return ResultsVersion(tables: state.tables) }
        var reader = ChangedRowsReader(
            request, in: snapshot, of: managedObjectContext, since: ResultsVersion(),
            formerProvisionalKeys: [:], includesPendingChanges: fetchRequest.includesPendingChanges)
        try reader.readVersion(stamped: nil)
        return reader.newVersion
    }

    /// What an index that nobody may save would be saved under by mistake: the state of before the
    /// transaction that it was found in.
    func publicationBeforeCommit(_ name: CacheName) throws -> SectionCacheRequest? {
        let container = managedObjectContext.container
        guard case .stamped(let state) = try container.state(of: request.compiled.tableNames) else {
            return nil
        }
        return request.cacheRequest(name, state)
    }
}
