import GRDB

/// Checks of the objects to which relationships were set, and which may have been deleted elsewhere.
///
/// SQLite's foreign keys detect this at the end of the transaction, but do not report which relationship is
/// affected. A save therefore checks only after such a failure, and starts again; external tables may have no
/// foreign keys, so with them it checks every time.
extension PendingChanges {
    /// Returns the slots of to-one relationships that were set to rows that do not exist.
    ///
    /// - Parameter slots: The slots that the save writes.
    func danglingSlots(
        of object: ManagedObject, among slots: some Sequence<Int>, _ values: [StoredValue],
        in database: Database, _ outcome: inout Outcome
    ) throws -> [Int] {
        let first = object.entity.storedAttributes.count
        return try slots.filter { slot in
            let relationships = object.entity.toOneRelationships
            // Some external tables have a key that is not positive instead of NULL.
            guard relationships.indices.contains(slot - first), case .integer(let key) = values[slot],
                key > 0, container.model.references(relationships[slot - first]) != nil
            else { return false }
            // The row of a new object may not be inserted yet.
            if let target = object.assignedReferences[slot], target.rowKey == nil { return false }
            let destination = try destination(of: object, slot)
            let name = destination.tableName
            if let known = outcome.goneDestinations[name]?[key] { return known }
            let isGone =
                try !database.hasRow(key, of: destination) && !isRestored(key, of: destination)
            outcome.goneDestinations[name, default: [:]][key] = isGone
            return isGone
        }
    }

    /// Resolves relationships of a saved object that were set to objects that were deleted elsewhere.
    ///
    /// - Returns: Whether the object still has something to write.
    func settleDanglingSlots(
        of object: ManagedObject, _ key: Int64, committed: [StoredValue], _ values: inout [StoredValue],
        written: inout [Int], in database: Database, _ outcome: inout Outcome
    ) throws -> Bool {
        let dangling = try danglingSlots(of: object, among: written, values, in: database, &outcome)
        guard !dangling.isEmpty else { return true }
        outcome.missing.formUnion(try destinations(of: object, dangling, values))
        let present = try Self.row(of: object, key: key, in: database)
        let row = present?.replacing(outcome.givenUp[object] ?? [], from: committed)
        // If the object itself was deleted, that conflict is resolved instead.
        if row == nil, policy.winner != .context { return true }
        if let row, let present, policy == .storeWins {
            var settled = row
            for slot in dangling where hasInverseToOne(slot, of: object) {
                lead(object, slot, to: nil, nil, &settled)
            }
            let differing = settled.indices.filter { settled[$0] != present[$0] }
            if !differing.isEmpty {
                _ = try write(differing, of: settled, to: object, key: key, provided: [], in: database)
                outcome.writtenRows += database.changesCount
            }
            outcome.rows[object] = .values(settled)
            return false
        }
        let before = values
        for slot in dangling {
            let isTheStores = policy == .propertyByProperty(.store) && !hasInverseToOne(slot, of: object)
            lead(object, slot, to: isTheStores ? row?[slot] : nil, isTheStores ? row : nil, &values)
        }
        let isForbidden = try dangling.contains {
            try values[$0].isNull && isRequired($0, of: object, in: database)
        }
        if policy == .error || isForbidden {
            outcome.conflicts.append(
                MergeConflict(
                    .destinationDeletedInStore, object, dangling, read: committed, inStore: row,
                    inContext: before))
            return false
        }
        guard let row else { return true }
        written.removeAll { values[$0] != before[$0] && values[$0] == row[$0] }
        outcome.rows[object] = .values(values)
        return true
    }

    /// Resolves relationships of a new object that lead to objects that were deleted elsewhere.
    func settleDanglingSlots(
        ofNew object: ManagedObject, _ values: inout [StoredValue], in database: Database,
        _ outcome: inout Outcome
    ) throws {
        let dangling = try danglingSlots(of: object, among: values.indices, values, in: database, &outcome)
        guard !dangling.isEmpty else { return }
        outcome.missing.formUnion(try destinations(of: object, dangling, values))
        if try policy == .error || dangling.contains(where: { try isRequired($0, of: object, in: database) })
        {
            outcome.conflicts.append(
                MergeConflict(
                    .destinationDeletedInStore, object, dangling,
                    read: object.runtime.initialValues, inStore: nil, inContext: values))
            return
        }
        for slot in dangling { lead(object, slot, to: nil, nil, &values) }
        outcome.rows[object] = .values(values)
    }

