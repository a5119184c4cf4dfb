import GRDB
import InternalUtilities

/// The rows of one table that were inserted, updated or deleted, as far as they are known.
package struct TableRowChanges: Hashable, Sendable {
    /// The name of the table.
    package let tableName: String
    /// The primary keys of the rows, ascending, each once; for a link table, the keys of the sources.
    package let keys: [Int64]
    /// For a link table, the keys of the links' targets; for a table of objects, those of the objects to
    /// which changed references of its rows led before, of any entity. Ascending, each once.
    package let otherKeys: [Int64]

    /// Whether a row may have replaced another with the same key, whose references are not known.
    package var mayHaveReplacedRows: Bool { otherKeys.first.map { $0 < 0 } ?? false }

    /// Creates a list of changed rows.
    package init(tableName: String, keys: [Int64], otherKeys: [Int64] = []) {
        self.tableName = tableName
        self.keys = keys
        self.otherKeys = otherKeys
    }
}
