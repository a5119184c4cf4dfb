import GRDB

/// Stores of format 1, which had triggers that clearStamp and no log.
extension ChangeTracking {
    /// Whether a row of `sc_gen` is one of format 1.
    static func isOfFormerFormat(_ row: [StoredValue]) -> Bool { row.count == 4 }

    /// Whether a row of all columns of `sc_gen` has those of this format or the one before. In a file of
    /// somebody else's making it may have any.
    static func hasKnownColumns(_ row: [StoredValue]) -> Bool { row.count == 4 || row.count == 7 }

    /// Whether a table of a store of format 1 has its triggers.
    ///
    /// - Parameter schema: The rows that ``SchemaFingerprint/rowsSQL(_:)`` gives.
    static func hasFormerTriggers(
        _ tableName: String, trackingID: Int64, in schema: [[StoredValue]]
    ) -> Bool {
        ["INSERT", "UPDATE", "DELETE"].allSatisfy { event in
            let name = "sc_\(tableName)_\(event.lowercased())"
            let sql = """
                CREATE TRIGGER \(name.quotedIdentifier) AFTER \(event) ON \(tableName.quotedIdentifier) \
                WHEN (SELECT nonce FROM sc_gen WHERE id = \(trackingID)) IS NOT NULL \
                BEGIN UPDATE sc_gen SET nonce = NULL WHERE id = \(trackingID); END
                """
            return schema.contains {
                $0[0] == .text("trigger") && $0[1] == .text(name) && $0[3] == .text(sql)
            }
        }
    }

    /// Brings a store of format 1 into the present one, in the transaction that `database` is in.
    ///
    /// Programs that have the store open with an older version of the library go on: their stamps leave gaps
    /// in the log, which are noticed, and they make the former triggers again, which are mended.
    static func upgrade(_ model: ManagedObjectModel, in database: Database) throws {
        for column in [
            "room INTEGER DEFAULT 0", "capacity INTEGER NOT NULL DEFAULT 0", "shape BLOB",
        ] {
            try database.run("ALTER TABLE main.sc_gen ADD COLUMN \(column)")
        }
        try database.run(StoreSchema.logTable)
        try database.run(StoreSchema.epochTable)
        for row in try database.rows("SELECT tbl FROM main.sc_gen ORDER BY id") {
            guard case .text(let name) = row[0], let table = model.trackedTable(named: name),
                try !database.rows(
                    "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?1", [.text(name)]
                ).isEmpty
            else { continue }
            try mend(table, in: database)
        }
        try database.run(
            "UPDATE main.sc_store SET format = ?1 WHERE id = 1", [.integer(StoreSchema.format)])
        try stamp(in: database)
    }
}
