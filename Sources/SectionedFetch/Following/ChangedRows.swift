import ObjectStorage

/// The rows of a controller's entity that may have another place than before, and those of them that show
/// something else.
///
/// An object that was never saved is a row of the results under a key that only they know. Rows are told
/// apart by their keys in the new state; where the old results had a row under another key, that is in
/// ``formerKeys``.
struct ChangedRows {
    /// The rows that may be in the new results.
    var keys: [Int64] = []
    /// The rows of the old results that are not there any more, whatever row has their key now: unsaved
    /// objects, and in somebody else's table those whose key an unsaved object has got.
    var goneKeys: [Int64] = []
    /// The rows that the old results have under no key.
    var newKeys: Set<Int64> = []
    /// The keys of the old results, by the keys of the new ones, where they differ.
    var formerKeys: [Int64: Int64] = [:]
    /// The rows that show something else than when they were last reported.
    var changedKeys: Set<Int64> = []
    /// Whether no other row can have another place, so that the old results can be brought up to date by
    /// these alone.
    var isComplete = true

    /// The key that a row had in the old results, if it was there.
    func formerKey(of key: Int64) -> Int64 { formerKeys[key] ?? key }
}

/// What there is to know of the rows that changed.
enum ChangedRowsResult {
    /// These rows.
    case known(ChangedRows)
    /// Nobody can tell, for this reason.
    case unknown(String)
}

extension [StoreState.Table] {
    /// The states after some transactions, each of which is passed by the tables that it found so.
    func passing(_ transitions: [TableTransition]) -> Self {
        var tables = self
        for transition in transitions {
            for place in tables.indices { _ = tables[place].pass(transition) }
        }
        return tables
    }
}

/// What results are as of: everything that is needed to tell later which rows changed since.
struct ResultsVersion {
    /// The states of the tables; nil where nobody can tell.
    var tables: [StoreState.Table]?
    /// Whether unsaved changes are part of the results, which may be taken back without anything that tells
    /// of it.
    var includesUnsavedChanges = false
    /// The contents of the rows that were written since those states and were part of the results already: by
    /// unsaved changes, and by programs whose changes are not stamped. By table and key; of rows that were
    /// deleted there are no values.
    var touchedContents: [String: [Int64: [StoredValue]]] = [:]
    /// The objects with unsaved changes, and what they showed.
    var shown: [ManagedObject: ObjectValueSnapshot] = [:]
}
