import GRDB

extension PendingChanges {
    /// Makes the ends of one-to-one relationships agree in the store if another context linked one end to
    /// another object.
    ///
    /// Each end has a column, and a save resolves each column separately. If the other end agrees with an end
    /// that this save wrote, any other references to either object are cleared. Otherwise the end that this
    /// save wrote is cleared.
    func settlePartners(in database: Database, _ outcome: inout Outcome) throws {
        for object in updated + inserted where object.runtime.hasPartners {
            for (position, inverse) in object.runtime.toOneInverses.enumerated() {
                let relationship = object.entity.toOneRelationships[position]
                guard let inverse, let key = object.rowKey ?? outcome.keys[object],
                    let partners = container.model.entity(named: relationship.destinationEntityName),
                    let owners = container.model.entity(
                        named: object.entity.declaringEntityName(ofRelationshipNamed: relationship.name)),
                    partners.mapping == nil, owners.mapping == nil
                else { continue }
                let slot = object.entity.storedAttributes.count + position
                var values: [StoredValue]
                switch outcome.rows[object] {
                case .values(let row)?: values = row
                case .gone?: continue
                case nil:
                    values = Self.resolvedValues(of: object, keys: outcome.keys)
                    guard values[slot] != object.committedValues?[slot] ?? .null else { continue }
                }
                let (own, back) = (owners.columnSQL(relationship.name), partners.columnSQL(inverse))
                if !values[slot].isNull {
                    let agrees = try database.rows(
                        "SELECT 1 FROM \(partners.tableSQL) WHERE \(partners.keySQL) = ?1 AND \(back) = ?2",
                        [values[slot], .integer(key)])
                    if agrees.isEmpty {
                        guard relationship.isOptional else {
                            throw Self.partnerIsGone(object.objectID, relationship.name)
                        }
                        try database.run(
                            "UPDATE \(owners.tableSQL) SET \(own) = NULL WHERE \(owners.keySQL) = ?1",
                            [.integer(key)])
                        outcome.writtenRows += database.changesCount
                        values[slot] = .null
                        outcome.rows[object] = .values(values)
                    } else {
                        try clear(
                            relationship.name, of: owners, leadingTo: values[slot], except: .integer(key),
                            in: database, &outcome)
                    }
                }
                try clear(
                    inverse, of: partners, leadingTo: .integer(key), except: values[slot], in: database,
                    &outcome)
            }
        }
    }

    /// Clears a relationship in all rows in which it has a key, except for one object.
    private func clear(
        _ name: String, of entity: EntityDescription, leadingTo key: StoredValue, except kept: StoredValue,
        in database: Database, _ outcome: inout Outcome
    ) throws {
        let column = entity.columnSQL(name)
        let condition = "\(column) = ?1 AND \(entity.keySQL) IS NOT ?2"
        let rows = try database.rows(
            "SELECT \(entity.identityColumns()) FROM \(entity.tableSQL) WHERE \(condition)",
            [key, kept])
        guard !rows.isEmpty else { return }
        let objectIDs = rows.compactMap { ObjectID($0, of: entity) }
        if let first = objectIDs.first, entity.relationship(named: name)?.isOptional == false {
            throw Self.partnerIsGone(first, name)
        }
        try database.run("UPDATE \(entity.tableSQL) SET \(column) = NULL WHERE \(condition)", [key, kept])
        outcome.writtenRows += database.changesCount
        outcome.nullified += objectIDs
        outcome.lostPartners += objectIDs.map { ($0, name) }
    }

    private static func partnerIsGone(_ objectID: ObjectID, _ name: String) -> ObjectStorageError {
        ObjectStorageError(
            .conflict,
            "“\(name)” of \(objectID) is required, but the object that it leads to was linked to another object by another context. Nothing was saved; merge the changes committed elsewhere, and then set the relationship to another object or delete \(objectID).",
            entityName: objectID.entityName, propertyName: name, objectID: objectID)
    }
}
