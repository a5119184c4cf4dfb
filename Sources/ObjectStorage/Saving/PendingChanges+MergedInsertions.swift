import GRDB

/// New objects that a save merges with the rows that have their unique values.
///
/// With any policy but ``MergePolicy/error``, a new object whose unique value belongs to a row of its entity
/// does not get a separate row: it becomes the object of that row. The policy decides about the values.
extension PendingChanges {
    /// Finds the rows with the unique values of new objects, and gives these objects the rows' keys, before
    /// any row that leads to them is written.
    ///
    /// Deletions of the save have been written; its updates have not, so values that they set or release are
    /// taken from memory. An object of which two rows have unique values, or a row of another entity, keeps
    /// its own key, and its insertion fails with ``ObjectStorageError/Code/duplicateValue``.
    ///
    /// - Complexity: O(*n* log *m*) for *n* new objects with unique values, in tables of *m* rows.
    func findRowsOfInsertions(in database: Database, _ outcome: inout Outcome) throws {
        guard policy != .error, !inserted.isEmpty else { return }
        var search = MergedInsertionSearch(self, outcome.keys)
        for object in inserted { try search.settle(object, in: database) }
        outcome.mergedInsertions = search.merged
        for (object, key) in search.merged { outcome.keys.replaceKey(of: object, by: key) }
    }

    /// Returns the new objects that are not merged with other rows.
    func insertedAlone(_ outcome: Outcome) -> [ManagedObject] {
        outcome.mergedInsertions.isEmpty ? inserted : inserted.filter { outcome.mergedInsertions[$0] == nil }
    }

    /// Writes the new objects that have been given the keys of rows, in the order of their insertion, after
    /// all other rows.
    func writeMergedInsertions(in database: Database, _ outcome: inout Outcome) throws {
        guard !outcome.mergedInsertions.isEmpty else { return }
        let sharing = objectsOfMergedRows(outcome)
        for object in inserted {
            guard let key = outcome.mergedInsertions[object],
                let present = try Self.row(of: object, key: key, in: database)
            else { continue }
            noteDestinations(of: present, object, &outcome)
            let settled = try settledRow(of: object, present: present, in: database, &outcome)
            noteDestinations(of: settled, object, &outcome)
            let differing = settled.indices.filter { settled[$0] != present[$0] }
            if !differing.isEmpty {
                _ = try write(differing, of: settled, to: object, key: key, provided: [], in: database)
                outcome.writtenRows += database.changesCount
                outcome.noteUpdate(of: differing, object.runtime)
            }
            for other in sharing[object.entity.tableName]?[key] ?? [] {
                outcome.rows[other] = .values(settled)
            }
        }
    }

    /// Returns all objects of the rows that new objects are merged with, by table and key.
    private func objectsOfMergedRows(_ outcome: Outcome) -> [String: [Int64: [ManagedObject]]] {
        var objects: [String: [Int64: [ManagedObject]]] = [:]
        for (object, key) in outcome.mergedInsertions {
            objects[object.entity.tableName, default: [:]][key] = []
        }
        for object in [inserted, updated, deleted].joined() {
            let name = object.entity.tableName
            guard let key = object.rowKey ?? outcome.keys[object], objects[name]?[key] != nil else {
                continue
            }
            objects[name]?[key]?.append(object)
        }
        return objects
    }

    /// Returns the values of a row after a new object was merged with it.
    ///
    /// - Parameter present: The values of the row in the store.
    private func settledRow(
        of object: ManagedObject, present: [StoredValue], in database: Database, _ outcome: inout Outcome
    ) throws -> [StoredValue] {
        var settled = present
        if policy.winner == .context {
            let given = Self.resolvedValues(of: object, keys: outcome.keys)
            let values = try storedValues(of: object, for: .save, in: database, &outcome)
            let initial = object.runtime.initialValues
            // Values that the app did not set are not changes of the context.
            for slot in values.indices where policy == .contextWins || given[slot] != initial[slot] {
                settled[slot] = values[slot]
            }
        }
        let external = outcome.externalValues[object] ?? []
        try forget(external, unlessIn: settled, in: database)
        outcome.externalValues[object] = external.filter { settled[$0.slot] == .integer($0.number) }
        return settled
    }

    private func noteDestinations(of row: [StoredValue], _ object: ManagedObject, _ outcome: inout Outcome) {
        let first = object.entity.storedAttributes.count
        for (position, relationship) in object.entity.toOneRelationships.enumerated() {
            outcome.reachedRows?.noteDestination(
                row[first + position], by: relationship.name, of: object.entity)
        }
    }
}

