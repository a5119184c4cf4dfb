import GRDB

/// A writer that updates the rows of an entity with given unique values, in a batch.
final class BatchUpsert {
    /// The stored row with the unique values of a row of the batch.
    struct Match {
        let objectID: ObjectID
        /// The present values of the columns that the batch gives.
        fileprivate let present: [StoredValue]
    }

    /// The positions of the unique columns.
    let keyColumns: [Int]
    private let table: BatchTable
    /// The statements by the positions of the given columns.
    private var statements: [[Int]: Statements] = [:]
    private let owned: OwnedStatements
    /// The greatest number of kept statements. The rows of most batches give a few sets of columns, but there
    /// may be as many sets as rows.
    private static let maximumCount = 64

    private struct Statements {
        let lookUp: SQLiteStatement
        let update: SQLiteStatement
        /// The positions of ordered lists that follow the columns in the update.
        let orders: [(position: Int, column: String)]
    }

    /// Creates a writer for the rows of a table.
    ///
    /// - Parameters:
    ///   - names: The names of the properties that are unique together.
    ///   - model: The model of the table's entity.
    /// - Throws: ``ObjectStorageError`` if a property does not exist, or no unique index has these columns.
    init(
        _ names: [String], into table: BatchTable, of model: ManagedObjectModel, in database: Database
    ) throws {
        self.table = table
        owned = OwnedStatements(of: table.database)
        let entity = table.entity
        var columns: [Int] = []
        for name in names {
            guard let column = table.columns.firstIndex(of: name) else {
                try entity.check(.null, forColumn: name)
                throw entity.unknownProperty(name)
            }
            columns.append(column)
        }
        keyColumns = columns
        guard try Self.areUnique(names, entity, model, in: database) else {
            throw ObjectStorageError(
                .invalidRequest,
                "“\(names.joined(separator: "”, “"))” of “\(entity.name)” is not unique, so a row of a batch could identify several objects. Declare the properties unique in the model, or pass unique properties.",
                entityName: entity.name, propertyName: names.first)
        }
    }

    /// Returns the row that has the unique values.
    ///
    /// - Parameters:
    ///   - unique: The values of the unique columns, none of which is nil.
    ///   - given: The ascending positions of the columns that the batch gives.
    func match(_ unique: [StoredValue], given: [Int]) throws -> Match? {
        let statement = try statements(given).lookUp
        try statement.bind(unique)
        let identity = table.entity.hasSubentities && table.entity.concreteEntitySQL != nil ? 2 : 1
        return try statement.use { statement in
            guard try statement.step(),
                let objectID = ObjectID((0..<identity).map(statement.value), of: table.entity)
            else { return nil }
            let present = given.indices.map { statement.value(identity + $0) }
            return Match(objectID: objectID, present: normalized(present, given))
        }
    }

    /// Writes values to a row, if they differ from its present ones.
    ///
    /// - Parameters:
    ///   - values: The values of the columns `given`, which have been checked.
    ///   - runtime: The runtime of the table's entity.
    /// - Returns: Whether the values differ.
    func update(
        _ match: Match, _ values: [StoredValue], given: [Int], runtime: EntityRuntime, in database: Database
    ) throws -> Bool {
        guard match.present != values, let key = match.objectID.primaryKey else {
            table.noteUnchanged()
            return false
        }
        let entity = table.entity
        for (position, column) in given.enumerated() where match.present[position] != values[position] {
            // The object at the other end would have to be written as well.
            try runtime.requireOneEnd(ofRelationshipNamed: table.columns[column])
        }
        try table.noteWrite()
        try table.reachedRows?.noteRow(key, entity, isThere: true, in: database)
        var row = Array(repeating: StoredValue.null, count: table.columns.count)
        for (position, column) in given.enumerated() {
            row[column] = entity.columnValue(values[position], slot: column)
        }
        row = try table.shortened(row)
        let statements = try statements(given)
        // An object that is linked to another object goes to the end of that object's list.
        let orders = statements.orders.map { order -> StoredValue in
            .integer(match.present[order.position] == values[order.position] ? 1 : 0)
        }
        try table.bind(given.map { row[$0] } + [.integer(key)] + orders, to: statements.update)
        try statements.update.run()
        guard database.changesCount == 1 else {
            throw ObjectStorageError(
                .constraintViolation,
                "A trigger of table “\(entity.tableName)” refused a change of \(match.objectID).",
                entityName: entity.name, objectID: match.objectID)
        }
        try table.reachedRows?.noteRow(key, entity, isThere: true, in: database)
        return true
    }

