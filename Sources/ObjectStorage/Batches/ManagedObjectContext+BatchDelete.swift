import GRDB

extension ManagedObjectContext {
    /// Deletes all objects of a request, without creating them in memory, in one transaction.
    ///
    /// The deletion applies to the store: unsaved changes are not included. Delete rules are carried out:
    /// relationships that lead to a deleted object are cleared, a cascade rule deletes further objects, and a
    /// deny rule makes the whole batch fail. If the entity has only nullify rules, the batch is one
    /// statement.
    ///
    /// - Parameters:
    ///   - request: The request that selects the objects. Its limit and offset apply, in its order.
    ///   - resultType: The kind of result. Objects that a rule deleted are included in the result's changes
    ///     but not in its count.
    /// - Throws: ``ObjectStorageError`` if the request does not fit the model, a rule denies a deletion
    ///   (``ObjectStorageError/Code/deletionDenied``), an object would lose a required relationship
    ///   (``ObjectStorageError/Code/missingValue``) or have too few related objects, or the write fails.
    ///   Nothing is deleted then.
    /// - Complexity: That of SQLite's statement; with delete rules, also O(*d* log *n*) for *d* deleted
    ///   objects in tables of *n* rows.
    @discardableResult
    public func batchDelete<Object: ManagedObject>(
        _ request: FetchRequest<Object>, resultType: BatchResultType = .count
    ) throws(ObjectStorageError) -> BatchResult {
        let entity = try runtime(for: request).description
        let compiled = try container.compile(request.description, columns: .keys)
        let family = container.model.family(of: entity)
        guard !container.model.hasExistingTables,
            family.flatMap(\.relationships).allSatisfy({ $0.deleteRule == .nullify }),
            !container.reachedRows.areReached(byDeleting: entity)
        else {
            return try deleteByRules(request.description, of: entity, resultType)
        }
        let sql =
            "DELETE FROM \(entity.tableSQL) WHERE \(entity.keySQL) IN (\(compiled.sql))"
        let ((count, objectIDs), tables) = try container.commit("Deleting from “\(entity.name)”") {
            try $0.runBatch(sql, compiled.arguments, entity, resultType)
        }
        var changes = StoreChanges(deletedObjectIDs: Set(objectIDs))
        let leadsToItself = container.model.entities.contains { other in
            other.sharesTable(withEntityNamed: entity.name)
                && other.toOneRelationships.contains {
                    entity.sharesTable(withEntityNamed: $0.destinationEntityName)
                }
        }
        if count > 0, resultType == .count || leadsToItself {
            let names = leadsToItself ? entity.hierarchy?.memberNames : entity.familyNames
            changes.changedEntityNames = Set(names ?? [entity.name])
        }
        return publish(count: count, objectIDs: objectIDs, changes: changes, tables: tables)
    }

    private func deleteByRules(
        _ request: RequestDescription, of entity: EntityDescription, _ resultType: BatchResultType
    ) throws(ObjectStorageError) -> BatchResult {
        let model = container.model
        let compiled = try container.compile(request, columns: .identities)
        let ((objectIDs, plan), tables) = try container.commit("Deleting from “\(entity.name)”") { database in
            let objectIDs = try database.rows(compiled.sql, compiled.arguments).compactMap {
                ObjectID($0, of: entity)
            }
            var plan = DeletionPlan(model: model)
            try plan.add(objectIDs, in: database)
            try plan.carryOut(in: database)
            return (objectIDs, plan)
        }
        let deleted = plan.objectIDs
        var changes = StoreChanges(deletedObjectIDs: resultType == .objectIDs ? deleted : [])
        // Other objects of the same entities may have led to them.
        for name in Set(deleted.map(\.entityName)) {
            let entity = model.entity(named: name)
            changes.changedEntityNames.formUnion(entity?.hierarchy?.memberNames ?? [name])
        }
        return publish(
            count: objectIDs.count, objectIDs: resultType == .objectIDs ? objectIDs : [], changes: changes,
            tables: tables)
    }
}

