import GRDB

/// Rows by their keys, for undoing an import.
extension BatchTable {
    /// Returns the values of the row with a key in the forms that objects use, or nil if there is none.
    func storedRow(_ key: Int64) throws -> [StoredValue]? {
        let values = columns.enumerated().map { position, name in
            let column = entity.columnSQL(name)
            let isExternal =
                entity.storedAttributes.indices.contains(position)
                && entity.storedAttributes[position].allowsExternalStorage
            return isExternal ? LargeValueTable.valueSQL(column) : column
        }
        let statement = try SQLiteStatement(
            "SELECT \((values + ["1"]).joined(separator: ", ")) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1",
            in: database)
        try statement.bind(key, at: 1)
        return try statement.use { statement in
            guard try statement.step() else { return nil }
            let row = columns.indices.map(statement.value)
            return entity.mapping == nil ? row : entity.normalized(row)
        }
    }

    /// Deletes a row. References to it must not exist or must be cleared.
    func deleteRow(_ key: Int64) throws {
        try noteWrite()
        try reachedRows?.noteRow(key, entity, isThere: true, in: database)
        try database.run("DELETE FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", [.integer(key)])
        guard database.changesCount == 1 else {
            throw ObjectStorageError(
                .constraintViolation,
                "A trigger of table “\(entity.tableName)” refused the deletion of row \(key) of “\(entity.name)”.",
                entityName: entity.name)
        }
    }

    /// Inserts a row with a key that was used before.
    func insertRow(_ key: Int64, _ values: [(column: Int, value: StoredValue)]) throws {
        try noteWrite()
        var row = [StoredValue](repeating: .null, count: columns.count)
        for (column, value) in values { row[column] = entity.columnValue(value, slot: column) }
        row = try shortened(row)
        var names = [entity.keySQL] + values.map { entity.columnSQL(columns[$0.column]) }
        var parameters = names.indices.map { "?\($0 + 1)" }
        if let entityColumn = entity.concreteEntitySQL {
            names.append(entityColumn)
            parameters.append(entity.concreteEntityLiteral)
        }
        try database.run(
            "INSERT INTO \(entity.tableSQL) (\(names.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))",
            [.integer(key)] + values.map { row[$0.column] })
        try reachedRows?.noteRow(key, entity, isThere: false, in: database)
    }

    /// Gives a row other values in some columns. Positions in ordered lists stay.
    func setValues(_ values: [(column: Int, value: StoredValue)], of key: Int64) throws {
        guard !values.isEmpty else { return }
        try noteWrite()
        try reachedRows?.noteRow(key, entity, isThere: true, in: database)
        var row = [StoredValue](repeating: .null, count: columns.count)
        for (column, value) in values { row[column] = entity.columnValue(value, slot: column) }
        row = try shortened(row)
        let assignments = values.enumerated().map { "\(entity.columnSQL(columns[$1.column])) = ?\($0 + 1)" }
        try database.run(
            "UPDATE \(entity.tableSQL) SET \(assignments.joined(separator: ", ")) WHERE \(entity.keySQL) = ?\(values.count + 1)",
            values.map { row[$0.column] } + [.integer(key)])
        guard database.changesCount == 1 else {
            throw ObjectStorageError(
                .constraintViolation,
                "A trigger of table “\(entity.tableName)” refused a change of row \(key) of “\(entity.name)”.",
                entityName: entity.name)
        }
        try reachedRows?.noteRow(key, entity, isThere: true, in: database)
    }
}
