import ObjectStorage
import SectionCaching

extension FetchedResultsController {
    /// Uses results that another thread computed. If nothing changed since, no connection for requests is
    /// opened.
    func adopt(_ prepared: PreparedResults) throws(ObjectStorageError) -> Found {
        try managedObjectContext.mergeAutomatically()
        let state = try managedObjectContext.savedState(
            of: request.compiled, includingPendingChanges: fetchRequest.includesPendingChanges)
        if case .stamped(let state) = state, state.tables == prepared.tables {
            extendLog(of: state)
            return Found(
                index: prepared.index, lookup: prepared.lookup, version: ResultsVersion(tables: state.tables),
                tables: state.tables)
        }
        return try inSnapshot { try find(in: $0, prepared) }
    }

    /// Uses results that another thread computed, after advancing them by the rows that changed since.
    ///
    /// If that would need all rows, or would be slower, the results are found as in any other fetch.
    func find(in snapshot: StoreSnapshot, _ prepared: PreparedResults) throws -> Found {
        let stamped: StoreState? =
            if !snapshot.includesPendingChanges, case .stamped(let state) = try snapshot.state() {
                state
            } else { nil }
        if let stamped, stamped.tables == prepared.tables {
            return Found(
                index: prepared.index, lookup: prepared.lookup,
                version: ResultsVersion(tables: stamped.tables), tables: stamped.tables)
        }
        var reader = ChangedRowsReader(
            request, in: snapshot, of: managedObjectContext, since: ResultsVersion(tables: prepared.tables),
            previousProvisionalKeys: [:], includesPendingChanges: fetchRequest.includesPendingChanges)
        guard request.canAdvance,
            case .known(let rows) = try reader.read(listed: StoreChanges(), stamped: stamped?.tables),
            rows.isComplete
        else { return try find(in: snapshot, cacheName: cacheName) }
        var advance = try IncrementalIndexUpdate(
            request, from: prepared.index, by: rows, in: snapshot, sortKeyCache: nil)
        guard let outcome = try advance.run(SectionIndexEditor(prepared.index, keepsPreviousRows: false))
        else {
            return try find(in: snapshot, cacheName: cacheName)
        }
        var found = Found(
            index: outcome.index, lookup: prepared.lookup, provisionalObjects: snapshot.provisionalObjects,
            version: reader.newVersion, tables: stamped?.tables)
        if let cacheName, let stamped { found.publication = request.cacheRequest(cacheName, stamped) }
        return found
    }
}
