import GRDB

extension MigrationPlan {
    /// Brings the store into its new shape, in the transaction that `database` is in.
    ///
    /// SQLite must not enforce foreign keys meanwhile, because tables are replaced.
    ///
    /// - Complexity: O(*n*) in the number of rows of the tables that change; O(1) for a table of which only rules change.
    func run(in database: Database) throws {
        for table in tables { try run(table, in: database) }
        for link in removedLinks {
            try database.run("DROP TABLE main.\(link.name.quotedIdentifier)")
            try database.run("DELETE FROM main.sc_gen WHERE tbl = ?1", [.text(link.name)])
        }
        for link in links { try run(link, in: database) }
        for table in tables { try checkMissingValues(table.destination, in: database) }
        // An owner's tables may lead where they like.
        let checks =
            model.hasExistingTables
            ? (model.entities.filter { $0.existingTable == nil }.map(\.name)
                + model.linkTables.filter { $0.existing == nil }.map(\.name))
                .map { "PRAGMA main.foreign_key_check(\($0.quotedIdentifier))" }
            : ["PRAGMA main.foreign_key_check"]
        for check in checks {
            guard let violation = try database.rows(check).first else { continue }
            throw ObjectStorageError(
                .conflict,
                "After the migration a row of \(violation[0]) would lead to a row that is not there. Nothing was changed."
            )
        }
    }

    private func run(_ table: Table, in database: Database) throws {
        let (source, destination) = (table.source, table.destination)
        let old = source.tableSQL
        let sequence = try database.rows(
            "SELECT seq FROM main.sqlite_sequence WHERE name = ?1", [.text(source.name)]
        ).first?.first
        let trackingID = try StoreTracking.trackingID(of: source.name, in: database)
        // No entity can have this name.
        let new = "main.\"sc_new\""
        try database.run(
            StoreSchema.table(destination, of: model).replacing(
                "CREATE TABLE \(destination.tableSQL)", with: "CREATE TABLE \(new)",
                maxReplacements: 1))
        if let step = table.step {
            try copy(table, by: step, from: old, to: new, in: database)
        } else {
            try copy(table, from: old, to: new, in: database)
        }
        try database.run("DROP TABLE \(old)")
        try database.run("ALTER TABLE \(new) RENAME TO \(destination.tableName.quotedIdentifier)")
        if let sequence {
            try database.run(
                "DELETE FROM main.sqlite_sequence WHERE name = ?1", [.text(destination.name)])
            try database.run(
                "INSERT INTO main.sqlite_sequence (name, seq) VALUES (?1, ?2)",
                [.text(destination.name), sequence])
        }
        do {
            for index in StoreSchema.indexes(destination) { try database.run(index) }
            for trigger in ExternalData.triggers(destination) { try database.run(trigger.sql) }
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw ObjectStorageError(
                .duplicateValue,
                "Entity “\(destination.name)”: the model wants values to be unique that are there twice (\(error.message ?? "")). Nothing was changed; write a MigrationStep that makes them differ.",
                entityName: destination.name)
        }
        try StoreTracking.goOn(
            trackingID: trackingID, formerly: source.name, as: destination.name, in: database)
    }

    /// Copies rows by SQL alone.
    private func copy(_ table: Table, from old: String, to new: String, in database: Database) throws {
        let names = table.destination.slotNames
        var expressions: [String] = []
        var values: [StoredValue] = []
        for (name, column) in zip(names, table.sourceColumns) {
            let attribute = table.destination.attribute(named: name)
            let fallback = attribute?.defaultValue ?? .null
            let column = column.map { table.source.valueSQL(ofColumn: $0, for: attribute) }
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
            "INSERT INTO \(new) (\((["objectID"] + names.map(\.quotedIdentifier)).joined(separator: ", "))) "
                + "SELECT \((["objectID"] + expressions).joined(separator: ", ")) FROM \(old)", values)
    }

