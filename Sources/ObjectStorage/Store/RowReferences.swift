import GRDB

/// The references of other rows to the rows of a table.
package struct RowReferences {
    private let entity: EntityDescription
    private let model: ManagedObjectModel
    private let database: Database
    /// The to-one relationships that lead to the rows.
    private let references: [Reference]
    /// The ends of the link tables whose pairs contain the rows.
    private let links: [LinkEnd]
    /// The columns of tables outside the model whose foreign keys lead to the rows.
    private let foreignColumns: [(table: String, column: String)]

    private struct Reference {
        let entity: EntityDescription
        let relationship: RelationshipDescription
        var columnSQL: String { entity.columnSQL(relationship.name) }
        /// The name in messages.
        var name: String { "\(entity.name).\(relationship.name)" }
    }

    /// Finds the references to the rows of an entity.
    ///
    /// - Parameter owned: The entities and to-one relationships of rows that belong to the rows. Their
    ///   references do not count.
    init(
        to entity: EntityDescription, of model: ManagedObjectModel,
        besides owned: [(entity: String, relationship: String)] = [], in database: Database
    ) throws {
        self.entity = entity
        self.model = model
        self.database = database
        references = model.entities.flatMap { other in
            other.ownRelationships.filter { relationship in
                !relationship.isToMany
                    && entity.sharesTable(withEntityNamed: relationship.destinationEntityName)
                    && !owned.contains { $0.entity == other.name && $0.relationship == relationship.name }
            }.map { Reference(entity: other, relationship: $0) }
        }
        links = model.linkEnds(of: entity)
        foreignColumns = entity.mapping == nil ? [] : try Self.foreignColumns(of: entity, model, in: database)
    }

    /// Returns the columns of tables outside the model whose foreign keys lead to the table of an entity.
    private static func foreignColumns(
        of entity: EntityDescription, _ model: ManagedObjectModel, in database: Database
    ) throws -> [(table: String, column: String)] {
        let known = Set(model.entities.map { $0.tableName.lowercased() })
            .union(model.linkEnds(of: entity).map { $0.table.name.lowercased() })
        return try database.rows(
            """
            SELECT t.name, f."from" FROM main.sqlite_schema t, pragma_foreign_key_list(t.name, 'main') f \
            WHERE t.type = 'table' AND f."table" = ?1 COLLATE NOCASE
            """, [.text(entity.tableName)]
        ).compactMap { row in
            guard case .text(let table) = row[0], case .text(let column) = row[1],
                !known.contains(table.lowercased())
            else { return nil }
            return (table, column)
        }
    }

    /// Returns the name of a relationship, or of a column outside the model, by which another row refers to a
    /// row, or nil if none does.
    func user(of key: Int64) throws -> String? {
        for reference in references {
            let found = try database.rows(
                "SELECT 1 FROM \(reference.entity.tableSQL) WHERE \(condition(of: reference)) LIMIT 1",
                [.integer(key)])
            if !found.isEmpty { return reference.name }
        }
        for link in links {
            let found = try database.rows(
                "SELECT 1 FROM \(link.table.tableSQL) WHERE \(link.ownColumn) = ?1 LIMIT 1", [.integer(key)])
            if !found.isEmpty { return link.table.name }
        }
        return try foreignUser(of: key)
    }

    /// Returns the name of a relationship, or of a column outside the model, by which another row refers to a
    /// row, or nil if none does.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func firstUser(of key: Int64) throws(ObjectStorageError) -> String? {
        try ObjectStorageError.translating("Looking up the users of “\(entity.name)”") { try user(of: key) }
    }

    /// Clears the references of other objects to a row that is about to be deleted.
    ///
    /// - Throws: ``ObjectStorageError`` if an object requires the row.
    func clearReferences(to key: Int64) throws {
        if let user = try foreignUser(of: key) {
            throw ObjectStorageError(
                .constraintViolation,
                "A row of “\(user)”, which the model does not have, refers to the object \(key) of “\(entity.name)”, so the object cannot be deleted. Nothing was undone. Delete that row, or keep changed rows.",
                entityName: entity.name)
        }
        for reference in references where model.references(reference.relationship) != nil {
            let (other, relationship) = (reference.entity, reference.relationship)
            let condition = condition(of: reference)
            if !relationship.isOptional {
                let found = try database.rows(
                    "SELECT \(other.keySQL) FROM \(other.tableSQL) WHERE \(condition) LIMIT 1",
                    [.integer(key)])
                if case .integer(let user)? = found.first?.first {
                    throw ObjectStorageError(
                        .missingValue,
                        "“\(other.name)” \(user) requires the object \(key) of “\(entity.name)” as its “\(relationship.name)”, so the object cannot be deleted. Nothing was undone. Delete the object that requires it, or keep changed rows.",
                        entityName: other.name, propertyName: relationship.name)
                }
            }
            var assignments = ["\(reference.columnSQL) = NULL"]
            if other.orderedToOneNames.contains(relationship.name) {
                let position = EntityDescription.orderColumnName(ofToOneNamed: relationship.name)
                assignments.append("\(other.columnSQL(position)) = NULL")
            }
            try database.run(
                "UPDATE \(other.tableSQL) SET \(assignments.joined(separator: ", ")) WHERE \(condition)",
                [.integer(key)])
        }
        for link in links where !link.table.isColumnOfTargets {
            try database.run(
                "DELETE FROM \(link.table.tableSQL) WHERE \(link.ownColumn) = ?1", [.integer(key)])
        }
    }

    /// Returns the table and the column of a row outside the model that refers to a row, or nil.
    private func foreignUser(of key: Int64) throws -> String? {
        for (table, column) in foreignColumns {
            let found = try database.rows(
                "SELECT 1 FROM main.\(table.quotedIdentifier) WHERE \(column.quotedIdentifier) = ?1 LIMIT 1",
                [.integer(key)])
            if !found.isEmpty { return "\(table).\(column)" }
        }
        return nil
    }

    /// Returns the condition of rows that refer to the row whose key is the first parameter, except itself.
    private func condition(of reference: Reference) -> String {
        let other = reference.entity
        let own = other.tableName == entity.tableName ? " AND \(other.keySQL) <> ?1" : ""
        let concrete = other.concreteEntityCondition().map { " AND " + $0 } ?? ""
        return "\(reference.columnSQL) = ?1\(own)\(concrete)"
    }
}

extension BatchWriter {
    /// Returns the references of other rows to the rows of an entity.
    ///
    /// - Parameter owned: The entities and to-one relationships of rows that belong to the rows. Their
    ///   references do not count.
    /// - Throws: ``ObjectStorageError`` if the store has no such entity, or cannot be read.
    package func references(
        toEntityNamed name: String, besides owned: [(entity: String, relationship: String)]
    ) throws(ObjectStorageError) -> RowReferences {
        let entity = try container.model.requireEntity(named: name)
        return try ObjectStorageError.translating("Reading the references to “\(name)”") {
            try RowReferences(to: entity, of: container.model, besides: owned, in: database)
        }
    }
}
