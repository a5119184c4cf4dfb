import GRDB

/// An entity's table inside a ``BatchWriter``'s transaction.
public final class BatchTable {
    /// The result of an upsert.
    public enum Outcome: Hashable, Sendable {
        /// No such row existed; one was inserted.
        case inserted
        /// The row existed with other values.
        case updated
        /// The row existed with these values; nothing was written.
        case unchanged
    }

    /// The entity.
    public let entity: EntityDescription
    /// The names of the columns, in the order of the values: attributes, then to-one relationships, whose
    /// values are the other objects' primary keys.
    public let columns: [String]
    let database: Database
    /// The keys that new rows of an external table must not get.
    private let keyHighWaterMarks: KeyHighWaterMarks?
    private let insertion: SQLiteStatement
    private let update: SQLiteStatement
    private let lookUpSQL: String
    /// The positions of columns whose large values are stored elsewhere.
    private let externalColumns: [Int]
    /// The positions of columns that the store computes at the end of the transaction.
    let derivedColumns: [Int]
    private var lookUps: [Int: SQLiteStatement] = [:]
    /// The rows whose rules are checked at the end of the transaction; nil if no relationship has bounds.
    let reachedRows: ReachedRowsOfBatch?
    /// Memory for the values of one row, which no statement reads after it has run.
    private let memory = BindingMemory(byteCount: 4_096)
    /// The positions in ``columns`` of required relationships, with their names.
    private let requiredRelationships: [(column: Int, name: String)]
    /// The checks of the attributes, in the order of the values.
    private let checks: [ValueCheck]
    /// Rows that are inserted together; nil if rows are inserted one by one.
    var group: BatchGroup?
    /// The recorder of the rows for an undo; nil for none.
    var recorder: RowRecorder?
    /// The estimator of the number of written rows; nil if changes are not tracked.
    private var forecast: BulkWriteEstimator?

    init(
        entity: EntityDescription, of container: PersistentContainer, expectedRows: Int,
        reachedRows: ReachedRowsOfBatch?, in database: Database
    ) throws {
        guard !entity.isAbstract else { throw entity.isAbstractError }
        self.entity = entity
        self.database = database
        self.reachedRows = reachedRows
        keyHighWaterMarks = entity.mapping == nil ? nil : container.keyHighWaterMarks
        forecast =
            container.isTracked
            ? BulkWriteEstimator(
                expectedRows: expectedRows,
                room: try ChangeTracking.room(ofTableNamed: entity.tableName, in: database)) : nil
        columns = entity.columnPropertyNames
        checks = entity.storedAttributes.map(ValueCheck.init)
        let first = entity.storedAttributes.count
        requiredRelationships = entity.toOneRelationships.enumerated().filter { !$1.isOptional }
            .map { (first + $0, $1.name) }
        let table = entity.tableSQL
        let names = columns.map(entity.columnSQL)
        let parameters = (1...max(1, columns.count)).map { "?\($0)" }
        var targets = names
        var sources = names.isEmpty ? [] : parameters
        if let entityColumn = entity.concreteEntitySQL {
            targets.append(entityColumn)
            sources.append(entity.concreteEntityLiteral)
        }
        if entity.mapping != nil {
            targets.append(entity.keySQL)
            sources.append("?\(names.count + 1)")
        }
        insertion = try SQLiteStatement(
            targets.isEmpty
                ? "INSERT INTO \(table) DEFAULT VALUES"
                : "INSERT INTO \(table) (\(targets.joined(separator: ", "))) VALUES (\(sources.joined(separator: ", ")))",
            in: database)
        let assignments = zip(names, parameters).map { "\($0) = \($1)" }.joined(separator: ", ")
        update = try SQLiteStatement(
            "UPDATE \(table) SET \(assignments.isEmpty ? "\(entity.keySQL) = \(entity.keySQL)" : assignments) WHERE \(entity.keySQL) = ?\(columns.count + 1)",
            in: database)
        let external = entity.storedAttributes.indices.filter {
            entity.storedAttributes[$0].allowsExternalStorage
        }
        externalColumns = external
        derivedColumns = entity.storedAttributes.indices.filter {
            entity.storedAttributes[$0].derivation != nil
        }
        let values = names.indices.map {
            external.contains($0) ? LargeValueTable.valueSQL(names[$0]) : names[$0]
        }
        lookUpSQL =
            "SELECT \(([entity.keySQL] + values).joined(separator: ", ")) FROM \(table) WHERE "
            + (entity.concreteEntityCondition().map { $0 + " AND " } ?? "")
    }

