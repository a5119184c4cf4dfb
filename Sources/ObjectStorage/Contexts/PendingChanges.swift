import GRDB

/// The unsaved changes of a context, sorted by what a save does with them.
struct PendingChanges {
    /// New objects in the order of their insertion.
    let inserted: [ManagedObject]
    /// Saved objects of which a value differs.
    let updated: [ManagedObject]
    /// Saved objects to delete.
    let deleted: [ManagedObject]
    /// What changes in link tables.
    let links: [LinkChanges]

    init(of context: ManagedObjectContext) {
        inserted = context.pending.filter { $0.state == .inserted }
        updated = context.pending.filter { $0.state == .updated && $0.hasChangedValues }
        deleted = context.pending.filter { $0.state == .deleted }
        links = context.links
    }

    /// Whether there is nothing to write.
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty }

    /// Writes the changes in the transaction that `database` is in, and gives the keys of the new objects.
    ///
    /// Deletions come first, so that a unique value may pass from a deleted object to another. Keys are chosen here, not
    /// by the inserts, because two new objects may lead to each other.
    func write(to database: Database) throws -> [ManagedObject: Int64] {
        let keys = try chooseKeys(in: database)
        for object in deleted { try delete(object, in: database) }
        for object in updated { try update(object, keys: keys, in: database) }
        for object in inserted { try insert(object, keys: keys, in: database) }
        for changes in links { try changes.write(keys: keys, to: database) }
        return keys
    }

    /// The values of an object as its row will have them.
    static func resolvedValues(of object: ManagedObject, keys: [ManagedObject: Int64]) -> [StoredValue] {
        var values = object.values
        for (slot, target) in object.assignedReferences {
            let key = target.isDeleted ? nil : target.objectID.primaryKey ?? keys[target]
            values[slot] = key.map(StoredValue.integer) ?? .null
        }
        return values
    }

    private func chooseKeys(in database: Database) throws -> [ManagedObject: Int64] {
        var last: [String: Int64] = [:]
        var keys: [ManagedObject: Int64] = [:]
        for object in inserted {
            let name = object.entity.name
            let previous: Int64
            if let known = last[name] {
                previous = known
            } else {
                let row = try database.rows(
                    "SELECT seq FROM main.sqlite_sequence WHERE name = ?1", [.text(name)])
                if case .integer(let sequence)? = row.first?.first {
                    previous = sequence
                } else {
                    previous = 0
                }
            }
            guard previous < .max else {
                throw ObjectStorageError(
                    .database,
                    "Entity “\(name)” has used its last key, 2⁶³−1. Move its objects to a new store.",
                    entityName: name)
            }
            last[name] = previous + 1
            keys[object] = previous + 1
        }
        return keys
    }

    private func insert(
        _ object: ManagedObject, keys: [ManagedObject: Int64], in database: Database
    ) throws {
        let runtime = object.runtime
        let columns = (["objectID"] + runtime.columnNames.map(\.quotedIdentifier)).joined(separator: ", ")
        let parameters = (1...(runtime.columnNames.count + 1)).map { "?\($0)" }.joined(separator: ", ")
        let statement = try SQLiteStatement(
            "INSERT INTO main.\(object.entity.name.quotedIdentifier) (\(columns)) VALUES (\(parameters))",
            in: database)
        try statement.bind(keys[object].map(StoredValue.integer) ?? .null, at: 1)
        for (slot, value) in Self.resolvedValues(of: object, keys: keys).enumerated() {
            try statement.bind(value, at: slot + 2)
        }
        try naming(object) { try statement.run() }
    }

    /// Updates the columns that changed, provided that they still hold what was read.
    private func update(
        _ object: ManagedObject, keys: [ManagedObject: Int64], in database: Database
    ) throws {
        guard let committed = object.committedValues, let key = object.objectID.primaryKey else { return }
        let values = Self.resolvedValues(of: object, keys: keys)
        let slots = values.indices.filter { values[$0] != committed[$0] }
        guard !slots.isEmpty else { return }
        let names = object.runtime.columnNames.map(\.quotedIdentifier)
        let assignments = slots.enumerated().map { "\(names[$1]) = ?\($0 + 2)" }
        // A relationship that led to an object deleted just now was cleared by that deletion.
        let checked = slots.filter { !leadsToDeleted(object, slot: $0, committed: committed) }
        let conditions = checked.enumerated().map { "\(names[$1]) IS ?\($0 + slots.count + 2)" }
        let statement = try SQLiteStatement(
            "UPDATE main.\(object.entity.name.quotedIdentifier) SET \(assignments.joined(separator: ", ")) "
                + "WHERE " + (["objectID = ?1"] + conditions).joined(separator: " AND "), in: database)
        try statement.bind(.integer(key), at: 1)
        for (position, slot) in slots.enumerated() { try statement.bind(values[slot], at: position + 2) }
        for (position, slot) in checked.enumerated() {
            try statement.bind(committed[slot], at: position + slots.count + 2)
        }
        try naming(object) { try statement.run() }
        guard database.changesCount == 1 else { throw try conflict(object, slots: slots, in: database) }
    }

    private func delete(_ object: ManagedObject, in database: Database) throws {
        guard let key = object.objectID.primaryKey else { return }
        // A row that somebody else deleted already is as it should be.
        try naming(object) {
            try database.run(
                "DELETE FROM main.\(object.entity.name.quotedIdentifier) WHERE objectID = ?1", [.integer(key)]
            )
        }
    }

    private func leadsToDeleted(_ object: ManagedObject, slot: Int, committed: [StoredValue]) -> Bool {
        let position = slot - object.entity.storedAttributes.count
        guard object.entity.toOneRelationships.indices.contains(position),
            case .integer(let key) = committed[slot]
        else { return false }
        let destination = object.entity.toOneRelationships[position].destinationEntityName
        return deleted.contains { $0.entity.name == destination && $0.objectID.primaryKey == key }
    }

    private func conflict(_ object: ManagedObject, slots: [Int], in database: Database) throws
        -> ObjectStorageError
    {
        let row = try database.rows(
            "SELECT 1 FROM main.\(object.entity.name.quotedIdentifier) WHERE objectID = ?1",
            [object.objectID.primaryKey.map(StoredValue.integer) ?? .null])
        guard !row.isEmpty else { return ManagedObjectContext.missing(object.objectID) }
        let names = slots.map { object.runtime.columnNames[$0] }.joined(separator: ", ")
        return ObjectStorageError(
            .conflict,
            "\(object.objectID): “\(names)” was changed elsewhere since it was read. Nothing was saved; refresh the object and change it again.",
            entityName: object.entity.name, objectID: object.objectID)
    }

    private func naming(_ object: ManagedObject, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            let error = ObjectStorageError(error, while: "Saving \(object.objectID)")
            throw ObjectStorageError(
                error.code, error.message, entityName: object.entity.name, objectID: object.objectID)
        }
    }
}
