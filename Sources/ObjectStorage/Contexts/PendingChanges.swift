import GRDB

/// The unsaved changes of a context, sorted by what a save does with them.
struct PendingChanges {
    /// New objects in the order of their insertion.
    let inserted: [ManagedObject]
    /// Saved objects of which a value differs.
    let updated: [ManagedObject]
    /// Saved objects to delete.
    let deleted: [ManagedObject]
    /// Saved objects of which a link changes.
    let relinked: [ManagedObject]
    /// Those of them of which no value differs.
    let onlyRelinked: [ManagedObject]
    /// What changes in link tables.
    let links: [PendingLinks]
    /// What to do about rows that changed elsewhere.
    let policy: MergePolicy
    /// The store.
    let container: PersistentContainer
    /// Whether a save is to look for what relationships were made to lead to, because it may have been
    /// deleted elsewhere.
    var looksForDestinations: Bool
    /// Whether the changes of a parent lie below these.
    private let isOfChild: Bool
    /// The keys of the rows to delete, by table.
    let deletedKeys: [String: Set<Int64>]

    init(of context: ManagedObjectContext) {
        let inserted = context.pending.filter { $0.state == .inserted }
        // One that was gone for a while, over a save, is listed behind newer ones.
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

    /// What a write is for.
    enum Purpose {
        /// To be committed.
        case save
        /// To be looked at and rolled back. What only a save may decide, who wins a conflict, is left open:
        /// the context's changes are shown, without a word about the others.
        case rehearsal
        /// The same for a context whose child reads: new objects have the keys that the child knows them by
        /// in any case.
        case ground
    }

    /// What the store has of an object.
    enum Row {
        case values([StoredValue])
        case gone
    }

    /// What became of the changes.
    struct Outcome {
        /// The keys of the new objects.
        var keys = NewObjectKeys()
        /// Objects of which the store has, after the write, something else than the context.
        var rows: [ManagedObject: Row] = [:]
        /// Conflicts that the policy does not settle.
        var conflicts: [MergeConflict] = []
        /// Objects whose rows were deleted elsewhere and are there again.
        var restored: [ManagedObject] = []
        /// Objects whose relationships the store cleared because the objects at the other end were deleted.
        var nullified: [ObjectID] = []
        /// Those of them whose partner got another, with the relationship that led there.
        var lostPartners: [(objectID: ObjectID, propertyName: String)] = []
        /// Of rows that relationships lead to, by table and key, whether they are gone.
        var goneDestinations: [String: [Int64: Bool]] = [:]
        /// What was found to be deleted elsewhere while the context had relationships lead to it.
        var missing: Set<ObjectID> = []
        /// The slots of objects whose unique values were taken away, to be written yet.
        var givenUp: [ManagedObject: [Int]] = [:]
        /// The tables that may have duplicates until the transaction is rolled back.
        var tablesWithDuplicates: Set<String> = []
        /// The version of the schema before these lost their unique indexes; nil if none did.
        var formerSchemaVersion: StoredValue?
        /// The large values that were written out of their rows.
        var externalValues: [ManagedObject: [ExternalValue]] = [:]
        /// The properties of saved objects that were written.
        var updatedProperties: [(runtime: EntityRuntime, slots: Set<Int>)] = []
        /// The number of rows that were inserted, updated and deleted one by one.
        var writtenRows = 0
        /// The rows that the save may leave in breach of a rule of their relationships.
        var reachedRows: ReachedRows?
        /// Whether triggers or foreign keys of somebody else's tables changed further rows.
        var hasSideEffects = false

        /// Notes what was written of an object's row.
        mutating func noteUpdate(of slots: [Int], _ runtime: EntityRuntime) {
            // The objects of one entity mostly come one after the other.
            if updatedProperties.last?.runtime !== runtime { updatedProperties.append((runtime, [])) }
            updatedProperties[updatedProperties.count - 1].slots.formUnion(slots)
        }
        /// Whether there were too many rows for the log, and no others changed than were asked for.
        var replacesLog = false
    }

    /// Writes the changes in the transaction that `database` is in.
    ///
    /// Deletions come first, so that a unique value may pass from a deleted object to another. Keys are
    /// chosen here, not by the inserts, because two new objects may lead to each other.
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
        // What is only looked at has keys that stay the same until the save, except in an owner's table,
        // which may take only some keys. A parent's new objects have such keys there as well, and the order
        // of both is that in which they were made.
        let isProvisional =
            purpose == .ground || purpose == .rehearsal && (isOfChild || !container.model.hasExistingTables)
        outcome.keys = isProvisional ? unsavedKeys : try chooseKeys(in: database)
        if purpose == .save {
            let rows = container.reachedRows
            if rows.hasBounds || !deleted.isEmpty { outcome.reachedRows = rows }
        }
        for object in deleted { try delete(object, for: purpose, in: database, &outcome) }
        try updateAll(for: purpose, in: database, &outcome)
        // With conflicts nothing is committed, and what is not written yet need only be looked at.
        if outcome.conflicts.isEmpty {
            try insertAll(for: purpose, in: database, &outcome)
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
            outcome.writtenRows += try changes.write(keys: outcome.keys, except: dangling, to: database)
        }
        // Whoever has the objects still would take new ones with their keys for them.
        container.keyHighWaterMarks.note(outcome.missing, of: container.model)
        guard outcome.conflicts.isEmpty else { throw ObjectStorageError(outcome.conflicts) }
        if outcome.reachedRows?.hasBounds == true { noteCounts(&outcome) }
        try outcome.reachedRows?.check(in: database, "Nothing was saved.")
        if let effects {
            try readBack(in: database, &outcome)
            let hasMore = try effects.exceed(outcome.writtenRows, in: database)
            outcome.hasSideEffects = hasExistingTables && hasMore
            outcome.replacesLog = isBulk && !hasMore
        }
        return outcome
    }