    /// Inserts a row and returns its primary key.
    ///
    /// - Parameter values: A value for each of ``columns``.
    /// - Throws: ``ObjectStorageError`` for a value that its attribute cannot hold, a missing value, a
    ///   duplicate of a unique value, or a failed write.
    /// - Complexity: O(log *n*) in the number of rows of the table.
    public func insert(_ values: [StoredValue]) throws(ObjectStorageError) -> Int64 {
        try check(values)
        return try ObjectStorageError.translating("Inserting into “\(entity.name)”") {
            try insertUnchecked(values)
        }
    }

    private func insertUnchecked(_ values: [StoredValue]) throws -> Int64 {
        try noteWrite()
        guard let keyHighWaterMarks else {
            try bind(try shortened(values), to: insertion)
            try insertion.run()
            let key = insertion.lastInsertedKey
            try reachedRows?.noteRow(key, entity, isThere: false, in: database)
            try recorder?.noteInserted(key, values)
            return key
        }
        let key = try KeyHighWaterMarks.key(
            after: keyHighWaterMarks.last(of: entity, in: database), of: entity)
        try bind(entity.columnValues(values) + [.integer(key)], to: insertion)
        try insertion.run()
        guard database.changesCount == 1 else {
            throw ObjectStorageError(
                .constraintViolation,
                "A trigger of table “\(entity.tableName)” refused a row of “\(entity.name)”: it was not inserted.",
                entityName: entity.name)
        }
        try reachedRows?.noteRow(key, entity, isThere: false, in: database)
        try recorder?.noteInserted(key, values)
        return key
    }

    /// Ensures that a row with these values exists for the value of one column: inserts it, updates it, or
    /// leaves it unchanged. A row of a sub-entity also matches.
    ///
    /// - Parameters:
    ///   - values: A value for each of ``columns``.
    ///   - keyColumn: The position in ``columns`` of an attribute that identifies rows, preferably a unique
    ///     one.
    /// - Returns: The primary key, and the result.
    /// - Throws: As ``insert(_:)``.
    /// - Complexity: O(log *n*) in the number of rows of the table if the column has an index, otherwise
    ///   O(*n*).
    public func upsert(
        _ values: [StoredValue], keyColumn: Int
    ) throws(ObjectStorageError) -> (primaryKey: Int64, outcome: Outcome) {
        try check(values)
        return try ObjectStorageError.translating("Writing to “\(entity.name)”") {
            let statement = try lookUpStatement(column: keyColumn)
            try statement.bind(values[keyColumn], at: 1)
            var old: [StoredValue] = []
            let found = try statement.use { statement -> (key: Int64, isSame: Bool)? in
                guard try statement.step() else { return nil }
                let isSame =
                    entity.mapping == nil
                    ? values.indices.allSatisfy {
                        statement.value($0 + 1) == values[$0] || derivedColumns.contains($0)
                    }
                    : entity.normalized(values.indices.map { statement.value($0 + 1) }) == values
                if !isSame, recorder != nil {
                    old = values.indices.map { statement.value($0 + 1) }
                    if entity.mapping != nil { old = entity.normalized(old) }
                }
                return (statement.integer(0), isSame)
            }
            guard let found else {
                return (try insertUnchecked(values), .inserted)
            }
            guard !found.isSame else {
                forecast?.noteUnchanged()
                return (found.key, .unchanged)
            }
            try noteWrite()
            try reachedRows?.noteRow(found.key, entity, isThere: true, in: database)
            try bind(entity.columnValues(try shortened(values)) + [.integer(found.key)], to: update)
            try update.run()
            try reachedRows?.noteRow(found.key, entity, isThere: true, in: database)
            try recorder?.noteUpdated(found.key, from: old, to: values)
            return (found.key, .updated)
        }
    }

