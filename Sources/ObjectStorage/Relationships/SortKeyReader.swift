/// A reader of the sort keys of a snapshot's rows, with one statement that is compiled at first use.
package final class SortKeyReader {
    private let compiled: CompiledRows
    private let source: any StatementSource
    private var statement: SQLiteStatement?

    init(_ compiled: CompiledRows, in source: any StatementSource) {
        self.compiled = compiled
        self.source = source
    }

    /// Returns the sort key of a row, whether or not the row satisfies the request's predicate; nil if the
    /// row does not exist.
    ///
    /// - Complexity: O(log *n*) in the number of rows of the table.
    package func sortKey(ofKey key: Int64) throws -> SortKey? {
        let statement = try statement ?? compile()
        try statement.bind(key, at: compiled.keysParameter)
        return try statement.use { try $0.step() ? compiled.order.sortKey($0) : nil }
    }

    private func compile() throws -> SQLiteStatement {
        let statement = try SQLiteStatement(compiled.sortKeySQL, in: source)
        try statement.bind(compiled.arguments)
        self.statement = statement
        return statement
    }
}
