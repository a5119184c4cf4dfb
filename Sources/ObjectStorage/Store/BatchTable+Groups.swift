import GRDB

/// A group of rows that one statement inserts.
///
/// A statement for one row spends half of its time on SQLite's work for each statement: it opens the table,
/// takes a savepoint and enters the triggers' programs.
final class BatchGroup {
    /// The number of rows in a group.
    static let size = 16

    private let statement: SQLiteStatement
    private let memory = BindingMemory(byteCount: size * 512)
    private let numberOfColumns: Int
    private(set) var count = 0

    init(into entity: EntityDescription, columns: [String], in database: Database) throws {
        numberOfColumns = columns.count
        let entityColumn = entity.concreteEntitySQL.map { (column: $0, value: entity.concreteEntityLiteral) }
        let targets = columns.map(entity.columnSQL) + (entityColumn.map { [$0.column] } ?? [])
        let rows = (0..<Self.size).map { row in
            let parameters = columns.indices.map { "?\(row * columns.count + $0 + 1)" }
            return "(\((parameters + (entityColumn.map { [$0.value] } ?? [])).joined(separator: ", ")))"
        }
        statement = try SQLiteStatement(
            "INSERT INTO \(entity.tableSQL) (\(targets.joined(separator: ", "))) VALUES \(rows.joined(separator: ", "))",
            in: database)
    }

    /// Binds the values of one more row.
    func add(_ values: [StoredValue]) throws {
        let first = count * numberOfColumns + 1
        for position in values.indices {
            try memory.bind(values[position], at: first + position, of: statement)
        }
        count += 1
    }

    /// Inserts the rows.
    func run() throws {
        defer { forget() }
        try statement.run()
    }

    /// Discards the rows.
    func forget() {
        count = 0
        memory.reset()
    }
}

extension BatchTable {
    /// The number of rows in a group.
    package static var groupSize: Int { BatchGroup.size }

    /// Prepares for inserting rows in groups, of which all rows are inserted or none.
    ///
    /// - Parameter keyColumn: A column of which no two rows may have one value: a group with a value that
    ///   the table has is refused. Nil if there is no such column.
    /// - Returns: False if rows must be inserted one by one: into an external table, whose triggers must run
    ///   for each row; if relationships have bounds; if the table has no columns, or a group of rows would
    ///   have more than 999 values; if an attribute stores large values outside the row; if a trigger or a
    ///   constraint of another program could preserve some rows of a failed statement; and if no unique index
    ///   refuses repeated values of the column.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func beginGroups(
        refusingRepeatedValuesOf keyColumn: Int? = nil
    ) throws(ObjectStorageError) -> Bool {
        guard entity.mapping == nil, reachedRows == nil, !columns.isEmpty,
            columns.count * BatchGroup.size <= 999,
            !entity.storedAttributes.contains(where: \.allowsExternalStorage)
        else { return false }
        return try ObjectStorageError.translating("Preparing to write “\(entity.name)”") {
            guard try !hasForeignRules() else { return false }
            if let keyColumn, try !hasUniqueIndex(of: columns[keyColumn]) { return false }
            group = try BatchGroup(into: entity, columns: columns, in: database)
            return true
        }
    }

    /// Adds a row to the current group.
    ///
    /// - Throws: As ``insert(_:)`` for a missing value, or one that its attribute cannot hold. The row is
    ///   then not part of the group.
    package func addToGroup(_ values: [StoredValue]) throws(ObjectStorageError) {
        try check(values)
        try ObjectStorageError.translating("Inserting into “\(entity.name)”") { try group?.add(values) }
        recorder?.addToGroup(values)
    }

    /// Inserts the current group of ``groupSize`` rows, and begins another one.
    ///
    /// - Returns: False if a row is invalid. No row of the group is inserted then; inserting them one by one
    ///   identifies the row.
    /// - Throws: ``ObjectStorageError`` if the transaction cannot continue.
    package func insertGroup() throws(ObjectStorageError) -> Bool {
        try ObjectStorageError.translating("Inserting into “\(entity.name)”") {
            guard let group, group.count == BatchGroup.size else { return false }
            for _ in 0..<BatchGroup.size { try noteWrite() }
            do {
                try group.run()
                try recorder?.noteGroup(lastKey: database.lastInsertedRowID)
                return true
            } catch let error as DatabaseError {
                // A full disk may have ended the transaction; nothing must be written outside it.
                guard database.isInsideTransaction else { throw error }
                recorder?.forgetGroup()
                return false
            }
        }
    }

    /// Discards the rows of the current group without inserting them.
    package func forgetGroup() {
        group?.forget()
        recorder?.forgetGroup()
    }

    /// Returns whether the table has no rows.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func isEmpty() throws(ObjectStorageError) -> Bool {
        try ObjectStorageError.translating("Reading “\(entity.name)”") {
            try database.rows("SELECT 1 FROM \(entity.tableSQL) LIMIT 1").isEmpty
        }
    }

    /// Returns the greatest primary key of the table, 0 for a table without rows.
    ///
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    /// - Complexity: O(log *n*) in the number of rows.
    package func greatestKey() throws(ObjectStorageError) -> Int64 {
        try ObjectStorageError.translating("Reading “\(entity.name)”") {
            let rows = try database.rows("SELECT max(\(entity.keySQL)) FROM \(entity.tableSQL)")
            guard case .integer(let key)? = rows.first?.first else { return 0 }
            return key
        }
    }

    /// Returns whether a unique index of one attribute covers all rows of the table.
    private func hasUniqueIndex(of name: String) throws -> Bool {
        let rows = try database.rows(
            """
            SELECT 1 FROM pragma_index_list(?1) AS list
            WHERE list."unique" AND NOT list.partial
            AND (SELECT group_concat(name, char(0)) FROM pragma_index_info(list.name)) = ?2 COLLATE NOCASE
            """, [.text(entity.tableName), .text(name)])
        return !rows.isEmpty
    }

    /// Returns whether the table has triggers of other programs, or constraints that end a statement and
    /// preserve its rows.
    func hasForeignRules() throws -> Bool {
        let own = Set(StoreSchema.triggerNames(entity.tableName))
        let rows = try database.rows(
            """
            SELECT type, name, coalesce(sql, '') LIKE '%on%conflict%' FROM \
            (SELECT type, name, sql, tbl_name FROM sqlite_schema \
            UNION ALL SELECT type, name, sql, tbl_name FROM sqlite_temp_schema) \
            WHERE lower(tbl_name) = lower(?1) AND type IN ('table', 'trigger')
            """, [.text(entity.tableName)])
        return rows.contains { row in
            guard row[0] == .text("trigger") else { return row[2] != .integer(0) }
            guard case .text(let name) = row[1] else { return true }
            return !own.contains(name)
        }
    }
}
