import GRDB

/// Keeps every table's nonce: seals what a transaction changed, and mends triggers that somebody dropped.
enum StoreTracking {
    /// Starts to track a table that has just been made.
    static func begin(_ tableName: String, in database: Database) throws {
        try database.run(
            "INSERT INTO main.sc_gen (tbl, seq, nonce) VALUES (?1, 1, ?2)",
            [.text(tableName), .blob(nonce())])
        try createTriggers(tableName, trackingID: database.lastInsertedRowID, in: database)
    }

    /// Tracks a table no longer, and takes our triggers away from it.
    static func end(_ tableName: String, in database: Database) throws {
        for trigger in StoreSchema.triggers(tableName, trackingID: 0) {
            try database.run("DROP TRIGGER IF EXISTS main.\(trigger.name.quotedIdentifier)")
        }
        try database.run("DELETE FROM main.sc_gen WHERE tbl = ?1", [.text(tableName)])
    }

    /// The number under which a table is tracked.
    static func trackingID(of name: String, in database: Database) throws -> Int64? {
        let row = try database.rows("SELECT id FROM main.sc_gen WHERE tbl = ?1", [.text(name)]).first
        if case .integer(let id)? = row?.first { return id }
        return nil
    }

    /// Tracks a table that was replaced, perhaps under another name, as a change of all of it.
    static func goOn(
        trackingID: Int64?, formerly former: String, as name: String, in database: Database
    ) throws {
        guard let trackingID else { return try begin(name, in: database) }
        try database.run(
            "UPDATE main.sc_gen SET tbl = ?1, nonce = NULL WHERE id = ?2",
            [.text(name), .integer(trackingID)])
        try createTriggers(name, trackingID: trackingID, in: database)
    }

    /// Gives each table that this transaction changed a new nonce. The last statement before every commit of ours.
    ///
    /// The nonces come from the operating system and are bound one by one: SQLite's `randomblob` repeats in a process
    /// that was forked with an open connection.
    static func seal(in database: Database) throws {
        for row in try database.rows("SELECT id FROM main.sc_gen WHERE nonce IS NULL") {
            try database.run(
                "UPDATE main.sc_gen SET seq = seq + 1, nonce = ?1 WHERE id = ?2", [.blob(nonce()), row[0]])
        }
    }

    /// Seals tables that another program changed, and makes triggers anew where they are missing or are not ours.
    ///
    /// A table whose triggers were gone may have changed in the meantime without notice, so it gets a new nonce in any case.
    static func repair(_ tableNames: [String], in database: Database) throws {
        for name in tableNames {
            guard let trackingID = try trackingID(of: name, in: database) else {
                try begin(name, in: database)
                continue
            }
            let existing = try database.rows(
                "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1",
                [.text(name)])
            let expected = StoreSchema.triggers(name, trackingID: trackingID)
            let isIntact = expected.allSatisfy { existing.contains([.text($0.name), .text($0.sql)]) }
            if !isIntact {
                for trigger in expected {
                    try database.run("DROP TRIGGER IF EXISTS main.\(trigger.name.quotedIdentifier)")
                }
                try createTriggers(name, trackingID: trackingID, in: database)
            }
            try database.run("UPDATE main.sc_gen SET nonce = NULL WHERE id = ?1", [.integer(trackingID)])
        }
        try seal(in: database)
    }

    private static func createTriggers(_ tableName: String, trackingID: Int64, in database: Database) throws {
        for trigger in StoreSchema.triggers(tableName, trackingID: trackingID) {
            try database.run(trigger.sql)
        }
    }

    /// Sixteen random bytes from the operating system.
    static func nonce() -> [UInt8] { randomBytes(16) }

    /// Random bytes from the operating system.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
