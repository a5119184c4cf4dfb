import GRDB
import InternalUtilities

/// The rows of one table that were inserted, updated or deleted, as far as anybody can tell.
package struct TableRowChanges: Hashable, Sendable {
    /// The table.
    package let tableName: String
    /// The primary keys of the rows, ascending, each once; of links, the keys of their sources.
    package let keys: [Int64]
    /// The keys of the links' targets, ascending, each once; empty for a table of objects.
    package let otherKeys: [Int64]

    /// Rows that changed.
    package init(tableName: String, keys: [Int64], otherKeys: [Int64] = []) {
        self.tableName = tableName
        self.keys = keys
        self.otherKeys = otherKeys
    }
}

/// What changed between two states of some tables.
package enum RowChangesResult: Hashable, Sendable {
    /// All rows that changed, and perhaps some that did not, in the order in which the tables were asked for.
    /// Tables without changes are left out.
    case known([TableRowChanges])
    /// The same, if a change of the schema in between is the `VACUUM` that it looks like.
    case knownAcrossVacuum([TableRowChanges])
    /// The log does not reach back to that state, or does not hold everything: in words, for people.
    case unknown(reason: String)
}
