extension RowOrder {
    /// Returns the sort key of a statement's current row, whose first columns are the key and the values by
    /// which rows are sorted.
    func sortKey(_ statement: SQLiteStatement) -> SortKey {
        var encoder = SortKeyEncoder()
        for (position, term) in terms.enumerated() { encoder.append(statement, column: position + 1, term) }
        let key = statement.integer(0)
        if isOfUnion { encoder.append(key: Int64(EntityUnion.member(ofKey: key))) }
        encoder.append(key: key)
        return SortKey(key: key, bytes: encoder.bytes)
    }
}
