import GRDB

/// The tracking of tables: maintains each table's nonce and log, starts and ends tracking, and repairs
/// triggers that another program dropped.
enum ChangeTracking {
    /// Starts to track a new table, or one that was not tracked before.
    static func begin(_ table: TrackedTable, in database: Database) throws {
        try database.run(
            "INSERT INTO main.sc_gen (tbl, seq, nonce, room, capacity, shape) VALUES (?1, 0, NULL, 0, 0, NULL)",
            [.text(table.name)])
        try makeTriggers(table, trackingID: database.lastInsertedRowID, in: database)
    }

    /// Stops tracking a table, and drops the library's triggers on it.
    static func end(_ tableName: String, in database: Database) throws {
        try dropTriggers(tableName, in: database)
        try forget(tableName, in: database)
    }

    /// Deletes the tracking data of a table that no longer exists.
    static func forget(_ tableName: String, in database: Database) throws {
        guard let trackingID = try trackingID(of: tableName, in: database) else { return }
        try database.run("DELETE FROM main.sc_gen WHERE id = ?1", [.integer(trackingID)])
        // A later table may get the same number.
        try deleteLog(trackingID: trackingID, in: database)
    }

    /// Returns the number under which a table is tracked; nil if it is not.
    static func trackingID(of name: String, in database: Database) throws -> Int64? {
        let row = try database.rows("SELECT id FROM main.sc_gen WHERE tbl = ?1", [.text(name)]).first
        if case .integer(let id)? = row?.first { return id }
        return nil
    }

    /// Continues to track a table that was replaced, possibly under another name, as if all of its rows had
    /// changed.
    static func goOn(trackingID: Int64?, as table: TrackedTable, in database: Database) throws {
        guard let trackingID else { return try begin(table, in: database) }
        try rename(trackingID: trackingID, to: table.name, in: database)
        try makeTriggers(table, trackingID: trackingID, in: database)
    }

    /// Gives a tracked table another name; the table of that name is created later.
    static func rename(trackingID: Int64, to name: String, in database: Database) throws {
        try database.run(
            "UPDATE main.sc_gen SET tbl = ?1 WHERE id = ?2", [.text(name), .integer(trackingID)])
    }

    /// Tracks a table with its current triggers: recreates them if they are missing, were altered, or were
    /// made for other columns, unique indexes or keys.
    static func mend(_ table: TrackedTable, in database: Database) throws {
        let row = try database.rows(
            "SELECT id, nonce, shape FROM main.sc_gen WHERE tbl = ?1", [.text(table.name)])
        guard let row = row.first, case .integer(let trackingID) = row[0] else {
            // The tracking row was deleted; the triggers may remain.
            try dropTriggers(table.name, in: database)
            return try begin(table, in: database)
        }
        let layout = try TableLayout(of: table, in: database)
        let isIntact =
            try has(StoreSchema.triggers(table, layout, trackingID: trackingID), on: table, in: database)
            && row[2] == .blob(SchemaFingerprint.read(table.name, in: database))
        let hasState = if case .blob(let nonce) = row[1] { nonce.count == 16 } else { row[1].isNull }
        guard !isIntact || !hasState else { return }
        try dropTriggers(table.name, in: database)
        try makeTriggers(table, trackingID: trackingID, in: database)
    }

    /// Stamps tables that another program changed, and repairs their triggers.
    static func repair(_ tables: [TrackedTable], in database: Database) throws {
        for table in tables { try mend(table, in: database) }
        let vacuumed = try settleStampedSchemas(in: database)
        try stamp(in: database, vacuumed: vacuumed)
    }

    /// Creates the triggers of a table that has none of the library's, and records the schema for which they
    /// were made.
    ///
    /// Changes made without triggers are unknown, so the table counts as changed, and its log as incomplete.
    private static func makeTriggers(
        _ table: TrackedTable, trackingID: Int64, in database: Database
    ) throws {
        let layout = try TableLayout(of: table, in: database)
        let triggers = StoreSchema.triggers(table, layout, trackingID: trackingID)
        for trigger in triggers { try database.run(trigger.creationSQL) }
        // Without the triggers, no schema digest is stored that could match, so the table has no state.
        let areMade = try has(triggers, on: table, in: database)
        try database.run(
            "UPDATE main.sc_gen SET nonce = NULL, room = 0, capacity = ?1, shape = ?2 WHERE id = ?3",
            [
                .integer(layout.isCovered ? StoreSchema.logCapacity : 0),
                areMade ? .blob(SchemaFingerprint.read(table.name, in: database)) : .null,
                .integer(trackingID),
            ])
    }

    /// Returns whether a table has triggers with exactly these texts.
    private static func has(
        _ triggers: [StoreSchema.Trigger], on table: TrackedTable, in database: Database
    ) throws -> Bool {
        let existing = try database.rows(
            "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE ORDER BY rowid",
            [.text(table.name)])
        // SQLite fires the most recently created trigger first, and one may end the statement so that the
        // other triggers are skipped and the row stays (`RAISE(IGNORE)`, `RAISE(FAIL)`). So the library's
        // triggers are created after all others.
        return triggers.allSatisfy {
            existing.suffix(triggers.count).contains([.text($0.name), .text($0.sql)])
        }
    }

    static func dropTriggers(_ tableName: String, in database: Database) throws {
        for name in StoreSchema.triggerNames(tableName) {
            try database.run("DROP TRIGGER IF EXISTS main.\(name.quotedIdentifier)")
        }
    }

    /// Returns sixteen random bytes from the operating system.
    static func nonce() -> [UInt8] { randomBytes(16) }

    /// Returns random bytes from the operating system.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        // Eight bytes at a time, because each number is a system call.
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }
}
