import GRDB

/// Rows that belong to another row, such as the elements of its array.
extension BatchTable {
    /// Checks values as ``insert(_:)`` does.
    package func checkValues(_ values: [StoredValue]) throws(ObjectStorageError) { try check(values) }

    /// Returns the rows with a value in a column, in the order of another column.
    ///
    /// - Parameters:
    ///   - column: A position in ``columns``.
    ///   - order: A position in ``columns``.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*k* log *k*) for *k* rows, if the column has an index.
    package func rows(
        whereColumn column: Int, is value: StoredValue, orderedByColumn order: Int
    ) throws(ObjectStorageError) -> [(primaryKey: Int64, values: [StoredValue])] {
        try ObjectStorageError.translating("Looking up in “\(entity.name)”") {
            let keys = try database.rows(
                "SELECT \(entity.keySQL) FROM \(entity.tableSQL) WHERE \(entity.columnSQL(columns[column])) = ?1 ORDER BY \(entity.valueSQL(columns[order])), \(entity.keySQL)",
                [value])
            return try keys.compactMap { row in
                guard case .integer(let key) = row[0], let values = try storedRow(key) else { return nil }
                return (key, values)
            }
        }
    }

    /// Gives a row other values.
    ///
    /// - Parameter old: The present values.
    /// - Returns: Whether the values differ.
    /// - Throws: As ``insert(_:)``.
    package func update(
        _ primaryKey: Int64, from old: [StoredValue], to values: [StoredValue]
    ) throws(ObjectStorageError) -> Bool {
        try check(values)
        return try ObjectStorageError.translating("Writing to “\(entity.name)”") {
            let changes = values.indices.filter { old[$0] != values[$0] && !derivedColumns.contains($0) }
                .map { (column: $0, value: values[$0]) }
            guard !changes.isEmpty else { return false }
            try setValues(changes, of: primaryKey)
            try recorder?.noteUpdated(primaryKey, from: old, to: values)
            return true
        }
    }

    /// Deletes a row that nothing uses (``RowReferences/firstUser(of:)``).
    ///
    /// - Parameter values: The present values.
    /// - Throws: ``ObjectStorageError`` if a write fails.
    package func delete(_ primaryKey: Int64, _ values: [StoredValue]) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Deleting a row of “\(entity.name)”") {
            try deleteRow(primaryKey)
            try recorder?.noteRemoved(primaryKey, values)
        }
    }
}