    /// Deletes a row that was inserted in this transaction and to which nothing refers.
    ///
    /// - Parameter primaryKey: The result of ``insert(_:)``.
    /// - Throws: ``ObjectStorageError`` if the row does not exist, a trigger of an external table prevents
    ///   the deletion, or a write fails.
    package func undoInsertion(of primaryKey: Int64) throws(ObjectStorageError) {
        try ObjectStorageError.translating("Undoing the insertion of a row of “\(entity.name)”") {
            try noteWrite()
            try reachedRows?.noteRow(primaryKey, entity, isThere: true, in: database)
            let deletion = try SQLiteStatement(
                "DELETE FROM \(entity.tableSQL) WHERE \(entity.keySQL) = ?1", in: database)
            try deletion.bind(primaryKey, at: 1)
            try deletion.run()
            guard database.changesCount == 1 else {
                throw ObjectStorageError(
                    .constraintViolation,
                    "The row \(primaryKey) of “\(entity.name)”, which was inserted a moment ago, could not be deleted.",
                    entityName: entity.name)
            }
            recorder?.noteDeleted(primaryKey)
        }
    }

    /// Notes a row that need not be written, for the estimate of the rows that follow.
    func noteUnchanged() { forecast?.noteUnchanged() }

    func noteWrite() throws {
        guard forecast?.announcesBulkWrite() == true else { return }
        try ChangeTracking.beginBulkWrite(to: entity.tableName, in: database)
    }

    /// Returns the primary key of the first row with a value in a column, or nil.
    ///
    /// - Parameters:
    ///   - column: A position in ``columns``.
    ///   - value: The value, compared as SQLite compares it.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(log *n*) in the number of rows of the table if the column has an index, otherwise
    ///   O(*n*).
    public func primaryKey(whereColumn column: Int, is value: StoredValue) throws(ObjectStorageError)
        -> Int64?
    {
        try ObjectStorageError.translating("Looking up in “\(entity.name)”") {
            let statement = try lookUpStatement(column: column)
            try statement.bind(value, at: 1)
            return try statement.use { try $0.step() ? $0.integer(0) : nil }
        }
    }

    func lookUpStatement(column: Int) throws -> SQLiteStatement {
        if let statement = lookUps[column] { return statement }
        let statement = try SQLiteStatement(
            lookUpSQL
                + "\(entity.valueSQL(columns[column])) IS ?1 ORDER BY \(entity.keySQL) LIMIT 1",
            in: database)
        lookUps[column] = statement
        return statement
    }

    /// Writes large values to their table, and returns the row with their numbers in place of them.
    func shortened(_ values: [StoredValue]) throws -> [StoredValue] {
        guard !externalColumns.isEmpty else { return values }
        var values = values
        for column in externalColumns {
            values[column] = try LargeValueTable.insert(values[column], in: database)
        }
        return values
    }

    func check(_ values: [StoredValue]) throws(ObjectStorageError) {
        precondition(
            values.count == columns.count,
            "“\(entity.name)” has \(columns.count) columns, but \(values.count) values were given.")
        for position in checks.indices where !checks[position].acceptsInline(values[position]) {
            try check(values[position], of: entity.storedAttributes[position])
        }
        for (column, name) in requiredRelationships where values[column].isNull {
            throw ObjectStorageError(
                .missingValue, "“\(entity.name).\(name)” must have a value.", entityName: entity.name,
                propertyName: name)
        }
    }

    private func check(
        _ value: StoredValue, of attribute: AttributeDescription
    ) throws(ObjectStorageError) {
        guard attribute.type.accepts(value) else {
            throw ObjectStorageError(
                .invalidValue,
                "“\(entity.name).\(attribute.name)”: \(value) is not a value of type \(attribute.type.rawValue).",
                entityName: entity.name, propertyName: attribute.name)
        }
        guard attribute.isOptional || !value.isNull else {
            throw ObjectStorageError(
                .missingValue, "“\(entity.name).\(attribute.name)” must have a value.",
                entityName: entity.name,
                propertyName: attribute.name)
        }
        try entity.checkRules(of: attribute, value)
    }

    /// Binds the values of one row.
    func bind(_ values: [StoredValue], to statement: SQLiteStatement) throws {
        memory.reset()
        for position in values.indices { try memory.bind(values[position], at: position + 1, of: statement) }
    }
}
