extension RowOrder {
    /// The place of the current row of a statement, whose first columns are the key and the values that are
    /// sorted by.
    func sortKey(_ statement: SQLiteStatement) -> SortKey {
        var encoder = SortKeyEncoder()
        for (position, term) in terms.enumerated() { encoder.append(statement, column: position + 1, term) }
        let key = statement.integer(0)
        encoder.append(key: key)
        return SortKey(key: key, bytes: encoder.bytes)
    }
}
