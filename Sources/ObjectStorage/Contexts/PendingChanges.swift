import GRDB

/// The unsaved changes of a context, grouped by the way in which a save writes them.
struct PendingChanges {
    /// New objects in the order of their insertion.
    let inserted: [ManagedObject]
    /// Saved objects with changed values.
    let updated: [ManagedObject]
    /// Saved objects to delete.
    let deleted: [ManagedObject]
    /// Saved objects with changed links.
    let relinked: [ManagedObject]
    /// Saved objects with changed links and no changed values.
    let onlyRelinked: [ManagedObject]
    /// The changes in link tables.
    let links: [PendingLinks]
    /// The way in which conflicts with rows that were changed elsewhere are resolved.
    let policy: MergePolicy
    /// The store.
    let container: PersistentContainer
    /// Whether a save checks that the objects to which relationships were set still exist, because they may
    /// have been deleted elsewhere.
    var looksForDestinations: Bool
    /// Whether the changes are those of a child context, on top of its parent's changes.
    private let isOfChild: Bool
    /// The keys of the rows to delete, by table.
    let deletedKeys: [String: Set<Int64>]

    init(of context: ManagedObjectContext) {
        let inserted = context.pending.filter { $0.state == .inserted }
        // An object that was restored after a save is listed after newer ones.
        self.inserted =
            inserted.areInOrderOfKeys
            ? inserted : inserted.sorted { $0.identityKey.unsavedKey < $1.identityKey.unsavedKey }
        updated = context.pending.filter { $0.state == .updated && $0.hasChangedValues }
        let deleted = context.pending.filter { $0.state == .deleted }
        self.deleted =
            context.container.model.hasExistingTables && deleted.count > 1
            ? deleted.inDeletionOrder(of: context.container.model) { $0.entity.name } : deleted
        deletedKeys = Dictionary(grouping: deleted) { $0.entity.tableName }
            .mapValues { Set($0.lazy.compactMap(\.rowKey)) }
        relinked = context.pending.filter {
            $0.hasChangedLinks && ($0.state == .clean || $0.state == .updated)
        }
        onlyRelinked = relinked.filter { !$0.hasChangedValues }
        links = context.links
        policy = context.mergePolicy
        container = context.container
        looksForDestinations = container.model.hasExistingTables
        isOfChild = context.parent != nil
    }

    /// The purpose of a write.
    enum Purpose {
        /// The changes are committed.
        case save
        /// The changes are read and rolled back. Conflicts, which only a save may resolve, are not reported:
        /// the context's values are shown.
        case rehearsal
        /// The changes of a parent context are read by a child and rolled back. New objects always have the
        /// keys by which the child identifies them.
        case ground
    }

    /// The row of an object in the store.
    enum Row {
        case values([StoredValue])
        case gone
    }

    /// The results of a write.
    struct Outcome {
        /// The keys of the new objects.
        var keys = NewObjectKeys()
        /// The new objects that are merged with rows that have their unique values, with the rows' keys.
        var mergedInsertions: [ManagedObject: Int64] = [:]
        /// The rows of objects for which the store, after the write, has other values than the context.
        var rows: [ManagedObject: Row] = [:]
        /// The deleted objects whose rows were changed elsewhere.
        var overruled: Set<ManagedObject> = []
        /// The conflicts that the policy does not resolve.
        var conflicts: [MergeConflict] = []
        /// The objects whose rows were deleted elsewhere and inserted again.
        var restored: [ManagedObject] = []
        /// The objects whose relationships the store cleared because the objects at the other end were
        /// deleted.
        var nullified: [ObjectID] = []
        /// The objects whose one-to-one partner was linked to another object, with the relationship that was
        /// cleared.
        var lostPartners: [(objectID: ObjectID, propertyName: String)] = []
        /// Whether the rows that relationships lead to no longer exist, by table name and key.
        var goneDestinations: [String: [Int64: Bool]] = [:]
        /// The objects deleted elsewhere to which relationships of the context lead.
        var missing: Set<ObjectID> = []
        /// The slots of unique values that were temporarily set to NULL and must still be written, by object.
        var givenUp: [ManagedObject: [Int]] = [:]
        /// The tables whose unique indexes are dropped until the transaction is rolled back.
        var tablesWithDuplicates: Set<String> = []
        /// The schema version before these indexes were dropped; nil if none were.
        var previousSchemaVersion: StoredValue?
        /// The large values that were written outside their rows.
        var externalValues: [ManagedObject: [ExternalValue]] = [:]
        /// The properties of saved objects that were written.
        var updatedProperties: [(runtime: EntityRuntime, slots: Set<Int>)] = []
        /// The number of rows that were inserted, updated and deleted one by one.
        var writtenRows = 0
        /// The rows in which the save may violate a rule of their relationships.
        var reachedRows: ReachedRows?
        /// The objects whose rows the transaction rules of the store changed.
        var completedRows: Set<ObjectID> = []
        /// Whether triggers or foreign keys of external tables changed further rows.
        var hasSideEffects = false

