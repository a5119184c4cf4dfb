import GRDB

extension ManagedObjectContext {
    /// Deletes all objects of a request, without reading them, in one transaction.
    ///
    /// It is about the store: unsaved changes take no part in it. Delete rules hold: relationships that lead to a deleted object
    /// are cleared, a rule that cascades deletes further objects, and one that denies fails the whole batch. Where the
    /// entity has no rule but to nullify, it is one statement.
    ///
    /// - Parameters:
    ///   - request: Which objects. Its limit and offset count, with its order.
    ///   - resultType: What to tell. Objects that a rule deleted are in the result's changes and not in its count.
    /// - Throws: ``ObjectStorageError``: a request that the model cannot answer, ``ObjectStorageError/Code/deletionDenied``, or a
    ///   failed write. Then nothing was deleted.
    @discardableResult
    public func batchDelete<Object: ManagedObject>(
        _ request: FetchRequest<Object>, resultType: BatchResultType = .count
    ) throws(ObjectStorageError) -> BatchResult {
        let entity = try runtime(for: request).description
        let compiled = try container.compile(request.description, columns: .keys)
        guard !container.model.hasExistingTables,
            entity.relationships.allSatisfy({ $0.deleteRule == .nullify })
        else {
            return try deleteByRules(compiled, of: entity, resultType)
        }
        let sql =
            "DELETE FROM \(entity.tableSQL) WHERE \(entity.keySQL) IN (\(compiled.sql))"
        let ((count, objectIDs), tables) = try container.commit("Deleting from “\(entity.name)”") {
            try $0.runBatch(sql, compiled.arguments, entity, resultType)
        }
        var changes = StoreChanges(deletedObjectIDs: Set(objectIDs))
        let leadsToItself = entity.toOneRelationships.contains { $0.destinationEntityName == entity.name }
        if count > 0, resultType == .count || leadsToItself { changes.changedEntityNames = [entity.name] }
        return publish(count: count, objectIDs: objectIDs, changes: changes, tables: tables)
    }

    private func deleteByRules(
        _ compiled: CompiledRequest, of entity: EntityDescription, _ resultType: BatchResultType
    ) throws(ObjectStorageError) -> BatchResult {
        let model = container.model
        let ((keys, plan), tables) = try container.commit("Deleting from “\(entity.name)”") { database in
            let keys = try database.rows(compiled.sql, compiled.arguments).compactMap(\.first)
            var plan = DeletionPlan(model: model)
            try plan.add(keys, of: entity, in: database)
            try plan.carryOut(in: database)
            return (keys, plan)
        }
        let deleted = plan.objectIDs
        var changes = StoreChanges(deletedObjectIDs: resultType == .objectIDs ? deleted : [])
        // Others of the same entities may have led to them.
        if !deleted.isEmpty { changes.changedEntityNames = Set(deleted.map(\.entityName)) }
        let objectIDs = keys.compactMap { key -> ObjectID? in
            guard case .integer(let key) = key else { return nil }
            return ObjectID(entityName: entity.name, primaryKey: key)
        }
        return publish(
            count: objectIDs.count, objectIDs: resultType == .objectIDs ? objectIDs : [], changes: changes,
            tables: tables)
    }
}

/// The rows that a batch deletes, with those that delete rules add.
private struct DeletionPlan {
    let model: ManagedObjectModel
    /// The keys by entity, in the order in which they were found.
    private var doomed: [(entity: EntityDescription, keys: [StoredValue])] = []
    private(set) var objectIDs: Set<ObjectID> = []

    init(model: ManagedObjectModel) { self.model = model }

    /// Adds rows, and all that deleting them deletes.
    mutating func add(_ keys: [StoredValue], of entity: EntityDescription, in database: Database) throws {
        var waiting = [(entity, keys)]
        while let (entity, keys) = waiting.popLast() {
            let new = keys.filter { key in
                guard case .integer(let key) = key else { return false }
                return objectIDs.insert(ObjectID(entityName: entity.name, primaryKey: key)).inserted
            }
            guard !new.isEmpty else { continue }
            doomed.append((entity, new))
            for relationship in entity.relationships where relationship.deleteRule == .cascade {
                let destination = try model.requireEntity(named: relationship.destinationEntityName)
                for key in new {
                    waiting.append(
                        (destination, try related(to: key, relationship, of: entity, in: database)))
                }
            }
        }
    }

    /// Deletes the rows, if no rule denies it.
    func carryOut(in database: Database) throws {
        for (entity, keys) in doomed {
            for relationship in entity.relationships where relationship.deleteRule == .deny {
                for key in keys {
                    try deny(key, relationship, of: entity, in: database)
                }
            }
        }
        let ordered =
            model.hasExistingTables ? doomed.inDeletionOrder(of: model) { $0.entity.name } : doomed
        for (entity, keys) in ordered {
            for key in keys {
                _ = try model.clearWhatLeads(to: key, of: entity, in: database)
                try database.run(
                    "DELETE FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", [key])
            }
        }
    }

    private func deny(
        _ key: StoredValue, _ relationship: RelationshipDescription, of entity: EntityDescription,
        in database: Database
    ) throws {
        let left = try related(to: key, relationship, of: entity, in: database).filter {
            guard case .integer(let key) = $0 else { return false }
            return !objectIDs.contains(
                ObjectID(entityName: relationship.destinationEntityName, primaryKey: key))
        }
        guard !left.isEmpty, case .integer(let key) = key else { return }
        let objectID = ObjectID(entityName: entity.name, primaryKey: key)
        throw ObjectStorageError(
            .deletionDenied,
            "\(objectID) cannot be deleted while “\(relationship.name)” leads to \(left.count) object(s). Nothing was deleted; delete or reassign them first.",
            entityName: entity.name, propertyName: relationship.name, objectID: objectID)
    }

    /// The keys of the rows at the other end of a relationship.
    private func related(
        to key: StoredValue, _ relationship: RelationshipDescription, of entity: EntityDescription,
        in database: Database
    ) throws -> [StoredValue] {
        guard relationship.isToMany else {
            return try database.rows(
                "SELECT \(entity.columnSQL(relationship.name)) FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1",
                [key]
            ).compactMap(\.first).filter { !$0.isNull }
        }
        let destination = try model.requireEntity(named: relationship.destinationEntityName)
        guard let inverse = relationship.inverseName,
            destination.toOneRelationships.contains(where: { $0.name == inverse })
        else {
            throw ObjectStorageError(
                .invalidRequest,
                "The delete rule of “\(entity.name).\(relationship.name)” cannot be kept by a batch delete, because its inverse is no to-one relationship. Delete the objects with a context.",
                entityName: entity.name, propertyName: relationship.name)
        }
        return try database.rows(
            "SELECT \(destination.keySQL) FROM \(destination.tableSQL) WHERE \(destination.columnSQL(inverse)) = ?1",
            [key]
        ).compactMap(\.first)
    }
}
