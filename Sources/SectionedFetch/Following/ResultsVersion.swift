import ObjectStorage

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
    /// The contents of rows that were written after the states of ``tables`` and are part of the results
    /// already, by table and key: rows written by unsaved changes, and by programs whose changes are not
    /// stamped. Deleted rows have no values.
    var touchedContents: [String: [Int64: [StoredValue]]] = [:]
    /// The keys of rows with relationships to the rows of ``touchedContents``, which may end without an entry
    /// in the log; nil for too many.
    var touchedOwners: Set<Int64>? = []
    /// The keys of the objects to which displayed to-many relationships lead from the owners of the rows of
    /// ``touchedContents``, by path and owner.
    var displayedMembers: [[String]: [Int64: [Int64]]] = [:]
    /// The objects with unsaved changes, and the values that they showed.
    var shown: [ManagedObject: ObjectValueSnapshot] = [:]
}