        /// Records the written slots of an object's row.
        mutating func noteUpdate(of slots: [Int], _ runtime: EntityRuntime) {
            // Objects of one entity are mostly adjacent.
            if updatedProperties.last?.runtime !== runtime { updatedProperties.append((runtime, [])) }
            updatedProperties[updatedProperties.count - 1].slots.formUnion(slots)
        }
        /// Whether the save wrote more rows than the change log records, and no rows other than its own were
        /// changed.
        var replacesLog = false
    }

    /// Writes the changes in the transaction that `database` is in.
    ///
    /// Deletions come first, so that a new object can have a unique value of a deleted object. Keys are
    /// chosen before the inserts, because two new objects may lead to each other.
    func write(to database: Database, for purpose: Purpose) throws -> Outcome {
        var outcome = Outcome()
        var isBulk = false
        if container.isTracked {
            if purpose == .save {
                isBulk = try announceBulkWrites(in: database)
            } else {
                try ChangeTracking.makeRoom(in: database)
            }
        }
        let hasExistingTables = container.model.hasExistingTables
        if hasExistingTables { try database.deferForeignKeys() }
        var effects: SideEffectDetector?
        if purpose == .save, hasExistingTables || isBulk {
            effects = try SideEffectDetector(isTracked: container.isTracked, in: database)
        }
        // Changes that are rolled back have provisional keys that remain the same until the save, except in
        // an external table, which may accept only some keys. A parent's new objects have provisional keys
        // there as well. The order of both kinds of keys is that in which the objects were inserted.
        let isProvisional =
            purpose == .ground || purpose == .rehearsal && (isOfChild || !container.model.hasExistingTables)
        outcome.keys = isProvisional ? unsavedKeys : try chooseKeys(in: database)
        if purpose == .save {
            let rows = container.reachedRows
            if rows.hasBounds || !deleted.isEmpty { outcome.reachedRows = rows }
        }
        for object in deleted { try delete(object, for: purpose, in: database, &outcome) }
        if purpose == .save { try findRowsOfInsertions(in: database, &outcome) }
        try updateAll(for: purpose, in: database, &outcome)
        // With conflicts, nothing is committed, so the remaining objects are only checked for further
        // conflicts.
        if outcome.conflicts.isEmpty {
            try insertAll(for: purpose, in: database, &outcome)
            try writeMergedInsertions(in: database, &outcome)
        } else if looksForDestinations {
            for object in inserted {
                var values = object.values
                try settleDanglingSlots(ofNew: object, &values, in: database, &outcome)
            }
        }
        if purpose == .save, outcome.conflicts.isEmpty { try settlePartners(in: database, &outcome) }
        for changes in links {
            let dangling =
                purpose == .save && looksForDestinations
                ? try danglingPairs(of: changes, in: database, &outcome) : []
            guard outcome.conflicts.isEmpty else { continue }
            outcome.writtenRows += try changes.write(
                keys: outcome.keys, except: dangling, to: database,
                spacing: container.transactionRules == nil ? .usual : .coreData)
        }
        // Reserve these keys: reusing one would alias a new row with a deleted object that is still in
        // memory.
        container.keyHighWaterMarks.note(outcome.missing, of: container.model)
        guard outcome.conflicts.isEmpty else { throw ObjectStorageError(outcome.conflicts) }
        if outcome.reachedRows?.hasBounds == true { noteCounts(&outcome) }
        try outcome.reachedRows?.check(in: database, "Nothing was saved.")
        if let effects {
            let hasMore = try effects.exceed(outcome.writtenRows, in: database)
            if let rules = container.transactionRules {
                outcome.completedRows = try rules.complete(in: ExternalStoreConnection(database))
            }
            try readBack(in: database, &outcome)
            outcome.hasSideEffects = hasExistingTables && hasMore
            outcome.replacesLog = isBulk && !hasMore
        }
        return outcome
    }

    /// Records the objects whose bounded relationships the changes may affect. Changes that another context
    /// committed after the validation count as well.
    private func noteCounts(_ outcome: inout Outcome) {
        for object in inserted + updated + onlyRelinked where !object.isDeleted {
            guard let key = object.rowKey ?? outcome.keys[object] else { continue }
            outcome.reachedRows?.noteOwner(key, object.entity)
            let first = object.entity.storedAttributes.count
            let values = Self.resolvedValues(of: object, keys: outcome.keys)
            for (position, relationship) in object.entity.toOneRelationships.enumerated() {
                for present in [values, object.committedValues ?? []] where present.count > first + position {
                    outcome.reachedRows?.noteDestination(
                        present[first + position], by: relationship.name, of: object.entity)
                }
            }
        }
    }

    /// Returns the values of an object as they are written to its row.
    static func resolvedValues(of object: ManagedObject, keys: NewObjectKeys) -> [StoredValue] {
        guard object.details?.assignedReferences.isEmpty == false else { return object.values }
        var values = object.values
        for (slot, target) in object.assignedReferences {
            let key = target.isDeleted ? nil : target.rowKey ?? keys[target]
            values[slot] = key.map(StoredValue.integer) ?? .null
        }
        return values
    }