    private func statements(_ given: [Int]) throws -> Statements {
        if let known = statements[given] { return known }
        if statements.count >= Self.maximumCount {
            statements = [:]
            owned.removeAll()
        }
        let entity = table.entity
        let conditions =
            keyColumns.enumerated().map { "\(entity.valueSQL(table.columns[$1])) = ?\($0 + 1)" }
            + [entity.concreteEntityCondition()].compactMap { $0 }
        let values = given.map { column -> String in
            let name = entity.columnSQL(table.columns[column])
            let isExternal =
                entity.storedAttributes.indices.contains(column)
                && entity.storedAttributes[column].allowsExternalStorage
            return isExternal ? LargeValueTable.valueSQL(name) : name
        }
        let lookUp = try SQLiteStatement(
            "SELECT \(([entity.identityColumns()] + values).joined(separator: ", ")) FROM \(entity.tableSQL) WHERE \(conditions.joined(separator: " AND ")) LIMIT 1",
            in: owned)
        var assignments = given.enumerated().map { "\(entity.columnSQL(table.columns[$1])) = ?\($0 + 1)" }
        var orders: [(position: Int, column: String)] = []
        for (position, column) in given.enumerated()
        where entity.orderedToOneNames.contains(table.columns[column]) {
            let name = EntityDescription.orderColumnName(ofToOneNamed: table.columns[column])
            orders.append((position, entity.columnSQL(name)))
            assignments.append(
                "\(entity.columnSQL(name)) = CASE ?\(given.count + 1 + orders.count) WHEN 1 THEN \(entity.columnSQL(name)) END"
            )
        }
        let update = try SQLiteStatement(
            "UPDATE \(entity.tableSQL) SET \(assignments.isEmpty ? "\(entity.keySQL) = \(entity.keySQL)" : assignments.joined(separator: ", ")) WHERE \(entity.keySQL) = ?\(given.count + 1)",
            in: owned)
        let new = Statements(lookUp: lookUp, update: update, orders: orders)
        statements[given] = new
        return new
    }

    /// Returns values of columns of an external table in the forms that objects use.
    private func normalized(_ values: [StoredValue], _ given: [Int]) -> [StoredValue] {
        guard table.entity.mapping != nil else { return values }
        var row = Array(repeating: StoredValue.null, count: table.columns.count)
        for (position, column) in given.enumerated() { row[column] = values[position] }
        row = table.entity.normalized(row)
        return given.map { row[$0] }
    }

    /// Returns whether a unique index that covers all rows of the entity has these columns.
    private static func areUnique(
        _ names: [String], _ entity: EntityDescription, _ model: ManagedObjectModel, in database: Database
    ) throws -> Bool {
        guard entity.mapping != nil else {
            return UniqueConstraint.all(of: entity, slotNames: entity.slotNames, model).contains {
                Set($0.slots.map { entity.slotNames[$0] }) == Set(names)
            }
        }
        let rows = try database.rows(
            """
            SELECT list.name, info.name FROM pragma_index_list(?1) AS list, pragma_index_info(list.name) AS info
            WHERE list."unique" AND NOT list.partial
            """, [.text(entity.tableName)])
        var columns: [StoredValue: Set<String>] = [:]
        for row in rows {
            columns[row[0], default: []].insert((row[1].text ?? "").lowercased().columnIdentifier)
        }
        let wanted = Set(names.map { entity.columnSQL($0).lowercased() })
        return columns.values.contains(wanted)
    }
}
