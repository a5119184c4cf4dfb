/// The rows that were changed or deleted since some state, with their earlier values, as far as they are
/// known.
package struct PreviousRows: Sendable {
    /// The rows by identity.
    private var rows: [ObjectID: PreviousRow] = [:]
    /// Whether more rows changed than are kept; the changes of all rows are then unknown.
    private var isOverfull = false

    /// The greatest number of rows.
    static let maximumCount = 10_000

    /// Creates an empty collection.
    package init() {}

    /// A collection of more rows than are kept.
    static let overfull: Self = {
        var rows = Self()
        rows.isOverfull = true
        return rows
    }()

    /// Whether nothing is recorded.
    package var isEmpty: Bool { rows.isEmpty && !isOverfull }

    /// The row of an object; nil if no change of it is recorded. If more rows changed than are kept, the row
    /// is unknown.
    package subscript(objectID: ObjectID) -> PreviousRow? { isOverfull ? .unknown : rows[objectID] }

    /// Adds a later change of a row.
    mutating func append(_ row: PreviousRow, of objectID: ObjectID) {
        guard !isOverfull else { return }
        if rows[objectID]?.append(row) == nil { rows[objectID] = row }
        if rows.count > Self.maximumCount { self = .overfull }
    }

    /// Records that a row changed, with unknown values.
    mutating func forgetValues(of objectID: ObjectID) {
        guard !isOverfull else { return }
        rows[objectID] = .unknown
        if rows.count > Self.maximumCount { self = .overfull }
    }

    /// Adds rows that changed later.
    package mutating func append(_ later: Self) {
        if later.isOverfull { self = .overfull }
        for (objectID, row) in later.rows { append(row, of: objectID) }
    }

    /// Adds later changes.
    ///
    /// - Parameter isRelevant: Whether the changes of an object are kept.
    package mutating func append(_ later: StoreChanges, where isRelevant: (ObjectID) -> Bool = { _ in true })
    {
        if later.previousRows.isOverfull { self = .overfull }
        guard !isOverfull else { return }
        for objectID in later.updatedObjectIDs.union(later.refreshedObjectIDs) where isRelevant(objectID) {
            append(later.previousRows.rows[objectID] ?? .unknown, of: objectID)
        }
        for objectID in later.deletedObjectIDs where isRelevant(objectID) {
            append(later.previousRows.rows[objectID] ?? .unknown, of: objectID)
        }
    }

    /// Returns these rows, and the rows of the changes whose objects are not listed here.
    ///
    /// Only changes of contexts record relationships in link tables, so the changes add those of the listed
    /// objects.
    func joined(with changes: StoreChanges) -> Self {
        let saved = changes.previousRows
        guard !isOverfull, !saved.isOverfull else { return .overfull }
        var joined = self
        for objectID in rows.keys where changes.updatedObjectIDs.contains(objectID) {
            joined.rows[objectID]?.relink(saved.rows[objectID]?.relationshipNames)
        }
        for (objectID, row) in saved.rows where rows[objectID] == nil { joined.rows[objectID] = row.ofStore }
        return joined
    }
}
