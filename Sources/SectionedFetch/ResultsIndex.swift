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

    init(_ index: SectionIndex, recompute: @escaping () throws -> SectionIndex) {
        self.index = index
        self.recompute = recompute
        numberOfRows = index.numberOfRows
    }

    /// The number of rows at the time of the fetch, which stays.
    let numberOfRows: Int

    /// The key that no object has, for rows that are gone because the store changed as well.
    private static let missingKey = Int64.min

    /// The keys at some positions.
    func keys(in rows: Range<Int>) -> [Int64] {
        if let keys = index.rowIDs(in: rows) { return keys }
        replaceLostRows()
        let available = rows.clamped(to: 0..<index.numberOfRows)
        let keys = index.rowIDs(in: available) ?? []
        return keys + Array(repeating: Self.missingKey, count: rows.count - keys.count)
    }

    /// The position of a key, or nil.
    func position(of key: Int64) -> Int? {
        switch index.position(ofRowID: key) {
        case .found(let position): return position
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
        } catch {
            failure = error as? ObjectStorageError
        }
    }
}
