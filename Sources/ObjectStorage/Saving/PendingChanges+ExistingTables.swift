import GRDB

extension PendingChanges {
    /// Reads back what was written to somebody else's tables: a trigger may have changed it, and a column of
    /// another affinity keeps another form.
    ///
    /// - Throws: ``ObjectStorageError`` for a new row that is not there.
    func readBack(in database: Database, _ outcome: inout Outcome) throws {
        for object in inserted where object.entity.mapping != nil {
            guard let key = outcome.keys[object],
                let row = try Self.row(of: object, key: key, in: database)
            else { throw refusal(of: object, "it was not inserted, or at once deleted or given another key") }
            outcome.rows[object] = .values(row)
        }
        for object in updated where object.entity.mapping != nil && outcome.rows[object]?.isGone != true {
            guard let key = object.rowKey else { continue }
            outcome.rows[object] =
                try Self.row(of: object, key: key, in: database).map { .values($0) } ?? .gone
        }
    }

    /// Makes sure that the row of a deleted object of somebody else's table is gone.
    func checkDeletion(of object: ManagedObject, key: Int64, in database: Database) throws {
        guard object.entity.mapping != nil else { return }
        guard try Self.row(of: object, key: key, in: database) == nil else {
            throw refusal(of: object, "it is still there after its deletion")
        }
    }

    /// The largest key in an entity's table that the changes lead to or write.
    ///
    /// Its row may have been deleted elsewhere, and a new object with its key would be led to in its place.
    func largestReference(to entity: EntityDescription) -> Int64 {
        var largest: Int64 = 0
        // What stands there instead of a key, as some owners have it, uses up no keys.
        func note(_ key: Int64?) {
            if let key, key < ObjectID.firstUnsavedKey { largest = max(largest, key) }
        }
        for object in [inserted, updated].joined() {
            // A row that was deleted elsewhere may be written again.
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
            "\(object.objectID): a trigger of the owner of table “\(object.entity.tableName)” refused the row: \(what). Nothing was saved.",
            entityName: object.entity.name, objectID: object.objectID)
    }
}

extension PendingChanges.Row {
    fileprivate var isGone: Bool { if case .gone = self { true } else { false } }
}

extension ManagedObjectModel {
    /// Makes whatever leads to a row that is about to be deleted lead nowhere, where SQLite does not do it by
    /// a foreign key of ours: in somebody else's tables, and in ours where they lead to such.
    ///
    /// - Returns: The number of rows changed and deleted.
    /// - Throws: ``ObjectStorageError`` with ``ObjectStorageError/Code/constraintViolation`` for a column
    ///   that must lead somewhere.
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
                        "“\(other.name).\(relationship.name)” leads to “\(entity.name)” \(key), which is to be deleted, and its column must have a value (\(error.message ?? "")). "
                            + "Delete those objects as well: give the inverse relationship the rule cascade, or deny.",
                        entityName: other.name, propertyName: relationship.name)
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

    /// The places of entities in an order in which one that leads to another comes before it, as far as none
    /// lead in circles: the order in which rows can be deleted under foreign keys that an owner does not let
    /// wait.
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
    /// The rows to delete in an order for somebody else's foreign keys: what was found last comes first,
    /// within the ranks of its entity.
    func inDeletionOrder(of model: ManagedObjectModel, entityName: (Element) -> String) -> [Element] {
        let ranks = model.deletionRanks()
        return reversed().enumerated().sorted { first, second in
            (ranks[entityName(first.element)] ?? 0, first.offset)
                < (ranks[entityName(second.element)] ?? 0, second.offset)
        }.map(\.element)
    }
}
