import GRDB

extension PendingChanges {
    /// Updates all objects, each one after the objects that release a unique value that it gets. If values
    /// are exchanged in a cycle, all objects of the cycle release theirs first.
    func updateAll(for purpose: Purpose, in database: Database, _ outcome: inout Outcome) throws {
        var objects = updated
        var rounds = 0
        while !objects.isEmpty {
            rounds += 1
            var postponed: [ManagedObject] = []
            var failure: ObjectStorageError?
            for object in objects {
                do {
                    try update(object, for: purpose, in: database, &outcome)
                } catch let error as ObjectStorageError where error.code == .duplicateValue {
                    postponed.append(object)
                    failure = failure ?? error
                    // The large values are written again with the object.
                    try forget(outcome.externalValues[object] ?? [], unlessIn: [], in: database)
                    outcome.externalValues[object] = nil
                }
            }
            // A chain of passed values is complete after two rounds, in whichever order the values were set.
            if let failure, postponed.count == objects.count || rounds > 1 {
                let mayGoOn =
                    purpose == .save
                    ? try giveUpUniqueValues(of: postponed, in: database, &outcome)
                    : try allowDuplicates(among: postponed, in: database, &outcome)
                if !mayGoOn, postponed.count == objects.count {
                    // A conflict explains why the value is not free. Otherwise the row that has the value
                    // keeps it.
                    guard outcome.conflicts.isEmpty else { return }
                    throw failure
                }
            }
            objects = postponed.reversed()
        }
    }

    /// Updates the changed columns of an object's row, if they still have the values that were read;
    /// otherwise resolves the conflict.
    func update(
        _ object: ManagedObject, for purpose: Purpose, in database: Database, _ outcome: inout Outcome
    ) throws {
        guard let committed = object.committedValues, let key = object.rowKey else { return }
        var values = Self.resolvedValues(of: object, keys: outcome.keys)
        var slots = values.indices.filter {
            values[$0] != committed[$0] && !object.runtime.computedSlots.contains($0)
        }
        guard !slots.isEmpty else { return }
        if purpose == .save, looksForDestinations {
            let isLeft = try settleDanglingSlots(
                of: object, key, committed: committed, &values, written: &slots, in: database, &outcome)
            guard isLeft else { return }
        }
        if purpose == .save, object.runtime.hasExternalAttributes {
            let external = object.runtime.externalSlots.filter(slots.contains)
            try shorten(&values, slots: external, of: object, in: database, &outcome)
        }
        var checked = slots
        checked.removeAll(where: object.runtime.derivedSlots.contains)
        // The row's version number, which counts its changes, covers all values.
        let version = object.runtime.versionSlot
        if let version { checked = [version] }
        try settleWhatLedToDeleted(
            object, key, committed: committed, &values, written: &slots, checked: &checked, in: database,
            &outcome)
        let givenUp = outcome.givenUp[object] ?? []
        let isWritten = try write(
            slots, of: values, to: object, key: key,
            provided: checked.map { ($0, givenUp.contains($0) ? .null : committed[$0]) }, in: database)
        if !slots.isEmpty { outcome.writtenRows += database.changesCount }
        if isWritten {
            outcome.noteUpdate(of: slots, object.runtime)
            return
        }
        guard let present = try Self.row(of: object, key: key, in: database) else {
            let conflict = MergeConflict(
                .deletedInStore, object, slots, read: committed, inStore: nil, inContext: values)
            return try settleDeletion(object, key, values, slots, conflict, purpose, in: database, &outcome)
        }
        // Equal values on both sides need no decision, unless both sides incremented the value: then one
        // increment is lost. Without a policy that names a winner, equal values are therefore a conflict,
        // too.
        let row = present.replacing(givenUp, from: committed)
        let compared = version == nil ? checked : slots + checked
        let disputed = compared.filter {
            row[$0] != committed[$0] && (policy == .error || row[$0] != values[$0])
        }
        var settled = row
        switch (disputed.isEmpty, policy) {
        case (true, _), (_, .propertyByProperty(.context)): for slot in slots { settled[slot] = values[slot] }
        case (_, .error):
            guard purpose != .save else {
                outcome.conflicts.append(
                    MergeConflict(
                        .changed, object, disputed == checked && version != nil ? slots : disputed,
                        read: committed, inStore: row, inContext: values))
                return
            }
            for slot in slots { settled[slot] = values[slot] }
        case (_, .propertyByProperty(.store)):
            for slot in slots where !disputed.contains(slot) { settled[slot] = values[slot] }
        case (_, .storeWins): break
        case (_, .contextWins):
            settled = try withoutDanglingReferences(values, of: object, except: slots, in: database)
            if purpose == .save {
                try restoreExternalValues(
                    in: &settled, of: object, except: slots, present: row, in: database, &outcome)
            }
        }
        for slot in object.runtime.externallyComputedSlots { settled[slot] = present[slot] }
        try forget(outcome.externalValues[object] ?? [], unlessIn: settled, in: database)
        let differing = settled.indices.filter { settled[$0] != present[$0] }
        if !differing.isEmpty {
            _ = try write(differing, of: settled, to: object, key: key, provided: [], in: database)
            outcome.writtenRows += database.changesCount
        }
        outcome.rows[object] = .values(settled)
    }

