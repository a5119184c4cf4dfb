import GRDB

extension MigrationPlan {
    /// Stores the pairs of objects of all relationships that move, before their tables are replaced.
    func notePairs(in database: Database) throws {
        for (number, move) in moves.enumerated() {
            let table = Self.pairTable(number)
            try database.run(
                "CREATE TABLE \(table) (own INTEGER, other INTEGER, place INTEGER, otherPlace INTEGER)")
            try database.run("INSERT INTO \(table) \(move.pairsSQL)")
            try database.run(
                "CREATE INDEX main.\"sc_pairs_\(number)_own\" ON \"sc_pairs_\(number)\" (own, other)")
        }
    }

    /// Writes the stored pairs to their new tables and columns.
    func writePairs(in database: Database) throws {
        for (number, move) in moves.enumerated() {
            let table = Self.pairTable(number)
            if let end = move.linkEnd {
                try write(table, to: end, in: database)
            } else {
                try write(table, to: move.relationship, of: move.entity, in: database)
            }
            try database.run("DROP TABLE \(table)")
        }
    }

    /// Returns the name of a temporary table of pairs, which no entity can have.
    private static func pairTable(_ number: Int) -> String { "main.\"sc_pairs_\(number)\"" }

    private func write(_ pairs: String, to end: LinkEnd, in database: Database) throws {
        try PersistentContainer.createLinkTable(end.table, of: model, in: database)
        try insert(pairs, into: end, in: database)
        // A relationship that is its own inverse stores each pair in both directions.
        if end.table.isSymmetric { try insert(pairs, into: end.opposite, in: database) }
    }

    private func insert(_ pairs: String, into end: LinkEnd, in database: Database) throws {
        let values = [
            (end.ownColumn, "own"), (end.otherColumn, "other"), (end.positionColumn, "place"),
            (end.opposite.positionColumn, "otherPlace"),
        ].compactMap { column, value in column.map { ($0, value) } }
        try database.run(
            "INSERT OR IGNORE INTO \(end.table.tableSQL) (\(values.map(\.0).joined(separator: ", "))) SELECT \(values.map(\.1).joined(separator: ", ")) FROM \(pairs)"
        )
    }

    private func write(
        _ pairs: String, to relationship: RelationshipDescription, of entity: EntityDescription,
        in database: Database
    ) throws {
        let crowded = try database.rows(
            "SELECT own, count(DISTINCT other) FROM \(pairs) GROUP BY own HAVING count(DISTINCT other) > 1 LIMIT 1"
        ).first
        if let crowded, case .integer(let key) = crowded[0], case .integer(let count) = crowded[1] {
            let objectID = ObjectID(entityName: entity.name, primaryKey: key)
            throw ObjectStorageError(
                .modelMismatch,
                "Relationship “\(relationship.name)” of entity “\(entity.name)” leads to one “\(relationship.destinationEntityName)” in the model, but \(objectID) has \(count) in the store. Nothing was changed; make the relationship to-many, or remove all but one with the model that the store was made with.",
                entityName: entity.name, propertyName: relationship.name, objectID: objectID)
        }
        let column = entity.columnSQL(relationship.name)
        var assignments = [(column, "other")]
        if entity.orderedToOneNames.contains(relationship.name) {
            let name = EntityDescription.orderColumnName(ofToOneNamed: relationship.name)
            assignments.append((entity.columnSQL(name), "otherPlace"))
        }
        let words = assignments.map {
            "\($0.0) = (SELECT \($0.1) FROM \(pairs) WHERE own = objectID LIMIT 1)"
        }
        do {
            // Values that a step made are kept.
            try database.run(
                "UPDATE \(entity.tableSQL) SET \(words.joined(separator: ", ")) WHERE \(column) IS NULL AND objectID IN (SELECT own FROM \(pairs))"
            )
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw Self.notUnique(entity.name, error)
        }
    }

    /// Returns the error for duplicate values that the new model requires to be unique.
    static func notUnique(_ entityName: String, _ error: DatabaseError) -> ObjectStorageError {
        ObjectStorageError(
            .duplicateValue,
            "Entity “\(entityName)”: the model requires unique values, but the store has duplicates (\(error.message ?? "")). Nothing was changed; write a MigrationStep that makes them differ.",
            entityName: entityName
        ).caused(by: error)
    }
}
