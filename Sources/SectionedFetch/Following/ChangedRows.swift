import ObjectStorage

/// The rows of a controller's entity whose positions may have changed, and those of them whose content
/// changed.
///
/// An object that was never saved is a row of the results under a key that only these results use. Rows are
/// identified by their keys in the new state; ``formerKeys`` has the keys of the old results where they
/// differ.
struct ChangedRows {
    /// The keys of rows that may be in the new results.
    var keys: [Int64] = []
    /// The keys of rows of the old results that no longer exist, even if another row has such a key now:
    /// unsaved objects, and in an existing table rows whose key an unsaved object has taken.
    var goneKeys: [Int64] = []
    /// The keys of rows that the old results contain under no key.
    var newKeys: Set<Int64> = []
    /// The keys in the old results, by the keys in the new ones, where they differ.
    var formerKeys: [Int64: Int64] = [:]
    /// The keys of rows whose content differs from the content that was last reported.
    var changedKeys: Set<Int64> = []
    /// Whether the positions of all other rows are unchanged, so that the old results can be updated from
    /// these rows alone.
    var isComplete = true

    /// Returns the key that a row had in the old results, if it was in them.
    func formerKey(of key: Int64) -> Int64 { formerKeys[key] ?? key }
}

/// The result of reading which rows changed.
enum ChangedRowsResult {
    /// The rows that changed, possibly with others.
    case known(ChangedRows)
    /// The changed rows cannot be determined, for this reason.
    case unknown(String)
}

extension [StoreState.Table] {
    /// Returns the states after some transactions. A table whose state is the one from which a transaction
    /// started takes the state in which it ended.
    func passing(_ transitions: [TableTransition]) -> Self {
        var tables = self
        for transition in transitions {
            for index in tables.indices { _ = tables[index].pass(transition) }
        }
        return tables
    }
}

/// The version of results: everything that is needed later to determine which rows changed since.
struct ResultsVersion {
    /// The states of the tables; nil if they are unknown.
    var tables: [StoreState.Table]?
    /// Whether unsaved changes are part of the results. They may be undone without an entry in the log.
    var includesUnsavedChanges = false
    /// The contents of rows that were written after those states and are part of the results already, by
    /// table and key: rows written by unsaved changes, and by programs whose changes are not stamped. Deleted
    /// rows have no values.
    var touchedContents: [String: [Int64: [StoredValue]]] = [:]
    /// The objects with unsaved changes, and the values that they showed.
    var shown: [ManagedObject: ObjectValueSnapshot] = [:]
}
