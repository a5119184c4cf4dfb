import ObjectStorage
import SectionCaching

/// The section index that results are answered from, which can be computed again if its cache goes away.
///
/// An index of the cache reads its rows piece by piece. Somebody may delete or replace the entry meanwhile;
/// then the rows are computed from the store. As long as the data are what they were, these are the same
/// rows. After that they are others: a controller goes on with them, a snapshot does not. If the entry is
/// there all the same, it is damaged, and the same rows are saved again. It may be used from any thread.
final class ResultsIndex: Sendable {
    /// The index as it was found.
    let index: SectionIndex
    private let request: ResultsRequest
    private let container: PersistentContainer
    /// The states of the tables that the index is as of; nil if it is of none, or nobody knows.
    private let tables: [StoreState.Table]?
    /// Where the rows are cached.
    private let cache: (store: SectionCacheStore, name: CacheName)?
    private let state = LockedValue(State())

    private struct State {
        /// What was computed when the rows could not be had from the cache any more.
        var recovery: Recovery?
        /// All keys in memory, once somebody needed them to stay.
        var held: [Int64]?
    }

    /// What became of computing the rows again.
    private enum Recovery {
        /// The same rows, because nothing had changed.
        case same(SectionIndex)
        /// The rows of by then.
        case other(SectionIndex)
        case failed(ObjectStorageError)
    }

    init(
        _ index: SectionIndex, of request: ResultsRequest, asOf tables: [StoreState.Table]?,
        in container: PersistentContainer, cache: (store: SectionCacheStore, name: CacheName)?
    ) {
        self.cache = cache
        self.index = index
        self.request = request
        self.tables = tables
        self.container = container
    }

    /// The number of rows at the time of the fetch, which stays.
    var numberOfRows: Int { index.numberOfRows }

    /// The entity whose rows these are.
    var entityName: String { request.request.entityName }

    /// Whether another request finds rows of the same table, so that a key means the same object.
    func isOfSameTable(as other: ResultsRequest) -> Bool { request.tableName == other.tableName }

    /// Whether the rows had to be computed again.
    var isReplaced: Bool { state.withLock { $0.recovery != nil } }

    /// The key that no object has, for rows that are gone because the store changed as well.
    static let missingKey = Int64.min

    /// Reads all keys and keeps them, whatever becomes of the cache.
    ///
    /// - Returns: Nil if the keys as they were at the time of the fetch cannot be had any more.
    /// - Complexity: O(*n*) in the number of rows.
    @discardableResult
    func hold() -> [Int64]? {
        state.withLock { state in
            if state.held == nil {
                switch state.recovery {
                case nil: state.held = index.rowIDs(in: 0..<numberOfRows)
                case .same(let same): state.held = same.rowIDs(in: 0..<numberOfRows)
                case .other, .failed: break
                }
            }
            return state.held
        }
    }

    /// The keys at some positions; where they are lost, those that are there now, and a key that no object
    /// has beyond their end.
    ///
    /// - Throws: ``ObjectStorageError`` if they are lost, and the store could not be read.
    func keys(in rows: Range<Int>) throws(ObjectStorageError) -> [Int64] {
        try keys(in: rows, mayBeOthers: true)
    }

    /// The keys at some positions as they were at the time of the fetch.
    ///
    /// - Throws: ``ObjectStorageError`` if they are lost (``ObjectStorageError/Code/rowsLost``), or the store
    ///   could not be read.
    func formerKeys(in rows: Range<Int>) throws(ObjectStorageError) -> [Int64] {
        try keys(in: rows, mayBeOthers: false)
    }

    private func keys(
        in rows: Range<Int>, mayBeOthers: Bool
    ) throws(ObjectStorageError) -> [Int64] {
        let known = state.withLock { state -> [Int64]? in
            if let held = state.held { return Array(held[rows]) }
            return state.recovery == nil ? index.rowIDs(in: rows) : nil
        }
        if let known { return known }
        switch recovery() {
        case .same(let same): return Self.keys(in: rows, of: same)
        case .other(let other) where mayBeOthers: return Self.keys(in: rows, of: other)
        case .other: throw lossOfRows
        case .failed(let error): throw error
        }
    }

    private static func keys(in rows: Range<Int>, of index: SectionIndex) -> [Int64] {
        let keys = index.rowIDs(in: rows.clamped(to: 0..<index.numberOfRows)) ?? []
        return keys + Array(repeating: missingKey, count: rows.count - keys.count)
    }

    private var lossOfRows: ObjectStorageError {
        ObjectStorageError(
            .rowsLost,
            "The rows of these results of “\(request.request.entityName)” were in a cache that somebody deleted or replaced, and the data have changed since. Take new results.",
            entityName: request.request.entityName)
    }

    /// The position of a key, or nil; where the rows are lost, that of by now.
    func position(of key: Int64) -> Int? { position(of: key, mayBeOthers: true) }

    /// The position of a key at the time of the fetch, or nil; nil, too, where the rows are lost.
    func formerPosition(of key: Int64) -> Int? { position(of: key, mayBeOthers: false) }

    private func position(of key: Int64, mayBeOthers: Bool) -> Int? {
        let known = state.withLock { state -> SectionIndex.RowPosition in
            if let held = state.held { return held.firstIndex(of: key).map { .found($0) } ?? .absent }
            return state.recovery == nil ? index.position(ofRowID: key) : .lost
        }
        switch known {
        case .found(let position): return position
        case .absent: return nil
        case .lost: break
        }
        let found: SectionIndex
        switch recovery() {
        case .same(let same): found = same
        case .other(let other) where mayBeOthers: found = other
        case .other, .failed: return nil
        }
        guard case .found(let position) = found.position(ofRowID: key), position < numberOfRows else {
            return nil
        }
        return position
    }

    /// What is in a cache has no unsaved changes, so that any context will do. What failed is not tried
    /// again: with each row it would fail again.
    ///
    /// Nothing is locked while the store is read: a thread that has the store to itself may ask for the rows,
    /// too. Of two threads that compute them at the same time the first is believed by both.
    private func recovery() -> Recovery {
        if let recovery = state.withLock({ $0.recovery }) { return recovery }
        let computed = rowsOfNow()
        return state.withLock { state in
            let recovery = state.recovery ?? computed
            state.recovery = recovery
            return recovery
        }
    }

    private func rowsOfNow() -> Recovery {
        do throws(ObjectStorageError) {
            return try container.newContext().withSnapshot(
                of: request.request, columns: request.columns, includingPendingChanges: false
            ) { snapshot in
                let computed = try SectionIndexComputation.compute(request, in: snapshot)
                guard let tables, case .sealed(let now) = try snapshot.state(), now.tables == tables else {
                    return Recovery.other(computed)
                }
                if let cache { cache.store.saveAnew(computed, for: request.cacheRequest(cache.name, now)) }
                return .same(computed)
            }
        } catch {
            return .failed(error)
        }
    }
}
