import ObjectStorage
import SectionCaching

/// The section index that results are answered from, which can be computed again if its cache goes away.
///
/// An index of the cache reads its rows piece by piece. Somebody may delete the cache meanwhile; then the rows are computed
/// from the store, once, and whoever reads goes on. It may be used from any thread.
final class ResultsIndex: Sendable {
    /// The index as it was found.
    let index: SectionIndex
    private let request: ResultsRequest
    private let container: PersistentContainer
    private let state = LockedValue(State())

    private struct State {
        /// What was computed when the rows could not be had from the cache any more.
        var replacement: SectionIndex?
        /// All keys in memory, once somebody needed them to stay.
        var held: [Int64]?
    }

    init(_ index: SectionIndex, of request: ResultsRequest, in container: PersistentContainer) {
        self.index = index
        self.request = request
        self.container = container
    }

    /// The number of rows at the time of the fetch, which stays.
    var numberOfRows: Int { index.numberOfRows }

    /// Whether the index had to be computed again, from what the store was by then.
    var isReplaced: Bool { state.withLock { $0.replacement != nil } }

    /// The key that no object has, for rows that are gone because the store changed as well.
    private static let missingKey = Int64.min

    /// Reads all keys and keeps them, whatever becomes of the cache.
    ///
    /// - Returns: Nil if the keys as they were at the time of the fetch cannot be had any more.
    /// - Complexity: O(*n*) in the number of rows.
    func hold() -> [Int64]? {
        state.withLock { state in
            if state.held == nil, state.replacement == nil { state.held = index.rowIDs(in: 0..<numberOfRows) }
            return state.held
        }
    }

    /// The keys at some positions.
    func keys(in rows: Range<Int>) -> [Int64] {
        state.withLock { state in
            if let held = state.held { return Array(held[rows]) }
            if state.replacement == nil, let keys = index.rowIDs(in: rows) { return keys }
            guard let replacement = replaceLostRows(&state) else {
                return Array(repeating: Self.missingKey, count: rows.count)
            }
            let keys = replacement.rowIDs(in: rows.clamped(to: 0..<replacement.numberOfRows)) ?? []
            return keys + Array(repeating: Self.missingKey, count: rows.count - keys.count)
        }
    }

    /// The position of a key, or nil.
    func position(of key: Int64) -> Int? {
        state.withLock { state in
            if let held = state.held { return held.firstIndex(of: key) }
            if state.replacement == nil {
                switch index.position(ofRowID: key) {
                case .found(let position): return position
                case .absent: return nil
                case .lost: break
                }
            }
            guard case .found(let position)? = replaceLostRows(&state)?.position(ofRowID: key),
                position < numberOfRows
            else { return nil }
            return position
        }
    }

    /// What is in a cache has no unsaved changes, so that any context will do.
    private func replaceLostRows(_ state: inout State) -> SectionIndex? {
        if let replacement = state.replacement { return replacement }
        // Rows that cannot be had from the store either are rows that are gone, and say so when they are looked at.
        state.replacement = try? container.newContext().withSnapshot(
            of: request.request, columns: request.columns, includingPendingChanges: false
        ) { try SectionIndexComputation.compute(request, in: $0) }
        return state.replacement
    }
}
