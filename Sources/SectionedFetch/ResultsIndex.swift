import ObjectStorage
import SectionCaching

/// The section index that a controller answers from, which can be computed again if its cache goes away.
///
/// An index of the cache reads its rows piece by piece. Somebody may delete the cache meanwhile; then the rows are computed
/// from the store, once, and the controller goes on.
final class ResultsIndex {
    private(set) var index: SectionIndex
    private let recompute: () throws -> SectionIndex
    /// Why rows could not be had from the cache nor from the store.
    private(set) var failure: ObjectStorageError?
    /// All keys in memory, once somebody needed them to stay.
    private var held: [Int64]?
    /// Whether the index was computed again, from what the store was by then.
    private(set) var isReplaced = false

    init(_ index: SectionIndex, recompute: @escaping () throws -> SectionIndex) {
        self.index = index
        self.recompute = recompute
        numberOfRows = index.numberOfRows
    }

    /// The number of rows at the time of the fetch, which stays.
    let numberOfRows: Int

    /// The key that no object has, for rows that are gone because the store changed as well.
    private static let missingKey = Int64.min

    /// Reads all keys and keeps them, whatever becomes of the cache.
    ///
    /// - Returns: Nil if the keys as they were at the time of the fetch cannot be had any more.
    /// - Complexity: O(*n*) in the number of rows.
    func hold() -> [Int64]? {
        if held == nil, !isReplaced { held = index.rowIDs(in: 0..<numberOfRows) }
        return held
    }

    /// The keys at some positions.
    func keys(in rows: Range<Int>) -> [Int64] {
        if let held { return Array(held[rows]) }
        if !isReplaced {
            if let keys = index.rowIDs(in: rows) { return keys }
            replaceLostRows()
        }
        let available = rows.clamped(to: 0..<index.numberOfRows)
        let keys = index.rowIDs(in: available) ?? []
        return keys + Array(repeating: Self.missingKey, count: rows.count - keys.count)
    }

    /// The position of a key, or nil.
    func position(of key: Int64) -> Int? {
        if let held { return held.firstIndex(of: key) }
        switch index.position(ofRowID: key) {
        case .found(let position): return position < numberOfRows ? position : nil
        case .absent: return nil
        case .lost:
            replaceLostRows()
            if case .found(let position) = index.position(ofRowID: key), position < numberOfRows {
                return position
            }
            return nil
        }
    }

    private func replaceLostRows() {
        do {
            index = try recompute()
            isReplaced = true
        } catch {
            failure = error as? ObjectStorageError
        }
    }
}