    /// Returns the changes as they are reported to observers and other contexts.
    func committed(_ outcome: Outcome, _ tables: [TableTransition]) -> StoreChanges {
        let restored = Set(outcome.restored.map(\.objectID))
        var changes = StoreChanges(
            insertedObjectIDs: Set(insertedAlone(outcome).lazy.map(\.objectID)).union(restored),
            updatedObjectIDs: Set((updated + relinked).lazy.filter { !$0.isDeleted }.map(\.objectID))
                .union(outcome.nullified).subtracting(restored),
            deletedObjectIDs: Set(deleted.lazy.filter(\.isDeleted).map(\.objectID)))
        for object in outcome.mergedInsertions.keys where !changes.insertedObjectIDs.contains(object.objectID)
        {
            changes.updatedObjectIDs.insert(object.objectID)
        }
        changes.updatedObjectIDs.formUnion(
            outcome.completedRows.subtracting(changes.insertedObjectIDs))
        changes.updatedObjectIDs.subtract(changes.deletedObjectIDs)
        changes.relinkedObjectIDs = Set(onlyRelinked.lazy.filter { !$0.isDeleted }.map(\.objectID))
            .subtracting(outcome.nullified).subtracting(restored).subtracting(outcome.completedRows)
        changes.tables = tables
        changes.replacesLog = outcome.replacesLog
        changes.updatedProperties = updatedProperties(outcome, tables)
        return changes
    }

    /// Returns the names of the changed properties, if the save only updated rows of one table with the
    /// values of the context; nil otherwise.
    private func updatedProperties(_ outcome: Outcome, _ tables: [TableTransition]) -> Set<String>? {
        guard inserted.isEmpty, deleted.isEmpty, links.isEmpty, outcome.rows.isEmpty,
            outcome.restored.isEmpty,
            outcome.nullified.isEmpty, !container.model.hasExistingTables, tables.areOfOneTable,
            container.derivedAttributes == nil
        else { return nil }
        return outcome.updatedProperties.reduce(into: []) { names, updated in
            for slot in updated.slots { names.insert(updated.runtime.slotNames[slot]) }
        }
    }

    /// The keys of new objects in child contexts and in writes that are rolled back. They are greater than
    /// those of saved objects and increase from object to object, so that rows that are otherwise equal have
    /// the order that the save will give them.
    var unsavedKeys: NewObjectKeys {
        NewObjectKeys(inserted, keys: inserted.map(\.identityKey.unsavedKey))
    }

    private func chooseKeys(in database: Database) throws -> NewObjectKeys {
        // Objects of one entity are mostly adjacent.
        var last: [(tableName: String, key: Int64)] = []
        var keys: [Int64] = []
        keys.reserveCapacity(inserted.count)
        var runtime: EntityRuntime?
        var index = 0
        for object in inserted {
            if object.runtime !== runtime {
                runtime = object.runtime
                let name = object.entity.tableName
                index = last.firstIndex { $0.tableName == name } ?? last.count
                if index == last.count {
                    last.append((name, try lastKey(of: object.entity, in: database)))
                }
            }
            // Its key was reserved, so the keys that are chosen are greater.
            if case .permanent(let key) = object.identityKey {
                keys.append(key)
                continue
            }
            guard last[index].key < .max else { throw KeyHighWaterMarks.lastKeyError(of: object.entity) }
            last[index].key += 1
            keys.append(last[index].key)
        }
        return NewObjectKeys(inserted, keys: keys)
    }

    /// Returns the greatest key that an entity has ever had.
    private func lastKey(of entity: EntityDescription, in database: Database) throws -> Int64 {
        guard entity.mapping == nil else {
            let ofOwner = try container.transactionRules?.lastKey(
                inTableNamed: entity.tableName, in: ExternalStoreConnection(database))
            return max(
                try container.keyHighWaterMarks.last(of: entity, in: database), largestReference(to: entity),
                ofOwner ?? 0)
        }
        return try Self.lastKey(of: entity, in: database)
    }

    /// Returns the greatest key that has ever been used or reserved in an entity's table of the library.
    static func lastKey(of entity: EntityDescription, in database: Database) throws -> Int64 {
        // `sqlite_sequence` does not include a key that an UPDATE assigned to a row.
        let row = try database.rows(
            """
            SELECT max(ifnull((SELECT seq FROM main.sqlite_sequence WHERE name = ?1), 0),
                ifnull((SELECT max(\(entity.keySQL)) FROM \(entity.tableSQL)), 0))
            """, [.text(entity.tableName)])
        if case .integer(let key)? = row.first?.first { return key }
        return 0
    }

    func naming(_ object: ManagedObject, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            let error = naming(
                valuesOf: object, in: ObjectStorageError(error, while: "Saving \(object.objectID)"))
            throw error.replacing(
                message: error.message, entityName: object.entity.name, objectID: object.objectID)
        }
    }
}