    /// Deletes a row, unless it was changed elsewhere since it was read and the policy lets the store win.
    func delete(
        _ object: ManagedObject, for purpose: Purpose, in database: Database, _ outcome: inout Outcome
    ) throws {
        guard let key = object.rowKey else { return }
        // A row that was already deleted elsewhere needs no check.
        if purpose == .save, !object.isFault, let row = try Self.row(of: object, key: key, in: database) {
            let read = object.committedValues ?? object.values
            let compared = object.runtime.versionSlot.map { [$0] } ?? Array(row.indices)
            let differing = compared.filter {
                row[$0] != read[$0] && !leadsToDeleted(object, slot: $0, committed: read)
                    && !object.runtime.derivedSlots.contains($0)
            }
            if !differing.isEmpty {
                switch policy.winner {
                case nil:
                    outcome.conflicts.append(
                        MergeConflict(
                            .deletedInContext, object, differing, read: read, inStore: row, inContext: nil))
                    return
                case .store:
                    outcome.rows[object] = .values(row)
                    return
                case .context: outcome.overruled.insert(object)
                }
            }
        }
        if purpose == .save { outcome.nullified += try objectsLeading(to: object, key: key, in: database) }
        try outcome.reachedRows?.noteDeletion(of: key, object.entity, in: database)
        try naming(object) {
            outcome.writtenRows += try container.model.clearWhatLeads(
                to: .integer(key), of: object.entity, in: database)
            try database.run(object.runtime.statements.deletion, [.integer(key)])
            outcome.writtenRows += database.changesCount
            try checkDeletion(of: object, key: key, in: database)
        }
    }

    /// Returns the row of an object; nil if it does not exist.
    static func row(
        of object: ManagedObject, key: Int64, in database: Database
    ) throws -> [StoredValue]? {
        let statement = try SQLiteStatement(object.runtime.statements.selection, in: database)
        try statement.bind(.integer(key), at: 1)
        return try statement.use {
            try $0.step() ? ManagedObjectContext.row(of: $0, object.runtime) : nil
        }
    }

    /// Writes some columns of a row if others have expected values; returns false if no row matches.
    func write(
        _ slots: [Int], of values: [StoredValue], to object: ManagedObject, key: Int64,
        provided conditions: [(slot: Int, value: StoredValue)], in database: Database
    ) throws -> Bool {
        guard !slots.isEmpty else { return true }
        let runtime = object.runtime
        let statement = try SQLiteStatement(
            runtime.statements.update(slots: slots, provided: conditions.map(\.slot)), in: database)
        try statement.bind(.integer(key), at: 1)
        for (position, slot) in slots.enumerated() {
            try statement.bind(runtime.description.columnValue(values[slot], slot: slot), at: position + 2)
        }
        for (position, condition) in conditions.enumerated() {
            try statement.bind(condition.value, at: position + slots.count + 2)
        }
        try naming(object) { try statement.run() }
        return database.changesCount == 1
    }

    /// Resolves a conflict about an object that was changed in the context and deleted elsewhere.
    private func settleDeletion(
        _ object: ManagedObject, _ key: Int64, _ values: [StoredValue], _ slots: [Int],
        _ conflict: MergeConflict, _ purpose: Purpose, in database: Database, _ outcome: inout Outcome
    ) throws {
        switch policy.winner {
        case nil: if purpose == .save { outcome.conflicts.append(conflict) }
        case .store:
            try forget(outcome.externalValues[object] ?? [], unlessIn: [], in: database)
            outcome.rows[object] = .gone
        case .context:
            var row = try withoutDanglingReferences(values, of: object, except: slots, in: database)
            try restoreExternalValues(
                in: &row, of: object, except: slots, present: nil, in: database, &outcome)
            try insert(object, key: key, row, in: database)
            outcome.writtenRows += database.changesCount
            outcome.rows[object] = .values(row)
            outcome.restored.append(object)
        }
    }
}