    /// Copies rows through a step.
    private func copy(
        _ table: Table, by step: MigrationStep, from old: String, to new: String, in database: Database
    ) throws {
        let destination = table.destination
        let names = destination.slotNames
        let sourceNames = table.source.slotNames
        let reading = try SQLiteStatement(
            "SELECT \((["objectID"] + sourceNames.map(\.quotedIdentifier)).joined(separator: ", ")) FROM \(old) ORDER BY objectID",
            in: database)
        let parameters = (1...(names.count + 1)).map { "?\($0)" }.joined(separator: ", ")
        let writing = try SQLiteStatement(
            "INSERT INTO \(new) (\((["objectID"] + names.map(\.quotedIdentifier)).joined(separator: ", "))) VALUES (\(parameters))",
            in: database)
        let places = table.sourceColumns.map { column in column.flatMap { sourceNames.firstIndex(of: $0) } }
        try reading.use { reading in
            while try reading.step() {
                let key = reading.integer(0)
                let stored = sourceNames.indices.map { reading.value($0 + 1) }
                let row = MigrationStep.Row(
                    names: sourceNames, values: try table.source.complete(stored, in: database))
                let made = try step.transform(row)
                try check(made, of: destination, key: key)
                try writing.bind(.integer(key), at: 1)
                for (slot, name) in names.enumerated() {
                    let attribute = destination.attribute(named: name)
                    let fallback = attribute?.defaultValue ?? .null
                    let copied = places[slot].map {
                        (attribute?.allowsExternalStorage == true ? stored : row.values)[$0]
                    }
                    try writing.bind(made[name] ?? copied ?? fallback, at: slot + 2)
                }
                try writing.run()
            }
        }
    }

    /// Checks what a step made of a row.
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
                    "The migration step of “\(entity.name)” makes \(value) of “\(name)” of \(objectID), which is no \(attribute.type.rawValue). Nothing was changed.",
                    entityName: entity.name, propertyName: name, objectID: objectID)
            }
        }
    }

    /// Makes sure that no value is missing that must be there.
    private func checkMissingValues(_ entity: EntityDescription, in database: Database) throws {
        let required =
            entity.storedAttributes.filter { !$0.isOptional }.map(\.name)
            + entity.toOneRelationships.filter { !$0.isOptional }.map(\.name)
        for name in required {
            let row = try database.rows(
                "SELECT objectID FROM \(entity.tableSQL) WHERE \(name.quotedIdentifier) IS NULL LIMIT 1"
            )
            guard case .integer(let key)? = row.first?.first else { continue }
            let objectID = ObjectID(entityName: entity.name, primaryKey: key)
            throw ObjectStorageError(
                .modelMismatch,
                "Entity “\(entity.name)” of the model wants a value of “\(name)”, and \(objectID) has none. Nothing was changed; give the attribute a default, declare it optional, or write a MigrationStep.",
                entityName: entity.name, propertyName: name, objectID: objectID)
        }
    }

    /// Copies a link table into its new name and shape.
    private func run(_ link: Link, in database: Database) throws {
        let (source, destination) = (link.source, link.destination)
        let trackingID = try StoreTracking.trackingID(of: source.name, in: database)
        let new = "main.\"sc_new\""
        let statements = StoreSchema.linkTable(destination, of: model)
        try database.run(
            statements[0].replacing(
                "CREATE TABLE main.\(destination.name.quotedIdentifier)", with: "CREATE TABLE \(new)",
                maxReplacements: 1))
        var columns = [("source", "target"), ("target", "source")]
        let ordersTargets = link.isReversed ? source.hasTargetPosition : source.hasSourcePosition
        let ordersSources = link.isReversed ? source.hasSourcePosition : source.hasTargetPosition
        if ordersTargets, destination.hasSourcePosition {
            columns.append(("sourcePosition", "targetPosition"))
        }
        if ordersSources, destination.hasTargetPosition {
            columns.append(("targetPosition", "sourcePosition"))
        }
        let names = columns.map(\.0).joined(separator: ", ")
        let values = columns.map { link.isReversed ? $0.1 : $0.0 }.joined(separator: ", ")
        let old = "main." + source.name.quotedIdentifier
        try database.run("INSERT INTO \(new) (\(names)) SELECT \(values) FROM \(old)")
        try database.run("DROP TABLE \(old)")
        try database.run("ALTER TABLE \(new) RENAME TO \(destination.name.quotedIdentifier)")
        for statement in statements.dropFirst() { try database.run(statement) }
        try StoreTracking.goOn(
            trackingID: trackingID, formerly: source.name, as: destination.name, in: database)
    }
}

extension EntityDescription {
    /// A column of the old table as SQL, with the bytes themselves for an attribute that does not keep them out of the row.
    fileprivate func valueSQL(ofColumn name: String, for attribute: AttributeDescription?) -> String {
        guard self.attribute(named: name)?.allowsExternalStorage == true,
            attribute?.allowsExternalStorage != true
        else { return columnSQL(name) }
        return ExternalData.valueSQL(columnSQL(name))
    }

    /// The values of a row with the bytes themselves where the row has their numbers.
    fileprivate func complete(_ values: [StoredValue], in database: Database) throws -> [StoredValue] {
        var values = values
        for (slot, attribute) in storedAttributes.enumerated() where attribute.allowsExternalStorage {
            guard case .integer(let number) = values[slot] else { continue }
            values[slot] = try ExternalData.value(number, in: database) ?? .null
        }
        return values
    }
}
