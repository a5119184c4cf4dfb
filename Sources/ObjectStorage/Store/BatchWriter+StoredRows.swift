import GRDB

extension BatchWriter {
    /// Returns a writer of whole rows with their keys, for copies of stores.
    ///
    /// - Throws: ``ObjectStorageError`` if the table cannot be written.
    package func rowCopier(of entity: EntityDescription) throws(ObjectStorageError) -> RowCopier {
        try ObjectStorageError.translating("Preparing to write “\(entity.name)”") {
            try RowCopier(entity, in: database)
        }
    }

    /// Inserts a pair into the link table of a relationship, unless the table has it.
    ///
    /// - Parameters:
    ///   - relationship: A relationship that is stored in a separate table, named after it.
    ///   - entity: The entity that declares it.
    ///   - positions: The positions among the members of the owner, and among the owners of the member; null
    ///     for an unordered end.
    /// - Throws: ``ObjectStorageError`` for a failed write.
    package func copyLink(
        of relationship: RelationshipDescription, in entity: EntityDescription, owner: Int64, member: Int64,
        positions: (own: StoredValue, inverse: StoredValue)
    ) throws(ObjectStorageError) {
        guard let end = container.model.linkEnd(of: relationship, in: entity) else { return }
        var columns = [end.ownColumn, end.otherColumn]
        var values: [StoredValue] = [.integer(owner), .integer(member)]
        if let column = end.positionColumn {
            columns.append(column)
            values.append(positions.own)
        }
        if let column = end.opposite.positionColumn, !columns.contains(column) {
            columns.append(column)
            values.append(positions.inverse)
        }
        let parameters = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let sql =
            "INSERT INTO \(end.table.tableSQL) (\(columns.joined(separator: ", "))) VALUES (\(parameters)) ON CONFLICT DO NOTHING"
        try ObjectStorageError.translating("Writing “\(entity.name).\(relationship.name)”") {
            try database.run(sql, values)
        }
    }

    /// Clears the references of a to-one relationship to objects that do not exist, if the store ensures that
    /// they exist.
    ///
    /// - Parameter maximumExampleCount: The largest number of references that are returned one by one.
    /// - Returns: The cleared references.
    /// - Throws: ``ObjectStorageError`` for a failed write.
    /// - Complexity: O(*n* log *n*) in the number of rows.
    package func clearDanglingReferences(
        of relationship: RelationshipDescription, in entity: EntityDescription, maximumExampleCount: Int
    ) throws(ObjectStorageError) -> DanglingReferences {
        guard let table = container.model.references(relationship) else { return DanglingReferences() }
        let column = entity.columnSQL(relationship.name)
        var assignments = ["\(column) = NULL"]
        if entity.orderedToOneNames.contains(relationship.name) {
            let position = EntityDescription.orderColumnName(ofToOneNamed: relationship.name)
            assignments.append("\(entity.columnSQL(position)) = NULL")
        }
        return try ObjectStorageError.translating("Writing “\(entity.name).\(relationship.name)”") {
            let condition = """
                \(column) IS NOT NULL AND NOT EXISTS \
                (SELECT 1 FROM main.\(table.quotedIdentifier) AS o WHERE o.objectID = t.\(column))
                """
            let examples = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(entity.keySQL), \(column) FROM \(entity.tableSQL) AS t WHERE \(condition) \
                    ORDER BY 1 LIMIT \(max(1, maximumExampleCount))
                    """)
            guard !examples.isEmpty else { return DanglingReferences() }
            try database.run(
                "UPDATE \(entity.tableSQL) AS t SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
            )
            return DanglingReferences(
                count: database.changesCount,
                examples: examples.prefix(maximumExampleCount).map { (key: $0[0], missingKey: $0[1]) })
        }
    }

    /// Marks a table as written in bulk, so that the change log does not record each row.
    package func announceBulkWrite(toTableNamed name: String) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Preparing to write “\(name)”") {
            guard container.isTracked else { return }
            try ChangeTracking.beginBulkWrite(to: name, in: database)
        }
    }
}

/// A writer of whole rows of one entity with their keys. Values are not checked, and large values are stored
/// outside the row.
package final class RowCopier {
    private let writer: RowWriter
    private let database: Database
    private let entity: EntityDescription
    private let externalSlots: [Int]

    fileprivate init(_ entity: EntityDescription, in database: Database) throws {
        self.entity = entity
        self.database = database
        externalSlots = entity.storedAttributes.indices.filter {
            entity.storedAttributes[$0].allowsExternalStorage
        }
        var columns = [entity.keySQL] + entity.columnSQLs
        var values = columns.indices.map { "?\($0 + 1)" }
        if let entityColumn = entity.concreteEntitySQL {
            columns.append(entityColumn)
            values.append(entity.concreteEntityLiteral)
        }
        let sql =
            "INSERT INTO \(entity.tableSQL) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
        writer = try RowWriter(
            RowInsertion(
                sql: sql, severalSQL: sql, numberOfSlots: entity.slotNames.count, mappedEntity: nil),
            in: database)
    }

    /// Inserts a row.
    ///
    /// - Parameter values: The values by slot, as in an object of the entity.
    /// - Throws: ``ObjectStorageError`` if the table has the key or a unique value, or a write fails.
    package func insert(key: Int64, _ values: [StoredValue]) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Inserting object \(key) into “\(entity.name)”") {
            var values = values
            for slot in externalSlots {
                values[slot] = try LargeValueTable.insert(values[slot], in: database)
            }
            try writer.add(key: key, values)
        }
    }
}
