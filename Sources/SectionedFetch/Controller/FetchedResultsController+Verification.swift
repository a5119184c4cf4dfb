import ObjectStorage
import SectionCaching
import Mutants

extension FetchedResultsController {
    /// Computes the sections from the store and compares them with the cache's, in one snapshot.
    ///
    /// - Returns: The result of the comparison; nil without a cache name.
    /// - Throws: ``/ObjectStorage/ObjectStorageError`` if the store cannot be read.
    /// - Complexity: That of a miss.
    public func verifyCache() throws(ObjectStorageError) -> CacheVerification? {
        guard let cacheName else { return nil }
        return try managedObjectContext.withSnapshot(
            of: request.request, columns: request.columns, includingPendingChanges: false
        ) { snapshot in
            let state: StoreState
            switch try snapshot.state() {
            case .stamped(let stamped): state = stamped
            case .dirty(let names): return .unused(.dirty(dependencies: names))
            case .untracked: return .unused(.untracked)
            case .unsettled(let detail): return .unused(.unsettled(detail: detail))
            }
            switch cacheStore.lookUp(request.cacheRequest(cacheName, state)) {
            case .miss(let reason): return .unused(reason)
            case .hit(let cached), .advanced(let cached, _):
                let computed = try SectionIndexComputation.compute(request, in: snapshot)
                return Self.compare(cached, with: computed)
            }
        }
    }

    /// Verifies results from a cache to the extent of ``cacheVerificationLevel``.
    ///
    /// - Parameter cacheRequest: The request to save computed results under.
    /// - Returns: The results from the cache, or computed ones if those differ from the store.
    func verified(
        _ found: Found, of cacheRequest: SectionCacheRequest, in snapshot: StoreSnapshot
    ) throws -> Found {
        if Mutant.verificationIgnored.isPlanted { return found }
        let reason: MissReason
        switch cacheVerificationLevel {
        case .token: return found
        case .count:
            let count = try snapshot.numberOfRows()
            if count == found.index.numberOfRows { return found }
            reason = .contradicted(
                detail: "The cache has \(found.index.numberOfRows) rows, the store \(count).")
        case .full:
            let computed = try SectionIndexComputation.compute(request, in: snapshot)
            switch Self.compare(found.index, with: computed) {
            case .equal: return found
            case .unused(let damage): reason = damage
            case .different(let detail): reason = .contradicted(detail: detail)
            }
        }
        var computed = try compute(in: snapshot, lookup: .miss(reason))
        computed.publication = cacheRequest
        computed.tables = found.tables
        return computed
    }

    private static func compare(_ cached: SectionIndex, with computed: SectionIndex) -> CacheVerification {
        guard cached.numberOfRows == computed.numberOfRows else {
            return .different(
                "The cache has \(cached.numberOfRows) rows, the store \(computed.numberOfRows).")
        }
        guard cached.numberOfSections == computed.numberOfSections else {
            return .different(
                "The cache has \(cached.numberOfSections) sections, the store \(computed.numberOfSections).")
        }
        if Mutant.comparedByCount.isPlanted {
            return .equal(sections: computed.numberOfSections, rows: computed.numberOfRows)
        }
        for position in 0..<computed.numberOfSections
        where cached.section(at: position) != computed.section(at: position) {
            return .different(
                "Section \(position): the cache has \(cached.section(at: position)), the store \(computed.section(at: position))."
            )
        }
        var position = 0
        while position < computed.numberOfRows {
            let rows = position..<min(position + 4_096, computed.numberOfRows)
            guard let rowIDs = cached.rowIDs(in: rows) else {
                return .unused(.corrupt(detail: "rows \(rows) cannot be read"))
            }
            let expected = computed.rowIDs(in: rows) ?? []
            if rowIDs != expected {
                let first = zip(rowIDs, expected).prefix { $0 == $1 }.count
                return .different("Row \(rows.lowerBound + first) is the first that differs.")
            }
            position = rows.upperBound
        }
        return .equal(sections: computed.numberOfSections, rows: computed.numberOfRows)
    }
}
