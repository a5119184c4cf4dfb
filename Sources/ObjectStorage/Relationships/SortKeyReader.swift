/// Reads where rows of a snapshot stand in an order, with one statement for all of them, which is compiled
/// when it is first needed.
package final class SortKeyReader {
    private let compiled: CompiledRows
    private let source: any StatementSource
    private var statement: SQLiteStatement?

    init(_ compiled: CompiledRows, in source: any StatementSource) {
        self.compiled = compiled
        self.source = source
    }

    /// Where a row stands, whether or not the request finds it; nil if there is no such row.
    ///
    /// - Complexity: O(log *n*) in the number of rows of the table.
    package func place(ofKey key: Int64) throws -> SortKey? {
        let statement = try statement ?? compile()
        try statement.bind(key, at: compiled.keysParameter)
        return try statement.use { try $0.step() ? compiled.order.sortKey($0) : nil }
    }

    private func compile() throws -> SQLiteStatement {
        let statement = try SQLiteStatement(compiled.placeSQL, in: source)
        try statement.bind(compiled.arguments)
        self.statement = statement
        return statement
    }
}
