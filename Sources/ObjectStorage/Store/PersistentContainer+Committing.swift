import GRDB
import InternalUtilities

extension PersistentContainer {
    /// Runs `body` in one transaction that writes, and stamps and commits it.
    ///
    /// - Parameter place: What is being done, for messages.
    /// - Returns: What `body` returned, and the tables that the transaction changed.
    func commit<Result>(
        _ place: @autoclosure () -> String, _ body: (Database) throws -> Result
    ) throws(ObjectStorageError) -> (result: Result, tables: [TableTransition]) {
        guard connections.lockless?.isForWantOfRoom != true else {
            throw ObjectStorageError(
                .diskFull,
                "\(place()): The disk is full, so \(nameInMessages) was opened for reading alone. Free some space, and open it again."
            )
        }
        guard !isReadOnly else {
            throw ObjectStorageError(
                .storeReadOnly,
                "\(place()): \(nameInMessages) is opened for reading alone. Open it for writing, and make sure that its directory can be written."
            )
        }
        return try ObjectStorageError.translating(place()) {
            try connections.write { database in
                if isTracked { try ChangeTracking.checkTriggersFire(in: database) }
                return try connections.inTransaction(in: database) { database in
                    let committed = try stamping(in: database, body)
                    try connections.checkFile()
                    return committed
                }
            }
        }
    }

    /// Runs `body` in the transaction that `database` is in, and stamps what it changed.
    ///
    /// - Returns: What `body` returned, and the tables that changed.
    func stamping<Result>(
        in database: Database, _ body: (Database) throws -> Result
    ) throws -> (Result, [TableTransition]) {
        if model.hasExistingTables { try beginWritingExistingTables(in: database) }
        let before = isTracked ? try ChangeTracking.states(in: database) : []
        if isTracked { try confirmStampedSchemas(in: database) }
        let rooms = try ChangeTracking.rooms(ofDirtyAmong: before, in: database)
        let isAsSeen = isAsSeen(ifDirtyAmong: before, in: database)
        let changesBefore = database.totalChangesCount
        let result = try body(database)
        if model.hasExistingTables {
            try keyHighWaterMarks.note(model.entitiesOfExistingTables, in: database)
        }
        let hasChangedRows = database.totalChangesCount != changesBefore
        let left = try ChangeTracking.rooms(ofDirtyAmong: before, in: database)
        if isTracked { try ChangeTracking.stamp(in: database) }
        var tables = isTracked ? try ChangeTracking.transitions(since: before, in: database) : []
        for place in tables.indices {
            let room = rooms[tables[place].tableName]
            tables[place].isStampedOnly = room != nil && room == left[tables[place].tableName]
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
    /// Whether nothing was committed since the store was last looked at; false without looking where all
    /// tables are stamped, so that nothing depends on it.
    ///
    /// - Parameter states: The states at the beginning of the transaction.
    func isAsSeen(
        ifDirtyAmong states: [(tableName: String, state: [UInt8]?)], in database: Database
    ) -> Bool {
        guard states.contains(where: { $0.state == nil }) else { return false }
        return sharedMonitor.current?.detector.isAsSeen(in: database) ?? false
    }

    /// Confirms the stamps of tables whose changes were noticed while the schema changed, so that the log
    /// reaches over what is written now.
    private func confirmStampedSchemas(in database: Database) throws {
        let version = try database.schemaVersionValue()
        guard confirmedVersion.withLock({ $0 }) != version else { return }
        try ChangeTracking.confirmStampedSchemas(in: database)
        // If the transaction is rolled back, the next one computes more than it has to.
        confirmedVersion.withLock { $0 = version }
    }

    private func beginWritingExistingTables(in database: Database) throws {
        try database.deferForeignKeys()
        try keyHighWaterMarks.note(model.entitiesOfExistingTables, in: database)
    }

    /// The entities whose objects may have other values after a transaction of which nobody listed all
    /// objects: those of the tables that changed, or all where tables are not tracked.
    func namesOfEntitiesThatMayHaveChanged(in tables: [TableTransition]) -> Set<String> {
        isTracked ? model.namesOfEntities(in: tables) : Set(model.entities.map(\.name))
    }
}

extension Database {
    /// Lets an owner's foreign keys wait for the end of the transaction, in which rows come in any order.
    func deferForeignKeys() throws { try run("PRAGMA defer_foreign_keys = ON") }
}

extension ChangeTracking {
    /// The states of all tables, by name; none if one of them is not stamped, so that its rows may change
    /// without its state.
    static func stampedStates(in database: any StatementSource) throws -> [String: [UInt8]] {
        var stamped: [String: [UInt8]] = [:]
        for (name, state) in try states(in: database) {
            guard let state else { return [:] }
            stamped[name] = state
        }
        return stamped
    }

    /// The states of all tables, by name; nil for one that is not stamped.

    static func states(in database: any StatementSource) throws -> [(tableName: String, state: [UInt8]?)] {
        try database.rows("SELECT tbl, seq, nonce FROM main.sc_gen ORDER BY tbl").compactMap { row in
            guard case .text(let name) = row[0], case .integer(let sequence) = row[1] else { return nil }
            guard case .blob(let nonce) = row[2] else { return (name, nil) }
            return (name, withUnsafeBytes(of: sequence.littleEndian) { Array($0) } + nonce)
        }
    }

    /// How many more row changes are logged of each table that is not stamped and has a log; none, without
    /// asking, where all are stamped.
    ///
    /// Each change takes one away, so that a table which has as many as before did not change.
    fileprivate static func rooms(
        ofDirtyAmong states: [(tableName: String, state: [UInt8]?)], in database: any StatementSource
    ) throws -> [String: Int64] {
        guard states.contains(where: { $0.state == nil }) else { return [:] }
        let rows = try database.rows("SELECT tbl, room FROM main.sc_gen WHERE nonce IS NULL AND room > 0")
        return rows.reduce(into: [:]) { rooms, row in
            guard case .text(let name) = row[0], case .integer(let room) = row[1] else { return }
            rooms[name] = room
        }
    }

    /// The tables that have another state than before.
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
