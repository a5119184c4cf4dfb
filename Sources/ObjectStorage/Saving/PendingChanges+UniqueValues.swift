import GRDB

/// Unique values that are exchanged between objects, and duplicates among unsaved objects.
extension PendingChanges {
    /// Runs a statement that writes a new object. If the changes will be rolled back, duplicates are allowed;
    /// the save reports them.
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

    /// Drops the unique indexes of the objects' tables until the transaction is rolled back.
    ///
    /// - Returns: Whether this call dropped the indexes of any table. Indexes of external tables are kept.
    func allowDuplicates(
        among objects: [ManagedObject], in database: Database, _ outcome: inout Outcome
    ) throws -> Bool {
        let names = Set(objects.filter { $0.entity.mapping == nil }.map(\.entity.tableName))
            .subtracting(outcome.tablesWithDuplicates)
        guard !names.isEmpty else { return false }
        if outcome.previousSchemaVersion == nil {
            outcome.previousSchemaVersion = try database.schemaVersionValue()
        }
        for table in container.model.tables where names.contains(table.root.tableName) {
            for index in table.indexes where index.isUnique {
                try database.run("DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
            }
        }
        outcome.tablesWithDuplicates.formUnion(names)
        return true
    }

    /// Sets unique values that objects are about to change to NULL, so that other objects can have them.
    ///
    /// - Returns: Whether a value was released.
    func giveUpUniqueValues(
        of objects: [ManagedObject], in database: Database, _ outcome: inout Outcome
    ) throws -> Bool {
        var hasGivenUp = false
        // Columns of external tables may be NOT NULL, except in tables with row rules.
        for object in objects
        where (object.entity.mapping == nil || object.entity.rowRules != nil)
            && outcome.givenUp[object] == nil
        {
            guard let committed = object.committedValues, let key = object.rowKey else { continue }
            let unique = uniqueSlots(of: object).filter { object.values[$0] != committed[$0] }
            guard !unique.isEmpty else { continue }
            let nulls = Array(repeating: StoredValue.null, count: committed.count)
            // A concurrent change of the value is resolved with the object's other values.
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
            names.formUnion(current.ownUniqueNames.joined())
            entity = current.parentName.flatMap(container.model.entity(named:))
        }
        return object.runtime.slotNames.indices.filter { names.contains(object.runtime.slotNames[$0]) }
    }
}