extension PendingChanges {
    /// Removes from an update the changes that this save's deletions have made already.
    ///
    /// The deletion of an object cleared the references to it in the store. A relationship that led to the
    /// object when it was read, and leads to another object in the present row, was changed elsewhere and is
    /// kept: a deletion affects only the references that exist when it is saved.
    private func settleWhatLedToDeleted(
        _ object: ManagedObject, _ key: Int64, committed: [StoredValue], _ values: inout [StoredValue],
        written: inout [Int], checked: inout [Int], in database: Database, _ outcome: inout Outcome
    ) throws {
        let leading = written.filter { leadsToDeleted(object, slot: $0, committed: committed) }
        guard !leading.isEmpty, let row = try Self.row(of: object, key: key, in: database) else { return }
        for slot in leading {
            let isCleared = row[slot].isNull
            let isSettled = values[slot].isNull && row[slot] != committed[slot]
            if isCleared || isSettled || row[slot] == committed[slot] { checked.removeAll { $0 == slot } }
            guard isSettled else { continue }
            written.removeAll { $0 == slot }
            values[slot] = row[slot]
            if !isCleared { outcome.rows[object] = .values(values) }
        }
    }

    private func leadsToDeleted(_ object: ManagedObject, slot: Int, committed: [StoredValue]) -> Bool {
        let position = slot - object.entity.storedAttributes.count
        guard object.entity.toOneRelationships.indices.contains(position),
            case .integer(let key) = committed[slot]
        else { return false }
        let destination = object.entity.toOneRelationships[position].destinationEntityName
        return container.model.entity(named: destination)
            .flatMap { deletedKeys[$0.tableName] }?.contains(key) ?? false
    }

    /// Returns the values of an object, with relationships cleared that were not assigned in the context and
    /// lead to rows that no longer exist.
    private func withoutDanglingReferences(
        _ values: [StoredValue], of object: ManagedObject, except slots: [Int], in database: Database
    ) throws -> [StoredValue] {
        var values = values
        for (position, relationship) in object.entity.toOneRelationships.enumerated() {
            let slot = object.entity.storedAttributes.count + position
            guard !slots.contains(slot), !values[slot].isNull else { continue }
            guard let model = object.managedObjectContext?.container.model else { continue }
            let destination = try model.requireEntity(named: relationship.destinationEntityName)
            let rows = try database.rows(
                "SELECT 1 FROM \(destination.tableSQL) WHERE \(destination.keySQL) = ?1", [values[slot]])
            if rows.isEmpty { values[slot] = .null }
        }
        return values
    }

    /// Returns the objects whose to-one relationships the store clears when the row of `object` is deleted.
    private func objectsLeading(
        to object: ManagedObject, key: Int64, in database: Database
    ) throws -> [ObjectID] {
        guard let model = object.managedObjectContext?.container.model else { return [] }
        var objectIDs: [ObjectID] = []
        for entity in model.entities {
            for relationship in entity.ownRelationships
            where !relationship.isToMany
                && object.entity.sharesTable(withEntityNamed: relationship.destinationEntityName)
            {
                let condition = entity.concreteEntityCondition().map { " AND " + $0 } ?? ""
                let rows = try database.rows(
                    "SELECT \(entity.identityColumns()) FROM \(entity.tableSQL) WHERE \(entity.columnSQL(relationship.name)) = ?1\(condition)",
                    [.integer(key)])
                objectIDs += rows.compactMap { ObjectID($0, of: entity) }
            }
        }
        return objectIDs
    }
}

extension [StoredValue] {
    /// Returns the values with some slots replaced by those of another row: slots that this save temporarily
    /// set to NULL, which therefore cannot have been changed elsewhere.
    func replacing(_ slots: [Int], from other: [StoredValue]) -> Self {
        var values = self
        for slot in slots { values[slot] = other[slot] }
        return values
    }
}

extension MergeConflict {
    /// Creates a conflict about the properties with some slots.
    init(
        _ kind: Kind, _ object: ManagedObject, _ slots: [Int], read: [StoredValue],
        inStore: [StoredValue]?, inContext: [StoredValue]?
    ) {
        let shown = slots.filter { $0 != object.runtime.versionSlot }
        self.init(
            kind: kind, objectID: object.objectID,
            properties: shown.map {
                Property(
                    name: object.runtime.slotNames[$0], valueRead: read[$0], valueInStore: inStore?[$0],
                    valueInContext: inContext?[$0])
            })
    }
}