/// The rows that a batch deletes, including those that delete rules add.
private struct DeletionPlan {
    let model: ManagedObjectModel
    /// The rows in the order in which they were found.
    private var rowsToDelete: [ObjectID] = []
    private(set) var objectIDs: Set<ObjectID> = []

    init(model: ManagedObjectModel) { self.model = model }

    /// Adds rows, and the rows that cascade rules delete with them.
    mutating func add(_ rows: [ObjectID], in database: Database) throws {
        var waiting = rows
        while let objectID = waiting.popLast() {
            guard objectIDs.insert(objectID).inserted else { continue }
            rowsToDelete.append(objectID)
            let entity = try model.requireEntity(named: objectID.entityName)
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                waiting += try related(to: objectID, relationship, of: entity, in: database)
            }
        }
    }

    /// Deletes the rows if no rule denies the deletion.
    func carryOut(in database: Database) throws {
        for objectID in rowsToDelete {
            let entity = try model.requireEntity(named: objectID.entityName)
            for relationship in entity.relationships where relationship.deleteRule == .deny {
                try deny(objectID, relationship, of: entity, in: database)
            }
        }
        var reachedRows = ReachedRows(of: model)
        let ordered =
            model.hasExistingTables ? rowsToDelete.inDeletionOrder(of: model) { $0.entityName } : rowsToDelete
        for objectID in ordered {
            let entity = try model.requireEntity(named: objectID.entityName)
            let key = objectID.primaryKey.map(StoredValue.integer) ?? .null
            if let key = objectID.primaryKey {
                try reachedRows.noteDeletion(of: key, entity, in: database)
            }
            _ = try model.clearWhatLeads(to: key, of: entity, in: database)
            try database.run("DELETE FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", [key])
        }
        try reachedRows.check(in: database, "Nothing was deleted.")
    }

    private func deny(
        _ objectID: ObjectID, _ relationship: RelationshipDescription, of entity: EntityDescription,
        in database: Database
    ) throws {
        let left = try related(to: objectID, relationship, of: entity, in: database).filter {
            !objectIDs.contains($0)
        }
        guard !left.isEmpty else { return }
        throw ObjectStorageError(
            .deletionDenied,
            "\(objectID) cannot be deleted while “\(relationship.name)” leads to \(left.count) object(s). Nothing was deleted; delete or reassign them first.",
            entityName: entity.name, propertyName: relationship.name, objectID: objectID)
    }

    /// Returns the rows at the other end of a relationship.
    private func related(
        to objectID: ObjectID, _ relationship: RelationshipDescription, of entity: EntityDescription,
        in database: Database
    ) throws -> [ObjectID] {
        let destination = try model.requireEntity(named: relationship.destinationEntityName)
        let identity = destination.identityColumns()
        let entityCondition = destination.concreteEntityCondition().map { " AND " + $0 } ?? ""
        let key = objectID.primaryKey.map(StoredValue.integer) ?? .null
        guard relationship.isToMany else {
            let column = entity.columnSQL(relationship.name)
            return try database.rows(
                "SELECT \(identity) FROM \(destination.tableSQL) WHERE \(destination.keySQL) = "
                    + "(SELECT \(column) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1)\(entityCondition)",
                [key]
            ).compactMap { ObjectID($0, of: destination) }
        }
        // A relationship without a link table has a to-one inverse.
        let condition =
            if let end = model.linkEnd(of: relationship, in: entity) {
                "\(destination.keySQL) IN (SELECT \(end.otherColumn) FROM \(end.table.tableSQL) WHERE \(end.ownColumn) = ?1)"
            } else {
                "\(destination.columnSQL(relationship.inverseName ?? "")) = ?1"
            }
        return try database.rows(
            "SELECT \(identity) FROM \(destination.tableSQL) WHERE \(condition)\(entityCondition)", [key]
        ).compactMap { ObjectID($0, of: destination) }
    }
}