    /// Notes the objects whose relationships with bounds the changes may concern: what another context wrote
    /// since the changes were checked counts as well.
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

    /// The values of an object as its row will have them.
    static func resolvedValues(of object: ManagedObject, keys: NewObjectKeys) -> [StoredValue] {
        guard object.details?.assignedReferences.isEmpty == false else { return object.values }
        var values = object.values
        for (slot, target) in object.assignedReferences {
            let key = target.isDeleted ? nil : target.rowKey ?? keys[target]
            values[slot] = key.map(StoredValue.integer) ?? .null
        }
        return values
    }

    /// The changes as others are told of them.
    func committed(_ outcome: Outcome, _ tables: [TableTransition]) -> StoreChanges {
        let restored = Set(outcome.restored.map(\.objectID))
        var changes = StoreChanges(
            insertedObjectIDs: Set(inserted.lazy.map(\.objectID)).union(restored),
            updatedObjectIDs: Set((updated + relinked).lazy.filter { !$0.isDeleted }.map(\.objectID))
                .union(outcome.nullified).subtracting(restored),
            deletedObjectIDs: Set(deleted.lazy.filter(\.isDeleted).map(\.objectID)))
        changes.updatedObjectIDs.subtract(changes.deletedObjectIDs)
        changes.relinkedObjectIDs = Set(onlyRelinked.lazy.filter { !$0.isDeleted }.map(\.objectID))
            .subtracting(outcome.nullified).subtracting(restored)
        changes.tables = tables
        changes.replacesLog = outcome.replacesLog
        changes.updatedProperties = updatedProperties(outcome, tables)
        return changes
    }

    /// The properties that were changed, if nothing happened but that rows of one table were updated as they
    /// are in the context.
    private func updatedProperties(_ outcome: Outcome, _ tables: [TableTransition]) -> Set<String>? {
        guard inserted.isEmpty, deleted.isEmpty, links.isEmpty, outcome.rows.isEmpty,
            outcome.restored.isEmpty,
            outcome.nullified.isEmpty, !container.model.hasExistingTables, tables.areOfOneTable
        else { return nil }
        return outcome.updatedProperties.reduce(into: []) { names, updated in
            for slot in updated.slots { names.insert(updated.runtime.slotNames[slot]) }
        }
    }

    /// The keys that stand for new objects in child contexts and in what is only looked at. They are larger
    /// than those of saved objects and rise from object to object, so that rows which are equal otherwise
    /// have the order that the save will give them.
    var unsavedKeys: NewObjectKeys {
        NewObjectKeys(inserted, keys: inserted.map(\.identityKey.unsavedKey))
    }

    private func chooseKeys(in database: Database) throws -> NewObjectKeys {
        // The objects of one entity mostly come one after the other.
        var last: [(tableName: String, key: Int64)] = []
        var keys: [Int64] = []
        keys.reserveCapacity(inserted.count)
        var runtime: EntityRuntime?
        var place = 0
        for object in inserted {
            if object.runtime !== runtime {
                runtime = object.runtime
                let name = object.entity.tableName
                place = last.firstIndex { $0.tableName == name } ?? last.count
                if place == last.count {
                    last.append((name, try lastKey(of: object.entity, in: database)))
                }
            }
            guard last[place].key < .max else { throw KeyHighWaterMarks.lastKeyError(of: object.entity) }
            last[place].key += 1
            keys.append(last[place].key)
        }
        return NewObjectKeys(inserted, keys: keys)
    }

    /// The greatest key that an entity ever had.
    private func lastKey(of entity: EntityDescription, in database: Database) throws -> Int64 {
        guard entity.mapping == nil else {
            return max(
                try container.keyHighWaterMarks.last(of: entity, in: database), largestReference(to: entity))
        }
        // SQLite does not count a key that somebody gave to a row by an update.
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
            let error = ObjectStorageError(error, while: "Saving \(object.objectID)")
            throw ObjectStorageError(
                error.code, error.message, entityName: object.entity.name, objectID: object.objectID)
        }
    }
}
