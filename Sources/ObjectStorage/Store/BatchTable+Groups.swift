import GRDB

/// Inserts rows of a table in groups, each by one statement.
///
/// A statement for one row spends half of its time on what SQLite does for each statement: it opens the table,
/// takes a savepoint and enters the triggers' programs.
final class BatchGroup {
    /// How many rows a group has.
    static let size = 16

    private let statement: SQLiteStatement
    private let memory = BindingMemory(byteCount: size * 512)
    private let numberOfColumns: Int
    private(set) var count = 0

    init(into entity: EntityDescription, columns: [String], in database: Database) throws {
        numberOfColumns = columns.count
        let kind = entity.kindSQL.map { (column: $0, value: entity.name.quotedLiteral) }
        let targets = columns.map(entity.columnSQL) + (kind.map { [$0.column] } ?? [])
        let rows = (0..<Self.size).map { row in
            let parameters = columns.indices.map { "?\(row * columns.count + $0 + 1)" }
            return "(\((parameters + (kind.map { [$0.value] } ?? [])).joined(separator: ", ")))"
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

    /// Lets go of the rows.
    func forget() {
        count = 0
        memory.reset()
    }
}

extension BatchTable {
    /// How many rows a group has.
    package static var groupSize: Int { BatchGroup.size }

    /// Makes ready for rows in groups, of which all are inserted or none.
    ///
    /// - Returns: False where rows are inserted one by one: in a table of another owner, whose triggers are to
    ///   see them so, where relationships have bounds, and where a trigger or a constraint of another program could let some rows of a statement
    ///   stay that fails.
    /// - Throws: ``ObjectStorageError`` if the store cannot be read.
    package func beginGroups() throws(ObjectStorageError) -> Bool {
        guard entity.mapping == nil, reachedRows == nil, !columns.isEmpty,
            columns.count * BatchGroup.size <= 999,
            !entity.storedAttributes.contains(where: \.allowsExternalStorage)
        else { return false }
        return try ObjectStorageError.translating("Preparing to write “\(entity.name)”") {
            guard try !hasForeignRules() else { return false }
            group = try BatchGroup(into: entity, columns: columns, in: database)
            return true
        }
    }

    /// Adds a row to the group in hand.
    ///
    /// - Throws: As ``insert(_:)`` for a value that its attribute cannot hold, or that is missing. Then the row
    ///   is not part of the group.
    package func addToGroup(_ values: [StoredValue]) throws(ObjectStorageError) {
        try check(values)
        try ObjectStorageError.translating("Inserting into “\(entity.name)”") { try group?.add(values) }
    }

    /// Inserts the group in hand, which has ``groupSize`` rows, and begins another.
    ///
    /// - Returns: False if a row is at fault. None of the group is there then; inserted one by one, they tell
    ///   which.
    /// - Throws: ``ObjectStorageError`` if the transaction cannot go on.
    package func insertGroup() throws(ObjectStorageError) -> Bool {
        try ObjectStorageError.translating("Inserting into “\(entity.name)”") {
            guard let group, group.count == BatchGroup.size else { return false }
            for _ in 0..<BatchGroup.size { try noteWrite() }
            do {
                try group.run()
                return true
            } catch let error as DatabaseError {
                // A full disk may have ended the transaction; nothing may be written outside of it.
                guard database.isInsideTransaction else { throw error }
                return false
            }
        }
    }

    /// Lets go of the rows of the group in hand, which are not inserted.
    package func forgetGroup() { group?.forget() }

    /// Whether the table has triggers that are not ours, or constraints that end a statement and keep its rows.
    private func hasForeignRules() throws -> Bool {
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
