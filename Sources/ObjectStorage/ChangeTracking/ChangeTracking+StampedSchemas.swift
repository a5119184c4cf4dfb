import GRDB

/// The schema versions under which stamps are valid (decision 0037).
extension ChangeTracking {
    /// The source of the schema values for the stamps of one transaction.
    struct StampedSchemaMaker {
        private let version: StoredValue
        private let tableNames: [String]
        private var layout: SchemaLayout?
        /// The tables whose schema was changed only by `VACUUM` since their last stamps; nil until a table
        /// has a stamp under another version.
        private var vacuumed: Set<Int64>?

        init(version: StoredValue, _ tableNames: [StoredValue], vacuumed: Set<Int64>?) {
            self.version = version
            self.vacuumed = vacuumed
            self.tableNames = tableNames.compactMap { if case .text(let name) = $0 { name } else { nil } }
        }

        /// Returns the schema value of a table's next stamp, and whether the log continues from the previous
        /// stamp.
        ///
        /// - Parameter sequence: The number of the previous stamp.
        mutating func next(
            trackingID: Int64, sequence: Int64, tableName: StoredValue, in database: Database
        ) throws -> (value: StoredValue, completeness: LogCompleteness?) {
            let row = try database.rows(
                "SELECT schema FROM main.sc_epoch WHERE gen = ?1 AND seq = ?2",
                [.integer(trackingID), .integer(sequence)])
            let previous = row.first.flatMap { StampedSchema($0[0]) }
            guard case .integer(let number) = version, case .text(let name) = tableName else {
                return (version, nil)
            }
            if previous?.confirmed == number, let digest = previous?.digest {
                return (StampedSchema(version: number, digest: digest).value, .complete)
            }
            var completeness: LogCompleteness? = .complete
            if !row.isEmpty, previous?.confirmed != number {
                let vacuumed = try vacuumed ?? ChangeTracking.vacuumedTables(in: database)
                self.vacuumed = vacuumed
                completeness = vacuumed.contains(trackingID) ? .acrossVacuum : nil
            }
            let present = try layout ?? SchemaLayout(of: tableNames, in: database)
            layout = present
            return (StampedSchema(version: number, digest: present.digest(of: name)).value, completeness)
        }
    }

    /// Confirms the stamps that are valid under the current version of the schema, clears the nonces of the
    /// others, and moves the anchor to its position.
    ///
    /// - Returns: The tables whose schema was changed only by `VACUUM` since their last stamps.
    @discardableResult
    static func settleStampedSchemas(in database: Database) throws -> Set<Int64> {
        _ = try beginVersion(in: database)
        let vacuumed = try vacuumedTables(in: database)
        let outdated = try confirmStampedSchemas(in: database)
        for trackingID in outdated {
            try database.run("UPDATE main.sc_gen SET nonce = NULL WHERE id = ?1", [.integer(trackingID)])
        }
        guard try placeAnchor(in: database) else { return vacuumed }
        // No other connection can write during this transaction.
        guard case .integer(let version) = try database.schemaVersionValue() else { return vacuumed }
        let stamped = try stampedTables(in: database)
        let layout = try SchemaLayout(of: stamped.map(\.name), in: database)
        for table in stamped {
            guard var stampedSchema = table.stampedSchema else { continue }
            (stampedSchema.confirmed, stampedSchema.digest) = (version, layout.digest(of: table.name))
            try write(stampedSchema, of: table, in: database)
        }
        return vacuumed
    }

    /// Returns the tables whose schema, as far as the schema itself shows, was changed only by `VACUUM` since
    /// their last stamps were confirmed: SQLite counted one change, the order is that of `VACUUM`, and the
    /// tables have the schema digests of their stamps.
    static func vacuumedTables(in database: Database) throws -> Set<Int64> {
        let version = try database.schemaVersionValue()
        guard isTrackedVersion(version) else { return [] }
        let rows = try database.rows(
            """
            SELECT id, tbl, shape, (SELECT schema FROM main.sc_epoch \
            WHERE sc_epoch.gen = sc_gen.id AND sc_epoch.seq = sc_gen.seq) FROM main.sc_gen
            """)
        let followed = rows.filter { StampedSchema($0[3])?.isFollowed(by: version) == true }
        guard !followed.isEmpty, try SchemaLayout.isInOrderOfVacuum(in: database) else { return [] }
        return try followed.reduce(into: []) { vacuumed, row in
            guard case .integer(let id) = row[0], case .text(let name) = row[1],
                try row[2] == .blob(SchemaFingerprint.read(name, in: database))
            else { return }
            vacuumed.insert(id)
        }
    }

