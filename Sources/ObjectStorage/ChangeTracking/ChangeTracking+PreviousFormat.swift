import GRDB

/// Support for stores of format 1, whose triggers cleared stamps but kept no log.
extension ChangeTracking {
    /// Returns whether a row of `sc_gen` has the columns of format 1.
    static func isOfPreviousFormat(_ row: [StoredValue]) -> Bool { row.count == 4 }

    /// Returns whether a row of all columns of `sc_gen` has the columns of this format or the previous one. A
    /// file that another program made may have any columns.
    static func hasKnownColumns(_ row: [StoredValue]) -> Bool { row.count == 4 || row.count == 7 }

    /// Returns whether a table of a store of format 1 has its triggers.
    ///
    /// - Parameter schema: The rows that ``SchemaFingerprint/rowsSQL(_:)`` selects.
    static func hasPreviousTriggers(
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

    /// Upgrades a store of format 1 to the current format, in the current transaction of `database`.
    ///
    /// Programs that have the store open with an older version of the library continue to work: their stamps
    /// leave detectable gaps in the log, and they create the previous triggers again, which the next repair
    /// replaces.
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
                try database.hasTable(named: name)
            else { continue }
            try mend(table, in: database)
        }
        try database.run(
            "UPDATE main.sc_store SET format = ?1 WHERE id = 1", [.integer(StoreSchema.format)])
        try stamp(in: database)
    }
}
