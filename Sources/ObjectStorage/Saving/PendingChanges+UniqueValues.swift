import GRDB

/// Unique values that pass from object to object, and those that two unsaved objects have at once.
extension PendingChanges {
    /// Updates all objects, each after those that give up a unique value which it gets. Where they pass
    /// values on in a circle, all of them give theirs up first.
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
                    // It is written again with the rest of the object.
                    try forget(outcome.externalValues[object] ?? [], unlessIn: [], in: database)
                    outcome.externalValues[object] = nil
                }
            }
            // Values that are passed on from row to row go through in two rounds, whichever way they were
            // set.
            if let failure, postponed.count == objects.count || rounds > 1 {
                let mayGoOn =
                    purpose == .save
                    ? try giveUpUniqueValues(of: postponed, in: database, &outcome)
                    : try allowDuplicates(among: postponed, in: database, &outcome)
                if !mayGoOn, postponed.count == objects.count {
                    // A conflict says why the value is not free. Else whoever has it keeps it.
                    guard outcome.conflicts.isEmpty else { return }
                    throw failure
                }
            }
            objects = postponed.reversed()
        }
    }

    /// Runs a statement that writes a new object. Where changes are only to be looked at, a duplicate is for
    /// the save to find.
    func insertingWithDuplicates(
        _ object: ManagedObject, for purpose: Purpose, in database: Database, _ outcome: inout Outcome,
        _ body: () throws -> Void
    ) throws {
        do {
            try naming(object, body)
        } catch let error as ObjectStorageError where error.code == .duplicateValue && purpose != .save {
            guard try allowDuplicates(among: [object], in: database, &outcome) else { throw error }
            try naming(object, body)
        }
    }

    /// Takes the unique indexes of objects' tables away until the transaction is rolled back.
    ///
    /// - Returns: Whether there was any. Those of somebody else's tables stay.
    private func allowDuplicates(
        among objects: [ManagedObject], in database: Database, _ outcome: inout Outcome
    ) throws -> Bool {
        let names = Set(objects.filter { $0.entity.mapping == nil }.map(\.entity.tableName))
            .subtracting(outcome.tablesWithDuplicates)
        guard !names.isEmpty else { return false }
        if outcome.formerSchemaVersion == nil {
            outcome.formerSchemaVersion = try database.schemaVersionValue()
        }
        for table in container.model.tables where names.contains(table.root.tableName) {
            for index in table.indexes where index.isUnique {
                try database.run("DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
            }
        }
        outcome.tablesWithDuplicates.formUnion(names)
        return true
    }

    /// Takes away what objects are about to change of unique values, so that the others can have them.
    ///
    /// - Returns: Whether there was something to take.
    private func giveUpUniqueValues(
        of objects: [ManagedObject], in database: Database, _ outcome: inout Outcome
    ) throws -> Bool {
        var hasGivenUp = false
        // An owner's columns may have to have values.
        for object in objects where object.entity.mapping == nil && outcome.givenUp[object] == nil {
            guard let committed = object.committedValues, let key = object.rowKey else { continue }
            let unique = uniqueSlots(of: object).filter { object.values[$0] != committed[$0] }
            guard !unique.isEmpty else { continue }
            let nulls = Array(repeating: StoredValue.null, count: committed.count)
            // What somebody else changed meanwhile is judged with the rest of the object.
            let isWritten = try write(
                unique, of: nulls, to: object, key: key, provided: unique.map { ($0, committed[$0]) },
                in: database)
            guard isWritten else { continue }
            outcome.writtenRows += database.changesCount
            outcome.givenUp[object] = unique
            hasGivenUp = true
        }
        return hasGivenUp
    }

    private func uniqueSlots(of object: ManagedObject) -> [Int] {
        var names: Set<String> = []
        var entity: EntityDescription? = object.entity
        while let current = entity {
            names.formUnion(current.ownAttributes.filter(\.isUnique).map(\.name))
            names.formUnion(current.uniquenessConstraints.joined())
            entity = current.parentName.flatMap(container.model.entity(named:))
        }
        return object.runtime.slotNames.indices.filter { names.contains(object.runtime.slotNames[$0]) }
    }
}