    /// Confirms the stamps that are valid under the current version of the schema.
    ///
    /// - Returns: The tables whose stamps are not valid under it.
    @discardableResult
    static func confirmStampedSchemas(in database: Database) throws -> [Int64] {
        let version = try database.schemaVersionValue()
        guard case .integer(let number) = version, isTrackedVersion(version) else { return [] }
        let others = try stampedTables(in: database).filter {
            $0.stampedSchema?.isConfirmed(under: version) != true
        }
        guard !others.isEmpty else { return [] }
        let layout = try SchemaLayout(of: others.map(\.name), in: database)
        var outdated: [Int64] = []
        for table in others {
            let digest = layout.digest(of: table.name)
            guard var stampedSchema = table.stampedSchema,
                stampedSchema.counts(under: version, digest: digest)
            else {
                outdated.append(table.trackingID)
                continue
            }
            (stampedSchema.confirmed, stampedSchema.digest) = (number, digest)
            try write(stampedSchema, of: table, in: database)
        }
        return outdated
    }

    /// Returns the schema values of the last stamps, by table. A store of format 1 has none.
    static func stampedSchemas(in database: any StatementSource) throws -> [String: StampedSchema] {
        let rows = try database.controlRows(
            """
            SELECT tbl, schema FROM main.sc_gen JOIN main.sc_epoch ON gen = id AND sc_epoch.seq = sc_gen.seq
            """)
        return rows.reduce(into: [:]) { stampedSchemas, row in
            if case .text(let name) = row[0] { stampedSchemas[name] = StampedSchema(row[1]) }
        }
    }

    private struct StampedTable {
        let trackingID: Int64
        let sequence: StoredValue
        let name: String
        let stampedSchema: StampedSchema?
    }

    private static func stampedTables(in database: Database) throws -> [StampedTable] {
        try database.rows(
            """
            SELECT id, seq, tbl, (SELECT schema FROM main.sc_epoch \
            WHERE sc_epoch.gen = sc_gen.id AND sc_epoch.seq = sc_gen.seq)
            FROM main.sc_gen WHERE nonce IS NOT NULL
            """
        ).compactMap { row in
            guard case .integer(let id) = row[0], case .text(let name) = row[2] else { return nil }
            return StampedTable(
                trackingID: id, sequence: row[1], name: name, stampedSchema: StampedSchema(row[3]))
        }
    }

    private static func write(_ stampedSchema: StampedSchema, of table: StampedTable, in database: Database)
        throws
    {
        try database.run(
            "UPDATE main.sc_epoch SET schema = ?1 WHERE gen = ?2 AND seq = ?3",
            [stampedSchema.value, .integer(table.trackingID), table.sequence])
    }

    /// Creates missing triggers of the log, and recreates the anchor if it does not follow all objects by
    /// which changes are detected.
    ///
    /// - Returns: Whether the anchor was created.
    private static func placeAnchor(in database: Database) throws -> Bool {
        for guardian in StoreSchema.logGuards {
            let existing = try database.rows(
                "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?1",
                [.text(guardian.name)])
            if existing == [[.text(guardian.sql)]] { continue }
            try database.run("DROP TRIGGER IF EXISTS main.\(guardian.name.quotedIdentifier)")
            try database.run(guardian.creationSQL)
        }
        let isLast = try database.rows(
            """
            SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = 'sc_anchor' AND rowid > (
                SELECT max(rowid) FROM main.sqlite_schema
                WHERE type = 'table' AND (name IN ('sc_store', 'sc_gen', 'sc_log', 'sc_epoch')
                    OR name COLLATE NOCASE IN (SELECT tbl FROM main.sc_gen))
                OR type = 'trigger' AND (tbl_name COLLATE NOCASE IN ('sc_store', 'sc_gen', 'sc_log', 'sc_epoch')
                    OR tbl_name COLLATE NOCASE IN (SELECT tbl FROM main.sc_gen)))
            """)
        guard isLast.isEmpty else { return false }
        try database.run("DROP TABLE IF EXISTS main.sc_anchor")
        try database.run(StoreSchema.anchorTable)
        return true
    }
}
