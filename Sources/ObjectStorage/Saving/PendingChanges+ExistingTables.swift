import GRDB

extension PendingChanges {
    /// Reads back the rows that were written to existing tables: a trigger may have changed them, and a
    /// column with another affinity stores another form.
    ///
    /// - Throws: ``ObjectStorageError`` for a new row that does not exist.
    func readBack(in database: Database, _ outcome: inout Outcome) throws {
        for object in inserted where object.entity.mapping != nil {
            guard let key = outcome.keys[object],
                let row = try Self.row(of: object, key: key, in: database)
            else {
                throw refusal(of: object, "it was not inserted, or was deleted or given another key at once")
            }
            outcome.rows[object] = .values(row)
        }
        for object in updated where object.entity.mapping != nil && outcome.rows[object]?.isGone != true {
            guard let key = object.rowKey else { continue }
            outcome.rows[object] =
                try Self.row(of: object, key: key, in: database).map { .values($0) } ?? .gone
        }
    }

    /// Throws an error if the row of a deleted object of an existing table still exists.
    func checkDeletion(of object: ManagedObject, key: Int64, in database: Database) throws {
        guard object.entity.mapping != nil else { return }
        guard try Self.row(of: object, key: key, in: database) == nil else {
            throw refusal(of: object, "it is still there after the DELETE")
        }
    }

    /// Returns the largest key in an entity's table that the changes refer to or write.
    ///
    /// The row with this key may have been deleted elsewhere. A new object with the same key would then be
    /// the destination of these references.
    func largestReference(to entity: EntityDescription) -> Int64 {
        var largest: Int64 = 0
        // Values that represent no object in some existing tables, instead of NULL, do not count.
        func note(_ key: Int64?) {
            if let key, key < ObjectID.firstUnsavedKey { largest = max(largest, key) }
        }
        for object in [inserted, updated].joined() {
            // A row that was deleted elsewhere may be inserted again.
            if object.entity.tableName == entity.tableName { note(object.rowKey) }
            let first = object.entity.storedAttributes.count
            for (position, relationship) in object.entity.toOneRelationships.enumerated()
            where entity.sharesTable(withEntityNamed: relationship.destinationEntityName) {
                let slot = first + position
                guard case .integer(let key) = object.values[slot],
                    object.committedValues?[slot] != object.values[slot]
                else { continue }
                note(key)
            }
        }
        for changes in links {
            for pair in changes.added.all {
                for end in [pair.source, pair.target] where entity.tableName == end.entity.tableName {
                    note(end.rowKey)
                }
            }
        }
        return largest
    }

    private func refusal(of object: ManagedObject, _ what: String) -> ObjectStorageError {
        ObjectStorageError(
            .constraintViolation,
            "\(object.objectID): a trigger of the existing table “\(object.entity.tableName)” rejected the change of the row: \(what). Nothing was saved.",
            entityName: object.entity.name, objectID: object.objectID)
    }
}

extension PendingChanges.Row {
    fileprivate var isGone: Bool { if case .gone = self { true } else { false } }
}

extension ManagedObjectModel {
    /// Clears the references to a row that is about to be deleted, if no foreign key of the library does so:
    /// in existing tables, and in tables of the library that refer to them.
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
                do {
                    try database.run(
                        "UPDATE \(other.tableSQL) SET \(column) = NULL WHERE \(column) = ?1", [key])
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
    /// apart from cycles. Rows can be deleted in this order under foreign keys of existing tables that are
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
    /// Returns the rows to delete in an order that foreign keys of existing tables allow: by the rank of
    /// their entities, and within an entity the row found last first.
    func inDeletionOrder(of model: ManagedObjectModel, entityName: (Element) -> String) -> [Element] {
        let ranks = model.deletionRanks()
        return reversed().enumerated().sorted { first, second in
            (ranks[entityName(first.element)] ?? 0, first.offset)
                < (ranks[entityName(second.element)] ?? 0, second.offset)
        }.map(\.element)
    }
}
