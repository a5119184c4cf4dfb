import GRDB
import InternalUtilities

extension PersistentContainer {
    /// Runs `body` in one write transaction, then stamps the changed tables and commits.
    ///
    /// - Parameters:
    ///   - operation: The operation, for messages.
    ///   - appliesTransactionRules: Whether `body` completes its rows by the rules of the program that owns
    ///     the store.
    /// - Returns: The result of `body`, and the tables that the transaction changed.
    func commit<Result>(
        _ operation: @autoclosure () -> String, appliesTransactionRules: Bool = false,
        _ body: (Database) throws -> Result
    ) throws(ObjectStorageError) -> (result: Result, tables: [TableTransition]) {
        guard connections.lockless?.isDiskFull != true else {
            throw ObjectStorageError(
                .diskFull,
                "\(operation()): The disk is full, so \(nameInMessages) was opened read-only. Free some space, and open it again."
            )
        }
        guard !isReadOnly else {
            throw ObjectStorageError(
                .storeReadOnly,
                "\(operation()): \(nameInMessages) is open read-only. Open it for writing, and check that its directory is writable."
            )
        }
        if !appliesTransactionRules { try refuseUnderRules(operation) }
        return try ObjectStorageError.translating(operation()) {
            try connections.write { database in
                if isTracked { try ChangeTracking.checkTriggersFire(in: database) }
                return try inRuledTransaction(in: database) { database in
                    let committed = try stamping(in: database, body)
                    try connections.checkFile()
                    return committed
                }
            }
        }
    }

    /// Runs `body` in the current transaction of `database`, and stamps the tables that it changed.
    ///
    /// - Returns: The result of `body`, and the tables that changed.
    func stamping<Result>(
        in database: Database, _ body: (Database) throws -> Result
    ) throws -> (Result, [TableTransition]) {
        if model.hasExistingTables { try beginWritingExistingTables(in: database) }
        let (before, rooms) = isTracked ? try ChangeTracking.statesAndRooms(in: database) : ([], [:])
        if isTracked { try confirmStampedSchemas(in: database) }
        let isAsSeen = isAsSeen(ifDirtyAmong: before, in: database)
        let changesBefore = database.totalChangesCount
        let derived = derivedAttributes
        try derived?.prepare(in: database)
        let result = try body(database)
        try derived?.compute(in: database)
        if model.hasExistingTables {
            try keyHighWaterMarks.note(model.entitiesOfExistingTables, in: database)
        }
        let hasChangedRows = database.totalChangesCount != changesBefore
        let left = isTracked ? try ChangeTracking.stamp(in: database) : [:]
        var tables = isTracked ? try ChangeTracking.transitions(since: before, in: database) : []
        for index in tables.indices {
            let room = rooms[tables[index].tableName]
            tables[index].isStampedOnly = room != nil && room == left[tables[index].tableName]
        }
        if isTracked {
            sharedMonitor.current?.detector.expect(tables, isAsSeen: isAsSeen)
        } else {
            try sharedMonitor.current?.detector.expectCommit(in: database)
        }
        try notifyObservers(of: tables, hasChangedRows: hasChangedRows, in: database)
        return (result, tables)
    }
}

extension PersistentContainer {
    /// Returns whether nothing was committed since the monitor's last look; false, without comparing, if all
    /// tables are stamped, because the result is then not needed.
    ///
    /// - Parameter states: The states at the beginning of the transaction.
    func isAsSeen(
        ifDirtyAmong states: [(tableName: String, state: [UInt8]?)], in database: Database
    ) -> Bool {
        guard states.contains(where: { $0.state == nil }) else { return false }
        return sharedMonitor.current?.detector.isAsSeen(in: database) ?? false
    }

    /// Confirms the stamps of tables that remain valid across a change of the schema, so that the change log
    /// continues with the following writes.
    private func confirmStampedSchemas(in database: Database) throws {
        let version = try database.schemaVersionValue()
        guard confirmedVersion.withLock({ $0 }) != version else { return }
        try ChangeTracking.confirmStampedSchemas(in: database)
        // If the transaction is rolled back, the next one repeats the confirmation.
        confirmedVersion.withLock { $0 = version }
    }

    private func beginWritingExistingTables(in database: Database) throws {
        try database.deferForeignKeys()
        try keyHighWaterMarks.note(model.entitiesOfExistingTables, in: database)
    }

    /// Returns the entities of the changed tables whose objects may have other derived values. The changes of
    /// a transaction do not list these objects.
    func namesOfDerivedEntities(in tables: [TableTransition]) -> Set<String> {
        guard derivedAttributes != nil else { return [] }
        let changed = namesOfEntitiesThatMayHaveChanged(in: tables)
        return Set(model.namesOfEntitiesWithDerivations.filter(changed.contains))
    }

    /// Returns the entities whose objects may have changed in a transaction without a complete list of its
    /// objects: those of the changed tables, or all if tables are not tracked.
    func namesOfEntitiesThatMayHaveChanged(in tables: [TableTransition]) -> Set<String> {
        isTracked ? model.namesOfEntities(in: tables) : Set(model.entities.map(\.name))
    }
}

extension Database {
    /// Defers the foreign keys of external tables to the end of the transaction, because rows are written in
    /// any order.
    func deferForeignKeys() throws { try run("PRAGMA defer_foreign_keys = ON") }
}

extension ChangeTracking {
    /// Returns the states of all tables, by name; empty if one of them is dirty, because its rows may change
    /// without a change of its state.
    static func stampedStates(in database: any StatementSource) throws -> [String: [UInt8]] {
        var stamped: [String: [UInt8]] = [:]
        for (name, state) in try states(in: database) {
            guard let state else { return [:] }
            stamped[name] = state
        }
        return stamped
    }

    /// Returns the states of all tables, in the order of their names; nil for a dirty table.
    static func states(in database: any StatementSource) throws -> [(tableName: String, state: [UInt8]?)] {
        try database.rows("SELECT tbl, seq, nonce FROM main.sc_gen ORDER BY tbl").compactMap(state)
    }

    /// Returns the state in a row that begins with the table's name, sequence number and nonce.
    private static func state(_ row: [StoredValue]) -> (tableName: String, state: [UInt8]?)? {
        guard case .text(let name) = row[0], case .integer(let sequence) = row[1] else { return nil }
        guard case .blob(let nonce) = row[2] else { return (name, nil) }
        return (name, withUnsafeBytes(of: sequence.littleEndian) { Array($0) } + nonce)
    }

    /// Returns the states of all tables, as ``states(in:)``, and the number of row changes that the change
    /// log can still record for each dirty table.
    ///
    /// Each change decrements the number, so a table with the same number as before has not changed.
    fileprivate static func statesAndRooms(
        in database: Database
    ) throws -> (states: [(tableName: String, state: [UInt8]?)], rooms: [String: Int64]) {
        let rows = try database.rows("SELECT tbl, seq, nonce, room FROM main.sc_gen ORDER BY tbl")
        let dirty = rows.filter { $0[2] == .null }
        return (rows.compactMap(state), dirty.isEmpty ? [:] : rooms(dirty.map { ($0[0], $0[3]) }))
    }

    /// Returns the tables whose state differs from the earlier one.
    static func transitions(
        since before: [(tableName: String, state: [UInt8]?)], in database: any StatementSource
    ) throws -> [TableTransition] {
        try states(in: database).compactMap { name, after in
            let before = before.first { $0.tableName == name }?.state
            return before == after && after != nil
                ? nil : TableTransition(tableName: name, before: before, after: after)
        }
    }
}
