import ObjectStorage
import SectionCaching

/// Results that another thread computed from one state of the store, and that a fetch can use.
struct PreparedResults: Sendable {
    /// The sections and rows.
    let index: SectionIndex
    /// The states of the tables that they were computed from.
    let tables: [StoreState.Table]
    /// The result of the thread's look-up in the cache; nil without a cache.
    let lookup: CacheLookup?
    /// The difference from the results that were shown when the thread began; nil if it was not computed.
    let comparison: ResultsComparison?
}

/// The difference between two states of results, without the object IDs of its rows.
struct ResultsComparison: Sendable {
    /// The states of the tables of the old results.
    let oldTables: [StoreState.Table]?
    /// The old results.
    let old: ResultsIndex
    let sectionEvents: [ResultsChange.SectionEvent]
    let rows: [ChangeComputation.Row]

    /// Compares results whose rows are of one table.
    ///
    /// - Returns: Nil if rows of either state can no longer be read.
    /// - Complexity: O(*n* log *n*) in the number of rows.
    init?(from old: ResultsIndex, _ oldTables: [StoreState.Table]?, to new: SectionIndex) {
        guard let oldKeys = old.allKeys(), let newKeys = new.rowIDs(in: 0..<new.numberOfRows) else {
            return nil
        }
        let computation = ChangeComputation(
            from: SectionedRows(old.index, keys: oldKeys), to: SectionedRows(new, keys: newKeys),
            changedKeys: [])
        self.old = old
        self.oldTables = oldTables
        sectionEvents = computation.sectionEvents
        rows = computation.rows
    }
}
