import GRDB

/// Keeps every table's nonce and log: begins and ends the tracking of tables, and mends triggers that
/// somebody dropped.
enum ChangeTracking {
    /// Starts to track a table that has just been made, or that nobody tracked.
    static func begin(_ table: TrackedTable, in database: Database) throws {
        try database.run(
            "INSERT INTO main.sc_gen (tbl, seq, nonce, room, capacity, shape) VALUES (?1, 0, NULL, 0, 0, NULL)",
            [.text(table.name)])
        try makeTriggers(table, trackingID: database.lastInsertedRowID, in: database)
    }

    /// Tracks a table no longer, and takes our triggers away from it.
    static func end(_ tableName: String, in database: Database) throws {
        try dropTriggers(tableName, in: database)
        try forget(tableName, in: database)
    }

    /// Forgets a table that is gone.
    static func forget(_ tableName: String, in database: Database) throws {
        guard let trackingID = try trackingID(of: tableName, in: database) else { return }
        try database.run("DELETE FROM main.sc_gen WHERE id = ?1", [.integer(trackingID)])
        // The next table may get the same number.
        try deleteLog(trackingID: trackingID, in: database)
    }

    /// The number under which a table is tracked.
    static func trackingID(of name: String, in database: Database) throws -> Int64? {
        let row = try database.rows("SELECT id FROM main.sc_gen WHERE tbl = ?1", [.text(name)]).first
        if case .integer(let id)? = row?.first { return id }
        return nil
    }

    /// Tracks a table that was replaced, perhaps under another name, as a change of all of it.
    static func goOn(trackingID: Int64?, as table: TrackedTable, in database: Database) throws {
        guard let trackingID else { return try begin(table, in: database) }
        try rename(trackingID: trackingID, to: table.name, in: database)
        try makeTriggers(table, trackingID: trackingID, in: database)
    }

    /// Gives a tracked table another name, under which it is yet to be made.
    static func rename(trackingID: Int64, to name: String, in database: Database) throws {
        try database.run(
            "UPDATE main.sc_gen SET tbl = ?1 WHERE id = ?2", [.text(name), .integer(trackingID)])
    }

    /// Tracks a table with the triggers that it needs now: makes them anew where they are missing, are not
    /// ours, or were made for other columns, unique indexes or keys.
    static func mend(_ table: TrackedTable, in database: Database) throws {
        let row = try database.rows(
            "SELECT id, nonce, shape FROM main.sc_gen WHERE tbl = ?1", [.text(table.name)])
        guard let row = row.first, case .integer(let trackingID) = row[0] else {
            // Somebody deleted the row; the triggers may be left.
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

    /// Stamps tables that another program changed, and mends their triggers.
    static func repair(_ tables: [TrackedTable], in database: Database) throws {
        for table in tables { try mend(table, in: database) }
        let vacuumed = try settleStampedSchemas(in: database)
        try stamp(in: database, vacuumed: vacuumed)
    }

    /// Makes the triggers of a table that has none of ours, and notes for what.
    ///
    /// What happened without them nobody knows, so the table counts as changed, and not all of it as logged.
    private static func makeTriggers(
        _ table: TrackedTable, trackingID: Int64, in database: Database
    ) throws {
        let layout = try TableLayout(of: table, in: database)
        let triggers = StoreSchema.triggers(table, layout, trackingID: trackingID)
        for trigger in triggers { try database.run(trigger.creationSQL) }
        // Without them the table has no shape that anything could be compared with, and no state.
        let areMade = try has(triggers, on: table, in: database)
        try database.run(
            "UPDATE main.sc_gen SET nonce = NULL, room = 0, capacity = ?1, shape = ?2 WHERE id = ?3",
            [
                .integer(layout.isCovered ? StoreSchema.logCapacity : 0),
                areMade ? .blob(SchemaFingerprint.read(table.name, in: database)) : .null,
                .integer(trackingID),
            ])
    }

    /// Whether a table has triggers with just these texts.
    private static func has(
        _ triggers: [StoreSchema.Trigger], on table: TrackedTable, in database: Database
    ) throws -> Bool {
        let existing = try database.rows(
            "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE ORDER BY rowid",
            [.text(table.name)])
        // SQLite fires the trigger first that was made last, and one may end the statement so that the others
        // are left out and the row stays (`RAISE(IGNORE)`, `RAISE(FAIL)`). So ours are made after all others.
        return triggers.allSatisfy {
            existing.suffix(triggers.count).contains([.text($0.name), .text($0.sql)])
        }
    }

    static func dropTriggers(_ tableName: String, in database: Database) throws {
        for name in StoreSchema.triggerNames(tableName) {
            try database.run("DROP TRIGGER IF EXISTS main.\(name.quotedIdentifier)")
        }
    }

    /// Sixteen random bytes from the operating system.
    static func nonce() -> [UInt8] { randomBytes(16) }

    /// Random bytes from the operating system.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        // Eight at a time, because each number is a call of the system.
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
        return Array(bytes.prefix(count))
    }
}
