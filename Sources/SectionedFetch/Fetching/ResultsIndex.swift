import InternalUtilities
import ObjectStorage
import SectionCaching
import Mutants

/// The section index that results are answered from, whose rows stay those of the fetch.
///
/// An index of the cache reads its rows chunk by chunk, and the cache store reads all of them into memory
/// soon after the fetch. If another program deletes or replaces the entry before that, the rows are computed
/// from the store: as long as the tables have the state that the index was found in, these are the same rows.
/// In any other state the rows are lost, and reading them is an error. It may be used from any thread.
final class ResultsIndex: Sendable {
    /// The index as it was found.
    let index: SectionIndex
    private let request: ResultsRequest
    private let container: PersistentContainer
    /// The state of the store that the context was pinned to, as long as it is.
    private weak let generation: QueryGenerationToken?
    /// The states of the tables that the index was found in; nil if they are not known.
    private let tables: [StoreState.Table]?
    /// Where the rows are cached.
    private let cache: (store: SectionCacheStore, name: CacheName)?
    /// The result of computing the rows again; nil while they could be read from the index.
    private let recovery = LockedValue<Recovery?>(nil)

    /// The result of computing the rows again.
    private enum Recovery {
        /// The same rows, computed from tables that nothing had changed.
        case same(SectionIndex)
        case failed(ObjectStorageError)
    }

    init(
        _ index: SectionIndex, of request: ResultsRequest, asOf tables: [StoreState.Table]?,
        in context: ManagedObjectContext, cache: (store: SectionCacheStore, name: CacheName)?
    ) {
        self.cache = cache
        self.index = index
        self.request = request
        self.tables = tables
        container = context.container
        generation = context.queryGenerationToken
    }

    /// The number of rows at the time of the fetch, which stays.
    var numberOfRows: Int { index.numberOfRows }

    /// The entity whose rows these are.
    var entityName: String { request.request.entityName }

    /// Whether another request finds rows of the same table, so that a key means the same object.
    func isOfSameTable(as other: ResultsRequest) -> Bool { request.tableName == other.tableName }

    /// Whether rows could not be read from the index any more.
    var isUnreadable: Bool { recovery.withLock { $0 != nil } }

    /// The key that no object has, for rows that are lost.
    static let missingKey = Int64.min

    /// The keys at some positions, as they were at the time of the fetch.
    ///
    /// - Throws: ``ObjectStorageError`` if they are lost (``ObjectStorageError/Code/rowsLost``), or the store
    ///   could not be read.
    func keys(in rows: Range<Int>) throws(ObjectStorageError) -> [Int64] {
        if !isUnreadable, let keys = index.rowIDs(in: rows) { return keys }
        guard let keys = try recovered().rowIDs(in: rows) else { throw lossOfRows }
        return keys
    }

    /// All keys, as they were at the time of the fetch; nil if they are lost, or the store could not be read.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    func allKeys() -> [Int64]? {
        do throws(ObjectStorageError) {
            return try keys(in: 0..<numberOfRows)
        } catch {
            return nil
        }
    }

    /// The position of a key at the time of the fetch; nil if it had none, or the rows are lost.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    func position(of key: Int64) -> Int? {
        if !isUnreadable {
            switch index.position(ofRowID: key) {
            case .found(let position): return position
            case .absent: return nil
            case .lost: break
            }
        }
        do throws(ObjectStorageError) {
            guard case .found(let position) = try recovered().position(ofRowID: key) else { return nil }
            return position
        } catch {
            return nil
        }
    }

    private var lossOfRows: ObjectStorageError {
        ObjectStorageError(
            .rowsLost,
            "The rows of these results of “\(entityName)” are lost: their cache entry was deleted or replaced before they were read, and the data have changed since. Fetch again.",
            entityName: entityName)
    }

    /// The same rows, computed again.
    ///
    /// Nothing is locked while the store is read: a thread that has the store to itself may ask for rows,
    /// too. Of two threads that compute them at the same time, both use the result of the first. A failure is
    /// kept: otherwise each row that is read would wait for it again.
    private func recovered() throws(ObjectStorageError) -> SectionIndex {
        let known = recovery.withLock { $0 } ?? computedAgain()
        let result = recovery.withLock { recovery in
            let result = recovery ?? known
            recovery = result
            return result
        }
        switch result {
        case .same(let index): return index
        case .failed(let error): throw error
        }
    }

    /// Saved entries have no unsaved changes, so any context computes the same rows.
    private func computedAgain() -> Recovery {
        guard let tables else { return .failed(lossOfRows) }
        do throws(ObjectStorageError) {
            let context = container.newContext()
            // A state that is held has these rows for certain.
            try context.setQueryGeneration(from: generation)
            return try context.withSnapshot(
                of: request.request, columns: request.columns, includingPendingChanges: false
            ) { snapshot in
                guard case .stamped(let now) = try snapshot.state(),
                    now.tables == tables || Mutant.rowsOfAnotherState.isPlanted
                else {
                    return Recovery.failed(lossOfRows)
                }
                let computed = try SectionIndexComputation.compute(request, in: snapshot)
                // An entry that is not what its token says may have any number of rows.
                guard computed.numberOfRows >= numberOfRows else { return .failed(lossOfRows) }
                if let cache { cache.store.saveAnew(computed, for: request.cacheRequest(cache.name, now)) }
                return .same(computed)
            }
        } catch {
            return .failed(error)
        }
    }
}