    /// Returns the added pairs of which an object was deleted elsewhere.
    func danglingPairs(
        of changes: PendingLinks, in database: Database, _ outcome: inout Outcome
    ) throws -> Set<PendingLinks.Pair> {
        var dangling: Set<PendingLinks.Pair> = []
        let name = container.model.nameOfRelationship(of: changes.table)
        for pair in changes.added.all where !pair.source.isDeleted && !pair.target.isDeleted {
            let isGone = try [pair.source, pair.target].map { object in
                try object.rowKey.map { try !database.hasRow($0, of: object.entity) } ?? false
            }
            guard isGone.contains(true) else { continue }
            dangling.insert(pair)
            for (object, isGone) in zip([pair.source, pair.target], isGone) where isGone {
                outcome.missing.insert(object.objectID)
            }
            guard policy == .error else { continue }
            let kind: MergeConflict.Kind = isGone[0] ? .deletedInStore : .destinationDeletedInStore
            let property = MergeConflict.Property(
                name: name, valueRead: .null, valueInStore: nil,
                valueInContext: pair.target.rowKey.map(StoredValue.integer) ?? .null)
            outcome.conflicts.append(
                MergeConflict(kind: kind, objectID: pair.source.objectID, properties: [property]))
        }
        return dangling
    }

    /// Returns the identities of the objects that some relationships lead to.
    private func destinations(
        of object: ManagedObject, _ slots: [Int], _ values: [StoredValue]
    ) throws -> [ObjectID] {
        try slots.compactMap { slot in
            guard case .integer(let key) = values[slot] else { return nil }
            return ObjectID(entityName: try destination(of: object, slot).name, primaryKey: key)
        }
    }

    private func destination(of object: ManagedObject, _ slot: Int) throws -> EntityDescription {
        let position = slot - object.entity.storedAttributes.count
        return try container.model.requireEntity(
            named: object.entity.toOneRelationships[position].destinationEntityName)
    }

    /// Sets a relationship to a key, and the position in an ordered inverse to that of a row.
    private func lead(
        _ object: ManagedObject, _ slot: Int, to value: StoredValue?, _ row: [StoredValue]?,
        _ values: inout [StoredValue]
    ) {
        values[slot] = value ?? .null
        if let order = object.runtime.slot(ofOrderOf: object.runtime.slotNames[slot]) {
            values[order] = row?[order] ?? .null
        }
    }

    /// Returns whether a relationship's inverse is to-one as well. If so, the store's partner was unlinked
    /// when the relationship was set.
    private func hasInverseToOne(_ slot: Int, of object: ManagedObject) -> Bool {
        object.runtime.toOneInverses[slot - object.entity.storedAttributes.count] != nil
    }

    /// Returns whether a relationship is required by the model or by a NOT NULL column of an external table.
    private func isRequired(_ slot: Int, of object: ManagedObject, in database: Database) throws -> Bool {
        if object.runtime.requiredToOneRelationships.contains(where: { $0.slot == slot }) { return true }
        return try database.existingTableRequiresValue(inSlot: slot, of: object)
    }

    /// Returns whether this save inserts a row again that was deleted elsewhere.
    private func isRestored(_ key: Int64, of entity: EntityDescription) -> Bool {
        policy.winner == .context
            && updated.contains { $0.rowKey == key && $0.entity.sharesTable(withEntityNamed: entity.name) }
    }
}

extension ManagedObjectModel {
    /// Returns the name of the relationship that leads from the sources of a link table.
    fileprivate func nameOfRelationship(of table: LinkTable) -> String {
        let source = entity(named: table.sourceEntityName)
        let relationship = source?.relationships.first {
            guard let source, let end = linkEnd(of: $0, in: source) else { return false }
            return end.isForward && end.table == table
        }
        return relationship?.name ?? table.name
    }
}
