import GRDB

extension MigrationPlan {
    /// Migrates the store, in the current transaction of `database`.
    ///
    /// Foreign keys must not be enforced during the migration, because tables are replaced.
    ///
    /// - Complexity: O(*n*) in the number of rows of the tables that change; O(1) for a table of which only
    ///   rules change.
    func run(in database: Database) throws {
        try notePairs(in: database)
        for table in tables { try run(table, in: database) }
        for link in removedLinks {
            try database.run("DROP TABLE main.\(link.name.quotedIdentifier)")
            try ChangeTracking.forget(link.name, in: database)
        }
        try copyLinks(in: database)
        try writePairs(in: database)
        for part in tables.flatMap(\.parts) { try checkMissingValues(part.destination, in: database) }
        guard let name = try model.danglingTableName(in: database) else { return }
        throw ObjectStorageError(
            .conflict,
            "After the migration a row of \(name) would refer to a row that does not exist. Nothing was changed; correct the reference with the model that the store was made with, or in a MigrationStep."
        )
    }

    private func run(_ table: Table, in database: Database) throws {
        let destination = table.destination
        let name = destination.root.tableName
        let old = "main." + table.sourceName.quotedIdentifier
        let sequence = try database.rows(
            "SELECT seq FROM main.sqlite_sequence WHERE name = ?1", [.text(table.sourceName)]
        ).first?.first
        let trackingID = try ChangeTracking.trackingID(of: table.sourceName, in: database)
        try refuseUnknownConcreteEntities(in: table, database)
        // No entity can have this name.
        let new = "main.\"sc_new\""
        try database.run(
            StoreSchema.table(destination, of: model).replacing(
                "CREATE TABLE \(destination.root.tableSQL)", with: "CREATE TABLE \(new)",
                maxReplacements: 1))
        for part in table.parts {
            if let step = part.step {
                try copy(part, by: step, from: old, to: new, in: database)
            } else {
                try copy(part, from: old, to: new, in: database)
            }
        }
        try database.run("DROP TABLE \(old)")
        try database.run("ALTER TABLE \(new) RENAME TO \(name.quotedIdentifier)")
        if let sequence {
            try database.run("DELETE FROM main.sqlite_sequence WHERE name = ?1", [.text(name)])
            try database.run(
                "INSERT INTO main.sqlite_sequence (name, seq) VALUES (?1, ?2)", [.text(name), sequence])
        }
        do {
            for index in StoreSchema.indexes(destination) { try database.run(index) }
            for trigger in LargeValueTable.triggers(destination) { try database.run(trigger.sql) }
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw Self.notUnique(name, error)
        }
        try ChangeTracking.goOn(
            trackingID: trackingID, as: TrackedTable(destination, of: model), in: database)
    }

    /// Checks that each row belongs to an entity of the model, because other rows would be lost.
    private func refuseUnknownConcreteEntities(in table: Table, _ database: Database) throws {
        guard let source = table.parts.first?.source, let entityColumn = source.concreteEntitySQL else {
            return
        }
        let known = table.parts.map(\.source.name.quotedLiteral).joined(separator: ", ")
        let row = try database.rows(
            "SELECT objectID, \(entityColumn) FROM \(source.tableSQL) WHERE \(entityColumn) NOT IN (\(known)) LIMIT 1"
        ).first
        guard let row, case .integer(let key) = row[0] else { return }
        throw ObjectStorageError(
            .modelMismatch,
            "The row \(table.sourceName)/\(key) has the entity \(row[1]), which the store's model does not have. Nothing was changed; correct or delete the row.",
            entityName: table.sourceName)
    }

    /// Copies rows of an entity in SQL, without a step.
    private func copy(_ part: Part, from old: String, to new: String, in database: Database) throws {
        let names = part.destination.slotNames
        var expressions: [String] = []
        var values: [StoredValue] = []
        if part.destination.concreteEntitySQL != nil {
            expressions.append(part.destination.name.quotedLiteral)
        }
        for (name, column) in zip(names, part.sourceColumns) {
            let attribute = part.destination.attribute(named: name)
            let fallback = attribute?.defaultValue ?? .null
            let column = column.map { part.source.valueSQL(ofColumn: $0, for: attribute) }
            switch column {
            case let column? where attribute?.isOptional == false && !fallback.isNull:
                values.append(fallback)
                expressions.append("ifnull(\(column), ?\(values.count))")
            case let column?: expressions.append(column)
            case nil:
                values.append(fallback)
                expressions.append("?\(values.count)")
            }
        }
        try database.run(
            "INSERT INTO \(new) (\(part.columns.joined(separator: ", "))) "
                + "SELECT \((["objectID"] + expressions).joined(separator: ", ")) FROM \(old)\(part.condition)",
            values)
    }

