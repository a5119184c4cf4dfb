import InternalUtilities
import ObjectStorage
import SectionCaching
import Mutants

/// The section index that provides the rows of results. They remain the rows of the fetch.
///
/// An index of the cache reads its rows chunk by chunk, and the cache store reads all of them into memory
/// soon after the fetch. If another program deletes or replaces the entry before that, the rows are computed
/// from the store: while the tables have the state in which the index was found, these are the same rows. In
/// any other state the rows are lost, and reading them is an error. The class may be used from any thread.
final class ResultsIndex: Sendable {
    /// The index of the fetch.
    let index: SectionIndex
    private let request: ResultsRequest
    private let container: PersistentContainer
    /// The state of the store that the context was pinned to, while it is held.
    private weak let generation: QueryGenerationToken?
    /// The states of the tables that the index was found in; nil if they are not known.
    private let tables: [StoreState.Table]?
    /// The cache that contains the rows.
    private let cache: (store: SectionCacheStore, name: CacheName)?
    /// The result of computing the rows again; nil if reading them from the index has not failed.
    private let recovery = LockedValue<Recovery?>(nil)

    /// The result of computing the rows again.
    private enum Recovery {
        /// The same rows, computed from unchanged tables.
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

    /// The number of rows at the time of the fetch.
    var numberOfRows: Int { index.numberOfRows }

    /// The entity whose rows these are.
    var entityName: String { request.request.entityName }

    /// Returns whether equal keys of another request identify the same object.
    func hasSameKeys(as other: ResultsRequest) -> Bool { request.keySpace == other.keySpace }

    /// Whether reading rows from the index has failed.
    var isUnreadable: Bool { recovery.withLock { $0 != nil } }

    /// A key that no object has, for rows that are lost.
    static let missingKey = Int64.min

    /// Returns the keys at some positions, as they were at the time of the fetch.
    ///
    /// - Throws: ``ObjectStorageError`` if they are lost (``ObjectStorageError/Code/rowsLost``), or the store
    ///   could not be read.
    func keys(in rows: Range<Int>) throws(ObjectStorageError) -> [Int64] {
        if !isUnreadable, let keys = index.rowIDs(in: rows) { return keys }
        guard let keys = try recovered().rowIDs(in: rows) else { throw lossOfRows }
        return keys
    }

    /// Returns all keys, as they were at the time of the fetch; nil if they are lost, or the store could not
    /// be read.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    func allKeys() -> [Int64]? {
        do throws(ObjectStorageError) {
            return try keys(in: 0..<numberOfRows)
        } catch {
            return nil
        }
    }

    /// Returns the position of a key at the time of the fetch; nil if it had none, or the rows are lost.
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

    /// Returns the same rows, computed again.
    ///
    /// No lock is held while the store is read, because a thread that has the store to itself may ask for
    /// rows, too. Of two threads that compute them at the same time, both use the result of the first. A
    /// failure is kept: otherwise each access to a row would wait for it again.
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

    /// Computes the rows again. Saved entries contain no unsaved changes, so any context computes the same
    /// rows.
    private func computedAgain() -> Recovery {
        guard let tables else { return .failed(lossOfRows) }
        do throws(ObjectStorageError) {
            let context = container.newContext()
            // If the state is still held, it certainly has these rows.
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
                // An entry that contradicts its token may have any number of rows.
                guard computed.numberOfRows >= numberOfRows else { return .failed(lossOfRows) }
                if let cache { cache.store.saveAnew(computed, for: request.cacheRequest(cache.name, now)) }
                return .same(computed)
            }
        } catch {
            return .failed(error)
        }
    }
}
