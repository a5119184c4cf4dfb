import GRDB

/// What relationships were made to lead to may have been deleted elsewhere.
///
/// SQLite's foreign keys find that when the transaction ends, without a word about which relationship it is.
/// So a save looks only when that has happened, and begins anew; where somebody else's tables are without
/// such keys, it looks each time.
extension PendingChanges {
    /// The to-one relationships that were made to lead to rows which are not there.
    ///
    /// - Parameter slots: Those that are to be written.
    func danglingSlots(
        of object: ManagedObject, among slots: some Sequence<Int>, _ values: [StoredValue],
        in database: Database, _ outcome: inout Outcome
    ) throws -> [Int] {
        let first = object.entity.storedAttributes.count
        return try slots.filter { slot in
            let relationships = object.entity.toOneRelationships
            // What is not positive some owners have for nothing.
            guard relationships.indices.contains(slot - first), case .integer(let key) = values[slot],
                key > 0, container.model.references(relationships[slot - first]) != nil
            else { return false }
            // A new object may not have its row yet.
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

    /// Decides about relationships of a saved object that were made to lead to objects which were deleted
    /// elsewhere.
    ///
    /// - Returns: Whether there is something to write still.
    func settleDanglingSlots(
        of object: ManagedObject, _ key: Int64, committed: [StoredValue], _ values: inout [StoredValue],
        written: inout [Int], in database: Database, _ outcome: inout Outcome
    ) throws -> Bool {
        let dangling = try danglingSlots(of: object, among: written, values, in: database, &outcome)
        guard !dangling.isEmpty else { return true }
        outcome.missing.formUnion(try destinations(of: object, dangling, values))
        let present = try Self.row(of: object, key: key, in: database)
        let row = present?.replacing(outcome.givenUp[object] ?? [], from: committed)
        // That the object itself was deleted is judged as that.
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

    /// Decides about relationships of a new object that lead to objects which were deleted elsewhere.
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

    /// The pairs to be written of which an object was deleted elsewhere.
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

    /// The identities of what some relationships lead to.
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

    /// Makes a relationship lead elsewhere, in an order to the place that a row has there.
    private func lead(
        _ object: ManagedObject, _ slot: Int, to value: StoredValue?, _ row: [StoredValue]?,
        _ values: inout [StoredValue]
    ) {
        values[slot] = value ?? .null
        if let order = object.runtime.slot(ofOrderOf: object.runtime.slotNames[slot]) {
            values[order] = row?[order] ?? .null
        }
    }

    /// Whether a relationship's inverse leads to one object, too. Whoever the store has lead there was let go
    /// already.
    private func hasInverseToOne(_ slot: Int, of object: ManagedObject) -> Bool {
        object.runtime.toOneInverses[slot - object.entity.storedAttributes.count] != nil
    }

    /// Whether a relationship must lead somewhere, to the model or to a column of somebody else's.
    private func isRequired(_ slot: Int, of object: ManagedObject, in database: Database) throws -> Bool {
        if object.runtime.requiredToOneRelationships.contains(where: { $0.slot == slot }) { return true }
        return try database.ownerRequiresValue(inSlot: slot, of: object)
    }

    /// Whether a row that was deleted elsewhere is written again by this save.
    private func isRestored(_ key: Int64, of entity: EntityDescription) -> Bool {
        policy.winner == .context
            && updated.contains { $0.rowKey == key && $0.entity.sharesTable(withEntityNamed: entity.name) }
    }
}

extension ManagedObjectModel {
    /// The relationship that leads from the sources of a table of links.
    fileprivate func nameOfRelationship(of table: LinkTable) -> String {
        let source = entity(named: table.sourceEntityName)
        let relationship = source?.relationships.first {
            guard let source, let end = linkEnd(of: $0, in: source) else { return false }
            return end.isForward && end.table == table
        }
        return relationship?.name ?? table.name
    }
}