    /// Copies rows of an entity through a step.
    private func copy(
        _ part: Part, by step: MigrationStep, from old: String, to new: String, in database: Database
    ) throws {
        let destination = part.destination
        let names = destination.slotNames
        let sourceNames = part.source.slotNames
        let reading = try SQLiteStatement(
            "SELECT \((["objectID"] + sourceNames.map(\.quotedIdentifier)).joined(separator: ", ")) FROM \(old)\(part.condition) ORDER BY objectID",
            in: database)
        let entityLiteral = destination.concreteEntitySQL.map { _ in destination.name.quotedLiteral }
        let parameters = ["?1"] + (entityLiteral.map { [$0] } ?? []) + names.indices.map { "?\($0 + 2)" }
        let writing = try SQLiteStatement(
            "INSERT INTO \(new) (\(part.columns.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))",
            in: database)
        let indices = part.sourceColumns.map { column in column.flatMap { sourceNames.firstIndex(of: $0) } }
        try reading.use { reading in
            while try reading.step() {
                let key = reading.integer(0)
                let stored = sourceNames.indices.map { reading.value($0 + 1) }
                let row = MigrationStep.Row(
                    names: sourceNames, values: try part.source.complete(stored, in: database))
                let made = try step.transform(row)
                try check(made, of: destination, key: key)
                if let name = part.unknownNames.first(where: { made[$0] == nil }) {
                    throw Self.leftOut(name, of: destination, key: key)
                }
                try writing.bind(.integer(key), at: 1)
                for (slot, name) in names.enumerated() {
                    let attribute = destination.attribute(named: name)
                    let fallback = attribute?.defaultValue ?? .null
                    let copied = indices[slot].map {
                        (attribute?.allowsExternalStorage == true ? stored : row.values)[$0]
                    }
                    try writing.bind(made[name] ?? copied ?? fallback, at: slot + 2)
                }
                try writing.run()
            }
        }
    }

    /// Returns the error for a step that returns no value for a property of another type.
    private static func leftOut(
        _ name: String, of entity: EntityDescription, key: Int64
    ) -> ObjectStorageError {
        let objectID = ObjectID(entityName: entity.name, primaryKey: key)
        return ObjectStorageError(
            .modelMismatch,
            "“\(name)” of entity “\(entity.name)” has another type in the store, and the migration step returns no value for it in \(objectID). Nothing was changed; let the step return a value or .null for it.",
            entityName: entity.name, propertyName: name, objectID: objectID)
    }

    /// Checks the values that a step returned for a row.
    private func check(
        _ values: [String: StoredValue], of entity: EntityDescription, key: Int64
    ) throws(ObjectStorageError) {
        for (name, value) in values {
            let attribute = entity.attribute(named: name)
            guard attribute != nil || entity.toOneRelationships.contains(where: { $0.name == name }) else {
                throw entity.unknownProperty(name)
            }
            if let attribute, !attribute.type.accepts(value) {
                let objectID = ObjectID(entityName: entity.name, primaryKey: key)
                throw ObjectStorageError(
                    .invalidValue,
                    "The migration step of “\(entity.name)” returns \(value) for “\(name)” of \(objectID), which is not a value of type \(attribute.type.rawValue). Nothing was changed.",
                    entityName: entity.name, propertyName: name, objectID: objectID)
            }
        }
    }

    /// Checks that no required value is missing.
    private func checkMissingValues(_ entity: EntityDescription, in database: Database) throws {
        let required =
            entity.storedAttributes.filter { !$0.isOptional }.map(\.name)
            + entity.toOneRelationships.filter { !$0.isOptional }.map(\.name)
        let own = entity.concreteEntityCondition(includesSubentities: false).map { " AND " + $0 } ?? ""
        for name in required {
            let row = try database.rows(
                "SELECT objectID FROM \(entity.tableSQL) WHERE \(name.quotedIdentifier) IS NULL\(own) LIMIT 1"
            )
            guard case .integer(let key)? = row.first?.first else { continue }
            let objectID = ObjectID(entityName: entity.name, primaryKey: key)
            throw ObjectStorageError(
                .modelMismatch,
                "Entity “\(entity.name)” of the model requires a value of “\(name)”, and \(objectID) has none. Nothing was changed; give the attribute a default, declare it optional, or write a MigrationStep.",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
    }
}

extension ManagedObjectModel {
    /// Returns the name of a table with a reference to a row that does not exist; nil if there is none.
    ///
    /// - Parameter names: The tables to check; nil for all of the library's own tables.
    /// - Complexity: O(*n*) in the number of their rows with relationships.
    func danglingTableName(among names: [String]? = nil, in database: Database) throws -> String? {
        // References in external tables are not checked.
        let ours =
            tables.filter { $0.root.mapping == nil }.map(\.root.tableName)
            + linkTables.filter { $0.existing == nil }.map(\.name)
        let checks =
            names == nil && !hasExistingTables
            ? ["PRAGMA main.foreign_key_check"]
            : ours.filter { names?.contains($0) ?? true }
                .map { "PRAGMA main.foreign_key_check(\($0.quotedIdentifier))" }
        for check in checks {
            if case .text(let name)? = try database.rows(check).first?.first { return name }
        }
        return nil
    }
}

extension MigrationPlan.Part {
    /// The columns to write, as SQL.
    fileprivate var columns: [String] {
        ["objectID"] + (destination.concreteEntitySQL.map { [$0] } ?? [])
            + destination.slotNames.map(\.quotedIdentifier)
    }

    /// The condition for the entity's rows in the old table, as the end of a statement.
    fileprivate var condition: String {
        source.concreteEntityCondition(includesSubentities: false).map { " WHERE " + $0 } ?? ""
    }
}

extension EntityDescription {
    /// Returns a column of the old table as SQL; the bytes themselves if the new attribute stores them in the
    /// row.
    fileprivate func valueSQL(ofColumn name: String, for attribute: AttributeDescription?) -> String {
        guard self.attribute(named: name)?.allowsExternalStorage == true,
            attribute?.allowsExternalStorage != true
        else { return columnSQL(name) }
        return LargeValueTable.valueSQL(columnSQL(name))
    }

    /// Returns the values of a row, with the numbers of large values replaced by their bytes.
    fileprivate func complete(_ values: [StoredValue], in database: Database) throws -> [StoredValue] {
        var values = values
        for (slot, attribute) in storedAttributes.enumerated() where attribute.allowsExternalStorage {
            guard case .integer(let number) = values[slot] else { continue }
            values[slot] = try LargeValueTable.value(number, in: database) ?? .null
        }
        return values
    }
}
