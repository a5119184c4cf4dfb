import GRDB

extension ManagedObjectContext {
    /// Returns the number of lists of values that several objects of an entity have, although a uniqueness
    /// constraint requires different ones. Objects without a value for one of the properties are not counted.
    ///
    /// - Parameter names: Stored attributes and to-one relationships of the entity.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of objects.
    package func numberOfRepeatedValues(
        of names: [String], in entity: EntityDescription
    ) throws(ObjectStorageError) -> Int {
        let values = names.map { entity.valueSQL($0) }
        let conditions =
            values.map { "\($0) IS NOT NULL" } + (entity.concreteEntityCondition().map { [$0] } ?? [])
        return try numberOfRows(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(entity.tableSQL) WHERE \(conditions.joined(separator: " AND ")) \
            GROUP BY \(values.joined(separator: ", ")) HAVING count(*) > 1)
            """)
    }

    /// Returns the number of objects of an entity whose to-one relationship leads to an object that does not
    /// exist.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n* log *n*) in the number of objects.
    package func numberOfDanglingReferences(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) throws(ObjectStorageError) -> Int {
        guard let destination = container.model.entity(named: relationship.destinationEntityName) else {
            return 0
        }
        let column = "t.\(entity.columnSQL(relationship.name))"
        return try numberOfRows(
            """
            SELECT count(*) FROM \(entity.tableSQL) AS t WHERE \(column) IS NOT NULL \
            \(entity.concreteEntityCondition("t").map { "AND \($0) " } ?? "")\
            AND NOT \(existsInTable(of: destination, column))
            """)
    }

    /// Returns the condition that the table of an entity has a row with a key, of any entity of the model, as
    /// SQL.
    private func existsInTable(of entity: EntityDescription, _ key: String) -> String {
        Self.exists(entity.hierarchy.flatMap { container.model.entity(named: $0.rootName) } ?? entity, key)
    }

    /// Returns whether the table of an entity has a row with a key, of any entity of the model.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func hasStoredRow(_ key: Int64, inTableOf entity: EntityDescription) throws(ObjectStorageError)
        -> Bool
    {
        try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
            try readSaved { source in
                try source.rows("SELECT \(existsInTable(of: entity, "?1"))", [.integer(key)]) == [
                    [.integer(1)]
                ]
            }
        }
    }

    /// Returns the lists of columns in which no two rows of an external table have the same values, according
    /// to the unique indexes of the database.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func uniqueColumns(
        ofTableOf entity: EntityDescription
    ) throws(ObjectStorageError) -> [[String]] {
        try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
            try readSaved { source in
                try source.rows("PRAGMA main.index_list(\(entity.tableName.quotedIdentifier))").compactMap {
                    row in
                    guard case .text(let name) = row[1], row[2] == .integer(1), row[4] == .integer(0) else {
                        return nil
                    }
                    let columns = try source.rows("PRAGMA main.index_info(\(name.quotedIdentifier))").map {
                        if case .text(let column) = $0[2] { column } else { "" }
                    }
                    return columns.contains("") ? nil : columns
                }
            }
        }
    }

    /// Returns the number of rows of a table of the database that need not be part of the model; nil if there
    /// is no such table.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of rows.
    package func numberOfStoredRows(inTableNamed name: String) throws(ObjectStorageError) -> Int? {
        let schema = "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = "
        guard try numberOfRows(schema + name.quotedLiteral) > 0 else { return nil }
        return try numberOfRows("SELECT count(*) FROM main.\(name.quotedIdentifier)")
    }

    /// Returns the number of values of a column of the database that are not NULL.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of rows.
    package func numberOfStoredValues(
        inColumnNamed column: String, ofTableNamed table: String
    ) throws(ObjectStorageError) -> Int {
        try numberOfRows("SELECT count(\(column.columnIdentifier)) FROM main.\(table.quotedIdentifier)")
    }

    /// Returns the rules and indexes in the schema of the database that a model does not express.
    ///
    /// - Throws: ``ObjectStorageError`` if the schema cannot be read.
    /// - Complexity: O(*n*) in the length of the schema.
    package func declaredRules() throws(ObjectStorageError) -> [DeclaredRule] {
        try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
            try readSaved { source in try DeclaredRule.all(in: source) }
        }
    }

    /// Returns the names of the columns of all tables of the database, in the order of the schema, without
    /// SQLite's own tables and virtual tables.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func storedColumns() throws(ObjectStorageError) -> [(table: String, columns: [String])] {
        try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
            try readSaved { source in
                let tables =
                    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY rowid"
                return try source.rows(tables).compactMap { row in
                    guard case .text(let table) = row[0], !table.lowercased().hasPrefix("sqlite_") else {
                        return nil
                    }
                    let columns = try source.rows("PRAGMA main.table_info(\(table.quotedIdentifier))")
                    return (
                        table, columns.compactMap { if case .text(let name) = $0[1] { name } else { nil } }
                    )
                }
            }
        }
    }

    /// Returns the names of the tables in which SQLite keeps the contents of virtual tables.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func shadowTableNames() throws(ObjectStorageError) -> Set<String> {
        try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
            try readSaved { source in
                let schema = try SurveyedSchema(views: .none, in: source)
                return Set(schema.tables.filter { $0.kind == .shadowTable }.map(\.name))
            }
        }
    }

    private func numberOfRows(_ sql: String) throws(ObjectStorageError) -> Int {
        try ObjectStorageError.translating("Reading \(container.nameInMessages)") {
            try readSavedComputing { source in
                guard case .integer(let count)? = try source.rows(sql).first?.first else { return 0 }
                return Int(count)
            }
        }
    }
}
