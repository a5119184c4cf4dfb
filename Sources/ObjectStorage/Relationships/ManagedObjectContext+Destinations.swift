/// A to-one relationship that an unsaved change made lead to a row.
struct AssignedDestination {
    let object: ManagedObject
    let slot: Int
    let key: Int64
    let entity: EntityDescription
}

extension ManagedObjectContext {
    /// The to-one relationships that unsaved changes made lead to rows which changes elsewhere deleted, and
    /// those of objects that only a save may bring back: it does so without them.
    ///
    /// - Parameter orphans: Objects with unsaved changes that turned out to have no row any more.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(*u* + *k* log *m*) for *u* objects with unsaved changes that lead to *k* rows, in
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
        return try read("Looking for what relationships lead to") { database in
            var isThere: [String: [Int64: Bool]] = [:]
            return try doubtful.filter { assigned in
                let (name, key) = (assigned.entity.tableName, assigned.key)
                let isFound = try isThere[name]?[key] ?? database.hasRow(key, of: assigned.entity)
                isThere[name, default: [:]][key] = isFound
                // Without a value the owner would not even let it be looked at; so it is for the save to
                // tell.
                return try !isFound
                    && !database.ownerRequiresValue(inSlot: assigned.slot, of: assigned.object)
            }
        }
    }

    /// Makes relationships lead nowhere that still lead to what is gone.
    ///
    /// - Returns: The objects that show something else since.
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

    /// The to-one relationships that unsaved changes made lead to rows.
    private func assignedDestinations(_ orphans: Set<ManagedObject>) -> [AssignedDestination] {
        var found: [AssignedDestination] = []
        for object in pending where object.state == .inserted || object.state == .updated {
            let first = object.entity.storedAttributes.count
            let isOrphan = object.untakenRow == .gone || orphans.contains(object)
            for (position, relationship) in object.entity.toOneRelationships.enumerated() {
                let slot = first + position
                guard case .integer(let key) = object.values[slot],
                    isOrphan || object.committedValues?[slot] != object.values[slot],
                    // Where a deletion is to change nothing, it does not here.
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
    /// Whether an entity's table has a row with a key.
    func hasRow(_ key: Int64, of entity: EntityDescription) throws -> Bool {
        try !rows("SELECT 1 FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", [.integer(key)]).isEmpty
    }

    /// Whether somebody else's table has a column for a property that must have a value.
    func ownerRequiresValue(inSlot slot: Int, of object: ManagedObject) throws -> Bool {
        guard let table = object.entity.mapping?.table else { return false }
        let name = object.runtime.slotNames[slot]
        return try !rows(
            "SELECT 1 FROM pragma_table_info(?1, 'main') WHERE name = ?2 COLLATE NOCASE AND \"notnull\"",
            [.text(table.name), .text(table.columns[name] ?? name)]
        ).isEmpty
    }
}
