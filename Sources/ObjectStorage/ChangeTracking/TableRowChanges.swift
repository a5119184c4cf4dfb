import GRDB
import InternalUtilities

/// The rows of one table that were inserted, updated or deleted, as far as they are known.
package struct TableRowChanges: Hashable, Sendable {
    /// The name of the table.
    package let tableName: String
    /// The primary keys of the rows, ascending, each once; for a link table, the keys of the sources.
    package let keys: [Int64]
    /// The keys of the links' targets, ascending, each once; empty for a table of objects.
    package let otherKeys: [Int64]

    /// Creates a list of changed rows.
    package init(tableName: String, keys: [Int64], otherKeys: [Int64] = []) {
        self.tableName = tableName
        self.keys = keys
        self.otherKeys = otherKeys
    }
}
