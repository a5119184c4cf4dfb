extension BatchTable {
    /// Returns the primary key and the values of the first row with a value in a column, or nil.
    ///
    /// - Parameter column: A position in ``columns``.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func row(
        whereColumn column: Int, is value: StoredValue
    ) throws(ObjectStorageError) -> (primaryKey: Int64, values: [StoredValue])? {
        try ObjectStorageError.translating("Looking up in “\(entity.name)”") {
            let statement = try lookUpStatement(column: column)
            try statement.bind(value, at: 1)
            return try statement.use { statement in
                guard try statement.step() else { return nil }
                let values = columns.indices.map { statement.value($0 + 1) }
                return (
                    statement.integer(0), entity.mapping == nil ? values : entity.normalized(values)
                )
            }
        }
    }

    /// Returns the value of a column in the row with a primary key, or nil if there is no such row.
    ///
    /// - Parameter column: A position in ``columns``.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func value(
        ofColumn column: Int, primaryKey: Int64
    ) throws(ObjectStorageError) -> StoredValue? {
        try ObjectStorageError.translating("Looking up in “\(entity.name)”") {
            try database.rows(
                "SELECT \(entity.valueSQL(columns[column])) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1",
                [.integer(primaryKey)]
            ).first?[0]
        }
    }

    /// Returns whether the store computes the values of a column.
    ///
    /// - Parameter column: A position in ``columns``.
    package func isDerived(_ column: Int) -> Bool { derivedColumns.contains(column) }
}
