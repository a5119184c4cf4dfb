import GRDB

/// A table whose rows an undo deletes or restores, with the references to them.
struct UndoneTable {
    let rows: BatchTable
    /// The name of the table, which several entities may share.
    var name: String { rows.entity.tableName }
    private let model: ManagedObjectModel
    /// The to-one relationships that lead to the rows.
    private let references: [Reference]
    /// The tables with pairs of which one part is a row.
    private let links: [LinkEnd]

    private struct Reference {
        let entity: EntityDescription
        let relationship: RelationshipDescription
        var columnSQL: String { entity.columnSQL(relationship.name) }
    }

    init(_ rows: BatchTable, _ model: ManagedObjectModel) {
        self.rows = rows
        self.model = model
        references = model.entities.flatMap { entity in
            entity.ownRelationships.filter {
                !$0.isToMany && rows.entity.sharesTable(withEntityNamed: $0.destinationEntityName)
            }.map { Reference(entity: entity, relationship: $0) }
        }
        links = model.linkEnds(of: rows.entity)
    }

    /// Returns the positions of columns in a row.
    ///
    /// - Throws: ``ObjectStorageError`` if the entity does not have a column anymore.
    func positions(_ names: [String]) throws(ObjectStorageError) -> [Int] {
        try names.map { name throws(ObjectStorageError) in
            guard let position = rows.columns.firstIndex(of: name) else {
                throw ObjectStorageError(
                    .modelMismatch,
                    "“\(rows.entity.name)” has no property “\(name)” anymore, which the import wrote. The import cannot be undone. Restore the earlier model, or delete the rows.",
                    entityName: rows.entity.name, propertyName: name)
            }
            return position
        }
    }

    /// Returns the name of a relationship by which another object uses a row, or nil if none does.
    func user(of key: Int64) throws -> String? {
        for reference in references {
            let entity = reference.entity
            // An object may refer to itself.
            let own = entity.tableName == name ? " AND \(entity.keySQL) <> ?1" : ""
            let found = try database.rows(
                "SELECT 1 FROM \(entity.tableSQL) WHERE \(reference.columnSQL) = ?1\(own)\(condition(of: reference)) LIMIT 1",
                [.integer(key)])
            if !found.isEmpty { return "\(entity.name).\(reference.relationship.name)" }
        }
        for link in links {
            let found = try database.rows(
                "SELECT 1 FROM \(link.table.tableSQL) WHERE \(link.ownColumn) = ?1 LIMIT 1", [.integer(key)])
            if !found.isEmpty { return link.table.name }
        }
        return nil
    }

    /// Clears the references of other objects to a row that is about to be deleted.
    ///
    /// - Throws: ``ObjectStorageError`` if an object requires the row.
    func clearReferences(to key: Int64) throws {
        for reference in references where model.references(reference.relationship) != nil {
            let (entity, relationship) = (reference.entity, reference.relationship)
            let own = entity.tableName == name ? " AND \(entity.keySQL) <> ?1" : ""
            let condition = "\(reference.columnSQL) = ?1\(own)\(condition(of: reference))"
            if !relationship.isOptional {
                let found = try database.rows(
                    "SELECT \(entity.keySQL) FROM \(entity.tableSQL) WHERE \(condition) LIMIT 1",
                    [.integer(key)])
                if case .integer(let other)? = found.first?.first {
                    throw ObjectStorageError(
                        .missingValue,
                        "“\(entity.name)” \(other) requires the object \(key) of “\(rows.entity.name)” as its “\(relationship.name)”, so the object cannot be deleted. Nothing was undone. Delete the object that requires it, or keep changed rows.",
                        entityName: entity.name, propertyName: relationship.name)
                }
            }
            var assignments = ["\(reference.columnSQL) = NULL"]
            if entity.orderedToOneNames.contains(relationship.name) {
                let position = EntityDescription.orderColumnName(ofToOneNamed: relationship.name)
                assignments.append("\(entity.columnSQL(position)) = NULL")
            }
            try database.run(
                "UPDATE \(entity.tableSQL) SET \(assignments.joined(separator: ", ")) WHERE \(condition)",
                [.integer(key)])
        }
        for link in links where !link.table.isColumnOfTargets {
            try database.run(
                "DELETE FROM \(link.table.tableSQL) WHERE \(link.ownColumn) = ?1", [.integer(key)])
        }
    }

    /// Returns the name of a relationship whose object does not exist, or nil.
    func missingObject(_ values: [(column: Int, value: StoredValue)]) throws -> String? {
        try values.first { try isMissing($0.value, column: $0.column) }.map { rows.columns[$0.column] }
    }

    /// Returns values without the keys of objects that do not exist.
    ///
    /// - Throws: ``ObjectStorageError`` if the relationship is required.
    func withoutMissingObjects(
        _ values: [(column: Int, value: StoredValue)]
    ) throws -> [(column: Int, value: StoredValue)] {
        try values.map { column, value in
            guard try isMissing(value, column: column) else { return (column, value) }
            let name = rows.columns[column]
            guard rows.entity.relationship(named: name)?.isOptional != false else {
                throw ObjectStorageError(
                    .missingValue,
                    "The earlier object of “\(rows.entity.name).\(name)”, which is required, does not exist anymore. Nothing was undone. Keep changed rows.",
                    entityName: rows.entity.name, propertyName: name)
            }
            return (column, .null)
        }
    }

    private func isMissing(_ value: StoredValue, column: Int) throws -> Bool {
        guard column >= rows.entity.storedAttributes.count, case .integer(let key) = value,
            let relationship = rows.entity.relationship(named: rows.columns[column]),
            model.references(relationship) != nil,
            let other = model.entity(named: relationship.destinationEntityName)
        else { return false }
        return try database.rows(
            "SELECT 1 FROM \(other.tableSQL) WHERE \(other.keySQL) = ?1", [.integer(key)]
        ).isEmpty
    }

    private var database: Database { rows.database }

    private func condition(of reference: Reference) -> String {
        reference.entity.concreteEntityCondition().map { " AND " + $0 } ?? ""
    }
}
