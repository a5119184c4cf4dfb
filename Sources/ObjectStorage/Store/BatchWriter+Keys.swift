import GRDB

/// Attributes that identify rows of an import although the model does not declare them unique.
extension BatchWriter {
    /// Prepares look-ups of rows by an attribute: creates an index if the table has none.
    ///
    /// The index is not part of the model. ``endKey(_:ofEntityNamed:)`` removes it.
    ///
    /// - Parameter isChecked: Whether the values are known to be unique.
    /// - Throws: ``ObjectStorageError`` if several rows have the same value, with examples of such values;
    ///   also for an external table without an index on the attribute, because the library adds none to it.
    /// - Complexity: O(*n* log *n*) in the rows of the table, or O(*n*) if it has an index; O(1) if the
    ///   attribute is unique, or if the values are checked.
    package func prepareKey(
        _ name: String, ofEntityNamed entityName: String, isChecked: Bool
    ) throws(ObjectStorageError) {
        let entity = try container.model.requireEntity(named: entityName)
        guard let attribute = entity.attribute(named: name), !attribute.isUnique else { return }
        try ObjectStorageError.translating("Preparing the key “\(entityName).\(name)”") {
            if entity.mapping != nil {
                try requireIndex(on: name, of: entity)
            } else if !attribute.isIndexed {
                try database.run(
                    "CREATE INDEX IF NOT EXISTS main.\(Self.indexName(name, entity)) ON \(entity.tableName.quotedIdentifier) (\(entity.columnSQL(name)))"
                )
            }
            if !isChecked { try requireUnique(attribute, of: entity) }
        }
    }

    /// Removes the index that ``prepareKey(_:ofEntityNamed:isChecked:)`` has created, if any.
    package func endKey(_ name: String, ofEntityNamed entityName: String) throws(ObjectStorageError) {
        let entity = try container.model.requireEntity(named: entityName)
        guard let attribute = entity.attribute(named: name), !attribute.isUnique, !attribute.isIndexed,
            entity.mapping == nil
        else { return }
        try ObjectStorageError.translating("Removing the index of “\(entityName).\(name)”") {
            try database.run("DROP INDEX IF EXISTS main.\(Self.indexName(name, entity))")
        }
    }

    /// Checks that an external table has an index of its own program that begins with an attribute.
    private func requireIndex(on name: String, of entity: EntityDescription) throws {
        let table = entity.mapping?.table
        let indexes = try database.rows(
            """
            SELECT 1 FROM pragma_index_list(?1) AS list, pragma_index_xinfo(list.name) AS info
            WHERE NOT list.partial AND info.seqno = 0 AND info.name = ?2 COLLATE NOCASE AND info.coll = 'BINARY'
            """, [.text(entity.tableName), .text(table?.columns[name] ?? name)])
        // Values in another form are looked up by an expression.
        guard indexes.isEmpty || table?.forms[name] != nil else { return }
        throw ObjectStorageError(
            .invalidRequest,
            "“\(entity.name).\(name)” has no index in the store, and the table belongs to another program, so it gets none. Nothing was imported. Choose another key.",
            entityName: entity.name, propertyName: name)
    }

    private static func indexName(_ name: String, _ entity: EntityDescription) -> String {
        "sc_key_\(entity.tableName).\(name)".quotedIdentifier
    }

    private func requireUnique(
        _ attribute: AttributeDescription, of entity: EntityDescription
    ) throws {
        let value = entity.valueSQL(attribute.name)
        let condition = entity.concreteEntityCondition().map { " AND " + $0 } ?? ""
        let repeated =
            "FROM (SELECT \(value) AS value, count(*) AS number FROM \(entity.tableSQL) WHERE \(value) IS NOT NULL\(condition) GROUP BY 1 HAVING count(*) > 1)"
        guard case .integer(let count)? = try database.rows("SELECT count(*) \(repeated)").first?.first,
            count > 0
        else { return }
        let examples = try database.rows(
            "SELECT value, number \(repeated) ORDER BY number DESC, value LIMIT 5")
        let texts = examples.map { row -> String in
            let text =
                switch row[0] {
                case .text(let text): "“\(text.prefix(40))\(text.count > 40 ? "…" : "")”"
                case .integer(let number): "\(number)"
                case .real(let number): "\(number)"
                default: "\(row[0])"
                }
            return "\(text) (\(row[1].integer ?? 0) rows)"
        }
        let rest = count - Int64(texts.count)
        throw ObjectStorageError(
            .duplicateValue,
            "“\(entity.name).\(attribute.name)” cannot be the key, because several rows of the store have the same value: \(texts.joined(separator: ", "))\(rest > 0 ? " and \(rest) more values" : ""). Choose another key, or remove the repeated rows first.",
            entityName: entity.name, propertyName: attribute.name)
    }
}
