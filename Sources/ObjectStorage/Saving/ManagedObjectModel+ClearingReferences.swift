import GRDB

extension ManagedObjectModel {
    /// Clears the references to a row that is about to be deleted, if no foreign key of the library does so:
    /// in external tables, and in tables of the library that refer to them.
    ///
    /// - Returns: The number of rows changed and deleted.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/constraintViolation`` for a NOT NULL
    ///   column.
    func clearWhatLeads(
        to key: StoredValue, of entity: EntityDescription, in database: Database
    ) throws -> Int {
        guard hasExistingTables else { return 0 }
        var count = 0
        for other in entities where isKeptByHand(other.name, entity.name) {
            for relationship in other.ownRelationships
            where !relationship.isToMany
                && entity.sharesTable(withEntityNamed: relationship.destinationEntityName)
                && isCleared(relationship, by: entity)
            {
                let column = other.columnSQL(relationship.name)
                // Another entity of the hierarchy may have another reference in the column.
                let condition = other.concreteEntityCondition().map { " AND " + $0 } ?? ""
                do {
                    try database.run(
                        "UPDATE \(other.tableSQL) SET \(column) = NULL WHERE \(column) = ?1\(condition)",
                        [key])
                } catch let error as DatabaseError
                    where error.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL
                {
                    throw ObjectStorageError(
                        .constraintViolation,
                        "“\(entity.name)” \(key) cannot be deleted: “\(other.name).\(relationship.name)” leads to it, and its column must have a value (\(error.message ?? "")). "
                            + "Delete those objects as well: give the inverse relationship the delete rule cascade, or deny.",
                        entityName: other.name, propertyName: relationship.name
                    ).caused(by: error)
                }
                count += database.changesCount
            }
        }
        for table in linkTables
        where table.existing != nil || isKeptByHand(table.sourceEntityName, table.targetEntityName) {
            if table.isColumnOfTargets {
                guard entity.sharesTable(withEntityNamed: table.sourceEntityName) else { continue }
                let target = self.entity(named: table.targetEntityName)
                let condition = target?.concreteEntityCondition().map { " AND " + $0 } ?? ""
                try database.run(
                    "UPDATE \(table.tableSQL) SET \(table.sourceSQL) = NULL WHERE \(table.sourceSQL) = ?1\(condition)",
                    [key])
                count += database.changesCount
                continue
            }
            for (name, column) in [
                (table.sourceEntityName, table.sourceSQL), (table.targetEntityName, table.targetSQL),
            ] where entity.sharesTable(withEntityNamed: name) {
                try database.run("DELETE FROM \(table.tableSQL) WHERE \(column) = ?1", [key])
                count += database.changesCount
            }
        }
        return count
    }

    private func isCleared(_ relationship: RelationshipDescription, by entity: EntityDescription) -> Bool {
        relationship.inverseName.flatMap(entity.relationship(named:))?.deleteRule != .noAction
    }

    /// Returns the ranks of entities in an order in which an entity precedes the entities that it leads to,
    /// apart from cycles. Rows can be deleted in this order under foreign keys of external tables that are
    /// not deferred.
    func deletionRanks() -> [String: Int] {
        var finished: [String] = []
        var visited: Set<String> = []
        func visit(_ entity: EntityDescription) {
            guard visited.insert(entity.name).inserted else { return }
            for relationship in entity.toOneRelationships {
                if let next = self.entity(named: relationship.destinationEntityName) { visit(next) }
            }
            finished.append(entity.name)
        }
        for entity in entities { visit(entity) }
        return Dictionary(uniqueKeysWithValues: finished.reversed().enumerated().map { ($1, $0) })
    }
}

extension Sequence {
    /// Returns the rows to delete in an order that foreign keys of external tables allow: by the rank of
    /// their entities, and within an entity the row found last first.
    func inDeletionOrder(of model: ManagedObjectModel, entityName: (Element) -> String) -> [Element] {
        let ranks = model.deletionRanks()
        return reversed().enumerated().sorted { first, second in
            (ranks[entityName(first.element)] ?? 0, first.offset)
                < (ranks[entityName(second.element)] ?? 0, second.offset)
        }.map(\.element)
    }
}