/// The search for the rows with the unique values of new objects.
private struct MergedInsertionSearch {
    /// The keys of the rows that objects are merged with.
    private(set) var merged: [ManagedObject: Int64] = [:]
    private let changes: PendingChanges
    private let keys: NewObjectKeys
    private var constraints: [ObjectIdentifier: [UniqueConstraint]] = [:]
    private var settled: Set<ManagedObject> = []
    /// The rows to which objects of the context give unique values.
    private var claims: [Claim: (key: Int64, entityName: String)] = [:]
    /// The objects with changed unique values, by table and key.
    private var updated: [String: [Int64: ManagedObject]] = [:]

    private struct Claim: Hashable {
        let constraint: String
        let values: [StoredValue]
    }

    init(_ changes: PendingChanges, _ keys: NewObjectKeys) {
        self.changes = changes
        self.keys = keys
        guard changes.inserted.contains(where: { !constraints(of: $0).isEmpty }) else { return }
        for object in changes.updated {
            guard let committed = object.committedValues, let key = object.rowKey else { continue }
            for constraint in constraints(of: object)
            where constraint.slots.contains(where: { object.values[$0] != committed[$0] }) {
                updated[object.entity.tableName, default: [:]][key] = object
                if let values = constraint.values(of: resolvedValues(of: object)) {
                    claims[Claim(constraint: constraint.name, values: values)] = (key, object.entity.name)
                }
            }
        }
    }

    /// Finds the row of one new object, after those of the new objects that its unique values lead to.
    mutating func settle(_ object: ManagedObject, in database: Database) throws {
        let constraints = constraints(of: object)
        guard !constraints.isEmpty, settled.insert(object).inserted else { return }
        for slot in Set(constraints.joined(by: \.slots)) {
            if let target = object.assignedReferences[slot], target.state == .inserted {
                try settle(target, in: database)
            }
        }
        let values = resolvedValues(of: object)
        var found: Set<Int64> = []
        var isOfOther = false
        for constraint in constraints {
            guard let unique = constraint.values(of: values),
                let row = try row(with: unique, constraint, in: database)
            else { continue }
            found.insert(row.key)
            if row.entityName != object.entity.name { isOfOther = true }
        }
        if let key = found.first, found.count == 1, !isOfOther { merged[object] = key }
        guard let key = merged[object] ?? keys[object] else { return }
        for constraint in constraints {
            guard let unique = constraint.values(of: values) else { continue }
            let claim = Claim(constraint: constraint.name, values: unique)
            if claims[claim] == nil { claims[claim] = (key, object.entity.name) }
        }
    }

    /// Returns the row that has, or will have, unique values.
    private func row(
        with values: [StoredValue], _ constraint: UniqueConstraint, in database: Database
    ) throws -> (key: Int64, entityName: String)? {
        if let claimed = claims[Claim(constraint: constraint.name, values: values)] { return claimed }
        let statement = try SQLiteStatement(constraint.selection, in: database)
        try statement.bind(values)
        let found = try statement.use { statement -> ObjectID? in
            guard try statement.step() else { return nil }
            return ObjectID((0..<statement.columnCount).map(statement.value), of: constraint.owner)
        }
        guard let found, let key = found.primaryKey else { return nil }
        if let object = updated[constraint.owner.tableName]?[key],
            constraint.values(of: resolvedValues(of: object)) != values
        {
            // The save gives the row another value.
            return nil
        }
        return (key, found.entityName)
    }

    /// Returns the values of an object, with the keys of the rows that new objects are merged with.
    private func resolvedValues(of object: ManagedObject) -> [StoredValue] {
        guard object.details?.assignedReferences.isEmpty == false else { return object.values }
        var values = object.values
        for (slot, target) in object.assignedReferences {
            let key = target.isDeleted ? nil : target.rowKey ?? merged[target] ?? keys[target]
            values[slot] = key.map(StoredValue.integer) ?? .null
        }
        return values
    }

    private mutating func constraints(of object: ManagedObject) -> [UniqueConstraint] {
        let id = ObjectIdentifier(object.runtime)
        if let known = constraints[id] { return known }
        let new = UniqueConstraint.all(
            of: object.entity, slotNames: object.runtime.slotNames, changes.container.model)
        constraints[id] = new
        return new
    }
}

extension [UniqueConstraint] {
    fileprivate func joined(by slots: (UniqueConstraint) -> [Int]) -> [Int] { flatMap(slots) }
}
