/// stub until the log is merged
package struct TableRowChanges: Hashable, Sendable { package let tableName: String; package let keys: [Int64] }
package enum RowChangesReading: Sendable {
    case known([TableRowChanges])
    case unknown(reason: String)
}
extension StoreSnapshot {
    package func rowChanges(since earlier: [StoreState.Table]) throws(ObjectStorageError) -> RowChangesReading {
        .unknown(reason: "stub")
    }
}

extension StoreSnapshot {
    /// The states that the tables of the request had when they were last sealed: all that is in the log since then, unsaved changes of
    /// the context among it, comes on top.
    package func sealedTables() throws -> [StoreState.Table]? { nil }
}
