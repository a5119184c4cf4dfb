/// A to-one relationship that an unsaved change set to a saved object.
struct AssignedDestination {
    let object: ManagedObject
    let slot: Int
    let key: Int64
    let entity: EntityDescription
}

extension ManagedObjectContext {
    /// Returns the to-one relationships that lead to rows that were deleted elsewhere: those that unsaved
    /// changes set, and all of changed objects whose own rows were deleted, because a save inserts such an
    /// object again without them.
    ///
    /// - Parameter orphans: Objects with unsaved changes whose rows no longer exist.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*u* + *k* log *m*) for *u* objects with unsaved changes that refer to *k* rows, in
    ///   tables of *m* rows.
    func destinationsDeleted(
        by changes: StoreChanges, orphans: Set<ManagedObject>
    ) throws(ObjectStorageError) -> [AssignedDestination] {
        guard !pending.isEmpty, !changes.deletedObjectIDs.isEmpty || !changes.changedEntityNames.isEmpty
        else {
            return []
        }
        let model = container.model
        func tableName(_ entityName: String) -> String? { model.entity(named: entityName)?.tableName }
        let changedTables = Set(changes.changedEntityNames.compactMap(tableName))
        var deletedKeys: [String: Set<Int64>] = [:]
        for objectID in changes.deletedObjectIDs {
            guard let name = tableName(objectID.entityName), let key = objectID.primaryKey else { continue }
            deletedKeys[name, default: []].insert(key)
        }
        let doubtful = assignedDestinations(orphans).filter { assigned in
            let name = assigned.entity.tableName
            return orphans.contains(assigned.object) || changedTables.contains(name)
                || deletedKeys[name]?.contains(assigned.key) == true
        }
        guard !doubtful.isEmpty else { return [] }
        return try read("Reading the destinations of relationships") { database in
            var isThere: [String: [Int64: Bool]] = [:]
            return try doubtful.filter { assigned in
                let (name, key) = (assigned.entity.tableName, assigned.key)
                let isFound = try isThere[name]?[key] ?? database.hasRow(key, of: assigned.entity)
                isThere[name, default: [:]][key] = isFound
                // A NOT NULL column of an external table rejects a row without the value even in a fetch with
                // unsaved changes. The relationship is therefore kept, and the save reports the conflict.
                return try !isFound
                    && !database.existingTableRequiresValue(inSlot: assigned.slot, of: assigned.object)
            }
        }
    }

    /// Sets relationships to nil that still lead to deleted rows.
    ///
    /// - Returns: The objects whose values changed.
    func clear(_ destinations: [AssignedDestination]) -> [ManagedObject] {
        destinations.compactMap { assigned in
            let (object, slot) = (assigned.object, assigned.slot)
            guard object.state == .inserted || object.state == .updated,
                object.values[slot] == .integer(assigned.key)
            else { return nil }
            object.values[slot] = .null
            if let order = object.runtime.slot(ofOrderOf: object.runtime.slotNames[slot]) {
                object.values[order] = .null
            }
            return object
        }
    }

    /// Returns the to-one relationships that unsaved changes set to saved objects, and all that lead to saved
    /// objects from objects whose own rows were deleted.
    private func assignedDestinations(_ orphans: Set<ManagedObject>) -> [AssignedDestination] {
        var found: [AssignedDestination] = []
        for object in pending where object.state == .inserted || object.state == .updated {
            let first = object.entity.storedAttributes.count
            let isOrphan = object.untakenRow == .gone || orphans.contains(object)
            for (position, relationship) in object.entity.toOneRelationships.enumerated() {
                let slot = first + position
                guard case .integer(let key) = object.values[slot],
                    isOrphan || object.committedValues?[slot] != object.values[slot],
                    // A column without a foreign key is not cleared by a deletion.
                    container.model.references(relationship) != nil,
                    let entity = container.model.entity(named: relationship.destinationEntityName)
                else { continue }
                found.append(AssignedDestination(object: object, slot: slot, key: key, entity: entity))
            }
        }
        return found
    }
}

extension StatementSource {
    /// Returns whether an entity's table has a row with a key.
    func hasRow(_ key: Int64, of entity: EntityDescription) throws -> Bool {
        try !rows("SELECT 1 FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", [.integer(key)]).isEmpty
    }

    /// Returns whether an external table has a NOT NULL column for a property.
    func existingTableRequiresValue(inSlot slot: Int, of object: ManagedObject) throws -> Bool {
        guard let table = object.entity.mapping?.table else { return false }
        let name = object.runtime.slotNames[slot]
        return try !rows(
            "SELECT 1 FROM pragma_table_info(?1, 'main') WHERE name = ?2 COLLATE NOCASE AND \"notnull\"",
            [.text(table.name), .text(table.columns[name] ?? name)]
        ).isEmpty
    }
}
